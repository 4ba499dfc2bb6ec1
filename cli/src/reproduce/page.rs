//! One page with all tables and plots.

use super::table::{Cell, Plot, Table};

/// Pixels of a plot, of a bar with the space below it, and at the left for names.
const WIDTH: f64 = 640.0;
const BAR: f64 = 22.0;
const NAMES: f64 = 200.0;
/// Pixels of a plot of points, and around it for its axes.
const HEIGHT: f64 = 240.0;
const AXES: f64 = 48.0;

const STYLE: &str = "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ccc}\
td:first-child,th:first-child{text-align:left}p{color:#444}svg{margin:1em 0}";

/// The page, which refers to nothing else.
pub fn page(tables: &[Table], machine: &str) -> String {
    let sections: String = tables.iter().map(section).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Nacre and the papers</title>\n\
         <style>{STYLE}</style>\n<h1>Nacre and the papers</h1>\n<p>Measured on {}.</p>\n{sections}</html>\n",
        escaped(machine)
    )
}

fn section(table: &Table) -> String {
    let cells = |tag: &str, words: &mut dyn Iterator<Item = String>| {
        let all: String = words.map(|word| format!("<{tag}>{}</{tag}>", escaped(&word))).collect();
        format!("<tr>{all}</tr>\n")
    };
    let head = cells("th", &mut table.columns.iter().map(|column| column.to_string()));
    let rows: String = table.rows.iter().map(|row| cells("td", &mut row.iter().map(Cell::shown))).collect();
    format!(
        "<h2 id=\"{name}\">{}</h2>\n<p><code>nacre reproduce</code>, {name}<br>Theirs: {}<br>Ours: {}</p>\n\
         <table>\n{head}{rows}</table>\n{}",
        escaped(table.title),
        escaped(table.theirs),
        escaped(&table.ours),
        plot(table),
        name = table.name,
    )
}

fn plot(table: &Table) -> String {
    match table.plot {
        Plot::Bars(column) => bars(table, column),
        Plot::Points(across, up) => points(table, across, up),
    }
}

fn bars(table: &Table, column: usize) -> String {
    let most = table.rows.iter().filter_map(|row| row[column].number()).fold(0.0, f64::max);
    let mut drawn = String::new();
    let mut y = BAR;
    for row in &table.rows {
        let Some(number) = row[column].number() else { continue };
        let width = if most > 0.0 { number / most * (WIDTH - NAMES - 80.0) } else { 0.0 };
        drawn += &format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{NAMES}\" y=\"{y}\" width=\"{width:.1}\" \
             height=\"{}\" fill=\"#2a7\"/><text x=\"{:.1}\" y=\"{}\">{}</text>\n",
            NAMES - 8.0,
            y + BAR - 10.0,
            escaped(&row[0].shown()),
            BAR - 8.0,
            NAMES + width + 6.0,
            y + BAR - 10.0,
            escaped(&row[column].shown()),
        );
        y += BAR;
    }
    svg(y + 4.0, &format!("<text x=\"{NAMES}\" y=\"14\">{}</text>\n{drawn}", escaped(table.columns[column])))
}

fn points(table: &Table, across: usize, up: usize) -> String {
    let found: Vec<(f64, f64)> =
        table.rows.iter().filter_map(|row| Some((row[across].number()?, row[up].number()?))).collect();
    let most = |pick: fn(&(f64, f64)) -> f64| found.iter().map(pick).fold(0.0, f64::max).max(1e-9);
    let (right, top) = (most(|point| point.0), most(|point| point.1));
    let at =
        |(x, y): (f64, f64)| (AXES + x / right * (WIDTH - 2.0 * AXES), HEIGHT - AXES - y / top * (HEIGHT - 2.0 * AXES));
    let line: Vec<String> = found.iter().map(|point| format!("{:.1},{:.1}", at(*point).0, at(*point).1)).collect();
    let dots: String = found
        .iter()
        .map(|point| format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"#2a7\"/>", at(*point).0, at(*point).1))
        .collect();
    let floor = HEIGHT - AXES;
    svg(
        HEIGHT,
        &format!(
            "<path d=\"M{AXES} {AXES}V{floor}H{}\" stroke=\"#444\" fill=\"none\"/><polyline points=\"{}\" \
             stroke=\"#2a7\" fill=\"none\"/>{dots}<text x=\"{AXES}\" y=\"{}\">{}, up to {top:.0}</text><text x=\"{}\" \
             y=\"{}\" text-anchor=\"end\">{}, up to {right:.0}</text>\n",
            WIDTH - AXES,
            line.join(" "),
            AXES - 12.0,
            escaped(table.columns[up]),
            WIDTH - AXES,
            floor + 24.0,
            escaped(table.columns[across]),
        ),
    )
}

fn svg(height: f64, inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n{inner}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
