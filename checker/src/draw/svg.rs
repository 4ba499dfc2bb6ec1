//! A chart as a picture (SVG): lines of life with events beside them, and an arrow for each arrival of a frame.

use nacre_specification::members::name as member;

use super::chart::Chart;
use super::rows::{shortened, Row, Words};
use crate::run::Run;

/// The approximate width of a letter of an event, a frame and a detail in a picture, and the margin of a frame.
const EVENT: usize = 7;
const DETAIL: usize = 6;
const MARGIN: usize = 8;

/// The chart as a picture.
pub fn svg(run: &Run, title: &str, words: &Words) -> String {
    let chart = Chart::of(run, words);
    let mut picture = Picture::of(&chart, words);
    picture.draw_flights();
    picture.draw_rows();
    let mut y = picture.heights.last().copied().unwrap_or(70) + 40;
    let most = (picture.width() - 28) / EVENT;
    for (class, line) in chart.legend().into_iter().map(|words| ("frame", words)).chain([("why", run.why.as_str())]) {
        picture.put(Text { x: 14, y, anchor: "start", class, most }, line);
        y += 18;
    }
    page((picture.width(), y + 6), &picture.lives, title, &picture.body)
}

/// Where and how a text stands.
struct Text {
    x: usize,
    y: usize,
    anchor: &'static str,
    class: &'static str,
    /// The letters for which there is room.
    most: usize,
}

struct Picture<'a> {
    chart: &'a Chart,
    words: &'a Words<'a>,
    /// The room for text beside each line of life.
    rooms: Vec<usize>,
    lives: Vec<usize>,
    /// Of each row.
    heights: Vec<usize>,
    body: String,
}

impl<'a> Picture<'a> {
    fn of(chart: &'a Chart, words: &'a Words<'a>) -> Picture<'a> {
        let room = |end: usize| {
            let widths = chart.rows.iter().filter_map(|row| match row {
                Row::At(e, t) if *e == end => Some(EVENT * t.chars().count()),
                Row::Detail(e, t) if *e == end => Some(DETAIL * t.chars().count()),
                _ => None,
            });
            widths.max().unwrap_or(0).clamp(200, 600)
        };
        let between = chart.rows.iter().filter_map(|row| match row {
            Row::Sends(_, bytes) | Row::Arrives { bytes, .. } => Some((words.frame)(&bytes.0).chars().count()),
            Row::Network(t) => Some(t.chars().count()),
            _ => None,
        });
        let between = between.map(|letters| EVENT * letters + 2 * MARGIN).max().unwrap_or(0).clamp(420, 800);
        let rooms: Vec<usize> = chart.members.all().map(room).collect();
        // The words of an endpoint between two others stand in the gap on its right.
        let gap = |end: usize| between.max(if end > 0 { rooms[end] + 2 * MARGIN } else { 0 });
        let lives = chart.members.all().map(|end| 50 + rooms[0] + (0..end).map(gap).sum::<usize>()).collect();
        let heights = (0..chart.rows.len()).scan(70, |y, row| {
            *y += if chart.begun(row).is_some() { 26 } else { 18 };
            Some(*y)
        });
        let heights = heights.collect();
        Picture { chart, words, rooms, lives, heights, body: String::new() }
    }

    fn width(&self) -> usize {
        self.lives.iter().zip(&self.rooms).next_back().map_or(0, |(life, room)| life + 50 + room)
    }

    /// Text that does not fit is cut off; its tooltip is complete.
    fn put(&mut self, Text { x, y, anchor, class, most }: Text, text: &str) {
        let said = escaped(&shortened(text, most));
        let whole =
            if text.chars().count() > most { format!("<title>{}</title>", escaped(text)) } else { String::new() };
        self.body +=
            &format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" class=\"{class}\">{whole}{said}</text>\n");
    }

    fn draw_rows(&mut self) {
        let chart = self.chart;
        for (at, row) in chart.rows.iter().enumerate() {
            let y = self.heights[at];
            if let Some(step) = chart.begun(at) {
                self.put(Text { x: 14, y, anchor: "start", class: "number", most: usize::MAX }, &step.to_string());
            }
            match row {
                Row::At(end, t) => self.beside(*end, y, ("event", EVENT), t),
                Row::Detail(end, t) => self.beside(*end, y, ("detail", DETAIL), t),
                Row::Sends(end, bytes) => self.label(*end, y, &(self.words.frame)(&bytes.0)),
                Row::Arrives { end, bytes, .. } if chart.flights.arriving_in(at).is_none() => {
                    let gap = chart.gap_of(*end);
                    let middle = (self.lives[gap] + self.lives[gap + 1]) / 2;
                    self.label(*end, y, &(self.words.frame)(&bytes.0));
                    self.arrow((middle, y + 4), (self.lives[*end], y + 4), "arrow");
                    self.put(Text { x: middle, y: y + 8, anchor: "middle", class: "frame", most: 1 }, "◆");
                }
                Row::Arrives { .. } => {}
                Row::Network(t) => {
                    let (first, last) = (self.lives[0], self.lives[self.lives.len() - 1]);
                    let most = (last - first - 2 * MARGIN) / EVENT;
                    self.put(Text { x: (first + last) / 2, y, anchor: "middle", class: "network", most }, t);
                }
            }
        }
    }

    /// On the left of the line of life of the first endpoint, on the right of the others.
    fn beside(&mut self, end: usize, y: usize, (class, letter): (&'static str, usize), text: &str) {
        let life = self.lives[end];
        let (x, anchor) = if end == 0 { (life - MARGIN, "end") } else { (life + MARGIN, "start") };
        self.put(Text { x, y, anchor, class, most: self.rooms[end] / letter }, text);
    }

    /// A frame, in the gap into which it goes.
    fn label(&mut self, end: usize, y: usize, text: &str) {
        let (life, gap) = (self.lives[end], self.chart.gap_of(end));
        let (x, anchor) = if self.chart.is_last(end) { (life - MARGIN, "end") } else { (life + MARGIN, "start") };
        let most = (self.lives[gap + 1] - self.lives[gap] - 2 * MARGIN) / EVENT;
        self.put(Text { x, y, anchor, class: "frame", most }, text);
    }

    /// An arrow from each frame's sending to each of its arrivals, or to a cross.
    fn draw_flights(&mut self) {
        let chart = self.chart;
        for flight in &chart.flights.all {
            let (from, y) = (self.lives[flight.from], self.heights[flight.sent] + 4);
            for (number, row) in flight.arrivals.iter().enumerate() {
                let Row::Arrives { end, .. } = &chart.rows[*row] else { continue };
                let is_here = |row: &usize| matches!(&chart.rows[*row], Row::Arrives { end: at, .. } if at == end);
                let class = if flight.arrivals[..number].iter().any(is_here) { "arrow copy" } else { "arrow" };
                self.arrow((from, y), (self.lives[*end], self.heights[*row] + 4), class);
            }
            if flight.arrivals.is_empty() {
                let left = chart.is_last(flight.from);
                let (x, cross) = if left { (from - 90, from - 96) } else { (from + 90, from + 96) };
                self.line((from, y), (x, y + 8), "class=\"arrow\"");
                self.put(Text { x: cross, y: y + 13, anchor: "middle", class: "lost", most: 1 }, "×");
            }
        }
    }

    fn arrow(&mut self, from: (usize, usize), to: (usize, usize), class: &str) {
        self.line(from, to, &format!("class=\"{class}\" marker-end=\"url(#tip)\""));
    }

    fn line(&mut self, from: (usize, usize), to: (usize, usize), attributes: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.body += &format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {attributes}/>\n");
    }
}

/// The whole picture: a title, the line of each endpoint's life, and the body.
fn page((width, height): (usize, usize), lives: &[usize], title: &str, body: &str) -> String {
    let life = |(end, x): (usize, &usize)| {
        let name = member(end);
        format!(
            "<line x1=\"{x}\" y1=\"56\" x2=\"{x}\" y2=\"{}\" class=\"life\"/>\n\
             <text x=\"{x}\" y=\"48\" text-anchor=\"middle\" class=\"name\">{name}</text>\n",
            height - 48
        )
    };
    let drawn: String = lives.iter().enumerate().map(life).collect();
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
    .why { fill: #b00; font-weight: bold } .life { stroke: #999 } .arrow { stroke: #06c } \
    .copy { stroke-dasharray: 5 4 } .lost { fill: #b00; font-size: 16px }</style>\n\
    <defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
    orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#06c\"/></marker></defs>\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::rows::plain;
    use crate::run::{Changed, Hex, NetworkAction, NetworkValue, Output, RunStep, What};

    /// A step of an endpoint in which everything has long names.
    fn wide(end: usize, name: &str) -> RunStep {
        let bytes = Some(Hex(vec![0; 8]));
        RunStep {
            end: Some(end),
            what: What::Frame { from: None, bytes: Hex(vec![]) },
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
            let drawn = svg(&run, "title", &Words { frame: &|_| name.clone(), arguments: &plain, details: true });
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
                let room = if matches!(class, "frame" | "network" | "lost") && x > 14 {
                    lives[0]..lives[1]
                } else {
                    0..number(&drawn, "width")
                };
                assert!(room.contains(&from) && room.contains(&(from + wide)), "{length}: {room:?}: {line}");
            }
            let cut = format!("<title>{name}</title>");
            assert_eq!(drawn.contains(&cut), length == 400, "the tooltip of a shortened text is complete");
        }
    }
}
