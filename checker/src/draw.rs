//! A run as a sequence chart: for a terminal ([`text()`]), and as a picture ([`svg()`]).

mod chart;
mod flights;
mod rows;
mod svg;
mod text;

pub use rows::Words;
pub use svg::svg;
pub use text::text;
