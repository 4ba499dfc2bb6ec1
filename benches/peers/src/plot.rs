//! Plots as SVG, in the manner of `nacre reproduce --html`.

/// Pixels.
const WIDTH: f64 = 760.0;
const BAR: f64 = 22.0;
const NAMES: f64 = 200.0;
const PANEL: f64 = 230.0;
const HEIGHT: f64 = 300.0;
const AXES: f64 = 44.0;

/// Colours of lines: ours are solid and thick, others thin.
const OURS: [&str; 5] = ["#0a7", "#063", "#5c2", "#096", "#2a7"];
const OTHERS: [&str; 7] = ["#c33", "#36c", "#69d", "#c80", "#939", "#777", "#000"];

/// A named value of a peer.
pub struct Bar {
    pub name: String,
    pub value: f64,
    pub shown: String,
    pub ours: bool,
}

/// Horizontal bars, one below the other.
pub fn bars(title: &str, all: &[Bar]) -> String {
    let most = all.iter().map(|bar| bar.value).fold(0.0, f64::max).max(1e-12);
    let mut drawn = format!("<text x=\"{NAMES}\" y=\"16\" font-weight=\"bold\">{}</text>\n", escaped(title));
    let mut y = BAR + 4.0;
    for bar in all {
        let width = bar.value / most * (WIDTH - NAMES - 190.0);
        let colour = if bar.ours { "#2a7" } else { "#89a" };
        drawn += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{NAMES}\" y=\"{y}\" width=\"{width:.1}\" height=\"{}\" fill=\"{colour}\"/>\
             <text x=\"{:.1}\" y=\"{}\">{}</text>\n",
            NAMES - 8.0,
            y + BAR - 10.0,
            escaped(&bar.name),
            BAR - 8.0,
            NAMES + width + 6.0,
            y + BAR - 10.0,
            escaped(&bar.shown),
        );
        y += BAR;
    }
    svg(y + 4.0, &drawn)
}

/// A line of a panel: the values of a peer at the places of the x axis.
pub struct Line {
    pub name: String,
    pub ours: bool,
    /// By panel, then by place.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Panels side by side with a logarithmic axis up, and a legend.
pub fn panels(title: &str, panels: &[String], places: &[&str], lines: &[Line]) -> String {
    let values = || lines.iter().flat_map(|line| line.values.iter().flatten().flatten().copied());
    let finite = || values().filter(|value| value.is_finite() && *value > 0.0);
    let low = finite().fold(f64::MAX, f64::min).log10().floor();
    let high = finite().fold(f64::MIN, f64::max).log10().ceil().max(low + 1.0);
    let up = |value: f64| HEIGHT - AXES - (value.log10() - low) / (high - low) * (HEIGHT - AXES - 50.0);
    let mut drawn = format!("<text x=\"10\" y=\"16\" font-weight=\"bold\">{}</text>\n", escaped(title));
    for (n, name) in panels.iter().enumerate() {
        let left = AXES + n as f64 * (PANEL + 10.0);
        let across = |place: usize| left + 14.0 + place as f64 * (PANEL - 40.0) / (places.len().max(2) - 1) as f64;
        drawn += &frame(left, name, (low, high), &up);
        for (place, text) in places.iter().enumerate() {
            let (x, y) = (across(place), HEIGHT - AXES + 16.0);
            drawn += &format!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>\n", escaped(text));
        }
        for (line, colour) in lines.iter().zip(colours(lines)) {
            let points = line.values[n].iter().enumerate();
            let found = points.filter_map(|(place, value)| Some((across(place), up(value.filter(|v| *v > 0.0)?))));
            let text: Vec<String> = found.map(|(x, y)| format!("{x:.1},{:.1}", y.clamp(40.0, HEIGHT))).collect();
            let width = if line.ours { 3 } else { 1 };
            let points = text.join(" ");
            drawn += &format!(
                "<polyline points=\"{points}\" stroke=\"{colour}\" stroke-width=\"{width}\" fill=\"none\"/>\n"
            );
        }
    }
    let legend = legend(lines);
    svg(HEIGHT + 18.0 * lines.len().div_ceil(4) as f64 + 8.0, &(drawn + &legend))
}

/// The axes of a panel, with a line for each power of ten.
fn frame(left: f64, name: &str, (low, high): (f64, f64), up: &dyn Fn(f64) -> f64) -> String {
    let mut drawn = format!("<text x=\"{}\" y=\"38\">{}</text>\n", left + 4.0, escaped(name));
    for power in low as i32..=high as i32 {
        let (y, right) = (up(10f64.powi(power)), left + PANEL - 12.0);
        drawn += &format!("<path d=\"M{left} {y:.1}H{right}\" stroke=\"#ddd\"/>");
        let text = if power >= 0 { format!("{:.0}", 10f64.powi(power)) } else { format!("{}", 10f64.powi(power)) };
        if left < AXES + 1.0 {
            drawn += &format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>\n", left - 4.0, y + 4.0);
        }
    }
    drawn
}

/// A colour for each line.
fn colours(lines: &[Line]) -> Vec<&'static str> {
    let (mut ours, mut others) = (OURS.iter().cycle(), OTHERS.iter().cycle());
    lines.iter().map(|line| *if line.ours { ours.next() } else { others.next() }.expect("cycles do not end")).collect()
}

fn legend(lines: &[Line]) -> String {
    let each = lines.iter().zip(colours(lines)).enumerate().map(|(n, (line, colour))| {
        let (x, y) = (AXES + (n % 4) as f64 * 178.0, HEIGHT + 4.0 + (n / 4) as f64 * 18.0);
        format!(
            "<rect x=\"{x}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"{y}\">{}</text>\n",
            y - 6.0,
            x + 18.0,
            escaped(&line.name)
        )
    });
    each.collect()
}

fn svg(height: f64, inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{inner}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
