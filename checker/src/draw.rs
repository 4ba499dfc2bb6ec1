//! A run as a sequence chart: for a terminal, and as SVG.

use crate::run::{Output, Run, RunStep, What};

/// The options of a chart.
pub struct Words<'a> {
    /// Formats a frame for a reader.
    pub frame: &'a dyn Fn(&[u8]) -> String,
    /// Whether the handlers that ran and the cells that changed are drawn.
    pub details: bool,
}

/// The limits of the columns of a side; it has as many as its longest line.
const SIDE: std::ops::RangeInclusive<usize> = 46..=76;

/// One line of a chart.
enum Line {
    /// At an endpoint.
    At(usize, String),
    /// A small line at an endpoint.
    Detail(usize, String),
    /// From an endpoint towards the other.
    Arrow(usize, String),
    /// Reaches an endpoint from the other.
    Reaches(usize, String),
    /// In the middle.
    Network(String),
}

fn lines(step: &RunStep, words: &Words) -> Vec<Line> {
    let mut lines = vec![];
    let network = || step.network.as_ref().map_or(String::new(), |action| action.shown(words.frame));
    let Some(end) = step.end else {
        return vec![Line::Network(network())];
    };
    let arguments = |arguments: &[u64], bytes: &Option<crate::run::Hex>| {
        let mut parts: Vec<String> = arguments.iter().map(u64::to_string).collect();
        parts.extend(bytes.iter().map(|b| format!("0x{}", String::from(b.clone()))));
        parts.join(", ")
    };
    lines.push(match &step.what {
        What::Opened => Line::At(end, "opens".into()),
        What::Call { name, arguments: numbers, message, .. } => {
            Line::At(end, format!("▼ {name}({})", arguments(numbers, message)))
        }
        What::Frame { bytes } => Line::Reaches(end, (words.frame)(&bytes.0)),
        What::Event { name, arguments: numbers, .. } => {
            Line::At(end, format!("△ {name}({})", arguments(numbers, &None)))
        }
        What::Timer { name, indices, .. } if indices.is_empty() => Line::At(end, format!("timer {name}")),
        What::Timer { name, indices, .. } => Line::At(end, format!("timer {name} {indices:?}")),
        What::Later => Line::At(end, "↻ later event".into()),
        What::Nothing => Line::Network(network()),
    });
    if words.details {
        for handled in step.handled.iter().filter(|h| !h.passes) {
            lines.push(Line::Detail(end, format!("{}  {}", handled.handler, handled.source)));
        }
        for changed in &step.changed {
            lines.push(Line::Detail(end, format!("{}: {} → {}", changed.cell, changed.before, changed.after)));
        }
    }
    for Output { down, event, arguments: numbers, bytes, .. } in &step.left {
        lines.push(match (down, bytes) {
            (true, Some(bytes)) => Line::Arrow(end, (words.frame)(&bytes.0)),
            (true, None) => Line::At(end, format!("▽ {event}({})", arguments(numbers, &None))),
            (false, bytes) => Line::At(end, format!("▲ {event}({})", arguments(numbers, bytes))),
        });
    }
    lines
}

/// The text of a line in a terminal, without its position.
fn worded(line: &Line) -> String {
    match line {
        Line::At(_, t) | Line::Network(t) => t.clone(),
        Line::Detail(0, t) => format!("   {t}"),
        Line::Detail(_, t) => format!("{t}   "),
        Line::Arrow(0, t) => format!("├─ {t} "),
        Line::Arrow(_, t) => format!(" {t} ─┤"),
        Line::Reaches(0, t) => format!("◀─ {t}"),
        Line::Reaches(_, t) => format!("{t} ─▶"),
    }
}

/// The chart as lines of text: `a` on the left, `b` on the right, time downwards.
pub fn text(run: &Run, words: &Words) -> String {
    let steps: Vec<Vec<Line>> = run.steps.iter().map(|step| lines(step, words)).collect();
    let of_ends = steps.iter().flatten().filter(|l| !matches!(l, Line::Network(_)));
    let longest = of_ends.map(|l| worded(l).chars().count()).max().unwrap_or(0);
    let side = longest.clamp(*SIDE.start(), *SIDE.end());
    let mut text = format!("{:>4}  {:<side$}│{:>side$}\n", "", "a", "b");
    for (number, step) in steps.iter().enumerate() {
        for (at, line) in step.iter().enumerate() {
            let label = if at == 0 { (number + 1).to_string() } else { String::new() };
            text += format!("{label:>4}  {}", row(line, side)).trim_end();
            text.push('\n');
        }
    }
    text += &format!("\n{:>4}  {}\n", "", run.why);
    text
}

fn row(line: &Line, side: usize) -> String {
    let said = shortened(&worded(line), side);
    let between = match line {
        Line::Arrow(0, _) => "▶",
        Line::Arrow(..) => "◀",
        _ => "│",
    };
    match line {
        Line::At(0, _) | Line::Detail(0, _) | Line::Arrow(0, _) | Line::Reaches(0, _) => {
            format!("{said:<side$}{between}")
        }
        Line::Network(t) => format!("{t:^width$}", width = 2 * side + 1),
        _ => format!("{:side$}{between}{said:>side$}", ""),
    }
}

/// Shortens a text to at most `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.into(),
    }
}

/// The approximate width of a letter of an event, a frame and a detail in a picture, and the margin of a frame.
const EVENT: usize = 7;
const DETAIL: usize = 6;
const MARGIN: usize = 8;

/// The chart as a picture.
pub fn svg(run: &Run, title: &str, words: &Words) -> String {
    let steps: Vec<Vec<Line>> = run.steps.iter().map(|step| lines(step, words)).collect();
    let room = |end: usize| {
        let mine = steps.iter().flatten().filter_map(|l| match l {
            Line::At(e, t) => Some((e, EVENT * t.chars().count())),
            Line::Detail(e, t) => Some((e, DETAIL * t.chars().count())),
            _ => None,
        });
        mine.filter(|(e, _)| **e == end).map(|(_, width)| width).max().unwrap_or(0).clamp(200, 600)
    };
    let between = steps.iter().flatten().filter_map(|l| match l {
        Line::Arrow(_, t) | Line::Reaches(_, t) | Line::Network(t) => Some(EVENT * t.chars().count() + 2 * MARGIN),
        _ => None,
    });
    let between = between.max().unwrap_or(0).clamp(420, 800);
    let rooms = [room(0), room(1)];
    let first = 50 + rooms[0];
    let lives = [first, first + between];
    let width = lives[1] + 50 + rooms[1];
    let (mut body, mut y) = (String::new(), 70);
    // Text that does not fit is cut off; its tooltip is complete.
    let put = |body: &mut String, x: usize, y: usize, anchor: &str, class: &str, text: &str, most: usize| {
        let said = escaped(&shortened(text, most));
        let whole =
            if text.chars().count() > most { format!("<title>{}</title>", escaped(text)) } else { String::new() };
        *body +=
            &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" class=\"{class}\">{whole}{said}</text>\n");
    };
    let most = (between - 2 * MARGIN) / EVENT;
    for (number, step) in steps.iter().enumerate() {
        y += 8;
        for (at, line) in step.iter().enumerate() {
            y += 18;
            if at == 0 {
                put(&mut body, 14, y, "start", "number", &(number + 1).to_string(), usize::MAX);
            }
            let side = |end: usize| if end == 0 { (lives[0] - 8, "end") } else { (lives[1] + 8, "start") };
            let arrow = |body: &mut String, from: usize, to: usize, text: &str| {
                *body += &format!(
                    "<line x1=\"{from}\" y1=\"{}\" x2=\"{to}\" y2=\"{}\" class=\"arrow\" marker-end=\"url(#tip)\"/>\n",
                    y + 4,
                    y + 4
                );
                // Over its arrow, or where that is too short, between the endpoints.
                let fits = EVENT * text.chars().count() + 2 * MARGIN <= to.abs_diff(from);
                let x = if fits { (from + to) / 2 } else { (lives[0] + lives[1]) / 2 };
                put(body, x, y, "middle", "frame", text, most);
            };
            let middle = (lives[0] + lives[1]) / 2;
            match line {
                Line::At(end, t) => put(&mut body, side(*end).0, y, side(*end).1, "event", t, rooms[*end & 1] / EVENT),
                Line::Detail(end, t) => {
                    put(&mut body, side(*end).0, y, side(*end).1, "detail", t, rooms[*end & 1] / DETAIL)
                }
                Line::Arrow(end, t) => {
                    arrow(&mut body, lives[*end & 1], if *end == 0 { middle + 60 } else { middle - 60 }, t)
                }
                Line::Reaches(end, t) => {
                    arrow(&mut body, if *end == 0 { middle + 60 } else { middle - 60 }, lives[*end & 1], t)
                }
                Line::Network(t) => put(&mut body, middle, y, "middle", "network", t, most),
            }
        }
    }
    y += 40;
    put(&mut body, 14, y, "start", "why", &run.why, (width - 28) / EVENT);
    page((width, y + 24), lives, title, &body)
}

/// The whole picture: a title, the line of each endpoint's life, and the body.
fn page((width, height): (usize, usize), lives: [usize; 2], title: &str, body: &str) -> String {
    let life = |(x, name): (&usize, &str)| {
        format!(
            "<line x1=\"{x}\" y1=\"56\" x2=\"{x}\" y2=\"{}\" class=\"life\"/>\n\
             <text x=\"{x}\" y=\"48\" text-anchor=\"middle\" class=\"name\">{name}</text>\n",
            height - 48
        )
    };
    let drawn: String = lives.iter().zip(["a", "b"]).map(life).collect();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n\
         {HEAD}<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"14\" y=\"24\" class=\"name\">{}</text>\n{drawn}{body}</svg>\n",
        escaped(title)
    )
}

/// The styles of a picture, and the tip of its arrows.
const HEAD: &str = "<style>text { font: 12px sans-serif; fill: #222 } .name { font-weight: bold; font-size: 14px } \
    .detail { font-size: 10px; fill: #777 } .frame { fill: #06c } .network { fill: #a60 } .number { fill: #999 } \
    .why { fill: #b00; font-weight: bold } .life { stroke: #999 } .arrow { stroke: #06c }</style>\n\
    <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
    orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#06c\"/></marker></defs>\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Changed, Hex, NetworkAction, NetworkValue};

    /// A step of an endpoint in which everything has long names.
    fn wide(end: usize, name: &str) -> RunStep {
        let bytes = Some(Hex(vec![0; 8]));
        RunStep {
            end: Some(end),
            what: What::Frame { bytes: Hex(vec![]) },
            network: None,
            choices: vec![],
            drawn: vec![],
            handled: vec![],
            left: [true, false]
                .map(|down| Output { down, own: 0, event: name.into(), arguments: vec![1], bytes: bytes.clone() })
                .into(),
            changed: vec![Changed { cell: name.into(), before: name.into(), after: "0".into() }],
        }
    }

    fn attribute<'a>(line: &'a str, name: &str) -> &'a str {
        let at = line.find(&format!(" {name}=\"")).expect("it has it") + name.len() + 3;
        &line[at..at + line[at..].find('"').expect("it ends")]
    }

    #[test]
    fn texts_stay_inside_the_picture() {
        for length in [3, 40, 400] {
            let name = "n".repeat(length);
            let arguments = vec![NetworkValue::Frame(Hex(vec![1])), NetworkValue::Text("b".into())];
            let action = NetworkAction { name: name.clone(), arguments };
            let network = RunStep { end: None, what: What::Nothing, network: Some(action), ..wide(0, &name) };
            let run = Run { steps: vec![wide(0, &name), wide(1, &name), network], why: name.clone(), ..Run::default() };
            let drawn = svg(&run, "title", &Words { frame: &|_| name.clone(), details: true });
            let number = |line: &str, of: &str| attribute(line, of).parse::<usize>().expect("a number");
            let lives: Vec<usize> =
                drawn.lines().filter(|l| l.contains("class=\"life\"")).map(|l| number(l, "x1")).collect();
            let texts: Vec<&str> = drawn.lines().filter(|l| l.contains(" text-anchor=")).collect();
            assert!(texts.len() > 12, "{drawn}");
            for line in texts {
                let said = line.trim_end_matches("</text>").rsplit('>').next().unwrap_or_default();
                let class = attribute(line, "class");
                let wide = said.chars().count() * if class == "detail" { DETAIL } else { EVENT };
                let x = number(line, "x");
                let from = match attribute(line, "text-anchor") {
                    "start" => x,
                    "end" => x - wide,
                    _ => x - wide / 2,
                };
                let room =
                    if matches!(class, "frame" | "network") { lives[0]..lives[1] } else { 0..number(&drawn, "width") };
                assert!(room.contains(&from) && room.contains(&(from + wide)), "{length}: {room:?}: {line}");
            }
            let cut = format!("<title>{name}</title>");
            assert_eq!(drawn.contains(&cut), length == 400, "what is cut off is told");
        }
    }
}
