//! `nacre library`: the layers and stacks that come with the program.

use crate::args::projects::Library;
use crate::console::{complain, print, Exit};
use nacre_driver::library;

/// Runs `nacre library`.
pub fn library(args: &Library) -> Exit {
    let Some(wanted) = &args.file else {
        print(&list());
        return Exit::Yes;
    };
    let path =
        if wanted.starts_with(library::PREFIX) { wanted.clone() } else { format!("{}{wanted}", library::PREFIX) };
    match library::find(&path) {
        Some((_, text)) => {
            print(text.trim_end());
            Exit::Yes
        }
        None => {
            complain(&format!("the library has no `{path}`; `nacre library` lists what it has"));
            Exit::No
        }
    }
}

/// A line for each file that is imported: how, and what its first sentence says.
fn list() -> String {
    let listed: Vec<(String, &str)> = library::listed().collect();
    let width = listed.iter().map(|(path, _)| path.len()).max().unwrap_or(0);
    let line = |(path, text): &(String, &str)| format!("{path:width$}  {}", purpose(text));
    listed.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The first sentence of the comment at the head of a file.
fn purpose(text: &str) -> String {
    let words: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
    let words = words.join(" ");
    let ends = |at: &usize| words[at + 2..].starts_with(char::is_uppercase);
    let end = words.match_indices(". ").map(|(at, _)| at).find(ends).unwrap_or(words.len());
    words[..end].trim_end_matches('.').to_string()
}
