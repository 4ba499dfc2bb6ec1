//! Links of documents lead to files and headings that exist; the book has all pages of docs/, and mkdocs builds it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use nacre_tests::{files, root};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a document outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// The anchor of a heading on GitHub. That of mkdocs is the same, unless two spaces or hyphens follow one another.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let words: String = heading.to_lowercase().chars().filter(kept).collect();
    words.trim().replace(' ', "-")
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

/// The targets of links and pictures of a document.
fn links(text: &str) -> Vec<String> {
    let text = prose(text).collect::<Vec<_>>().join("\n");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    links.map(|(link, _)| link.to_string()).filter(|link| !link.contains("://") && !link.contains(' ')).collect()
}

fn documents() -> Vec<PathBuf> {
    files(&root(), ".md").into_iter().filter(|path| !path.display().to_string().contains("/node_modules/")).collect()
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let (mut seen, mut wrong) = (0, vec![]);
    for document in documents() {
        let text = read(&document);
        for link in links(&text) {
            let (path, heading) = link.split_once('#').map_or((link.as_str(), None), |(path, h)| (path, Some(h)));
            let target = document.parent().expect("a folder").join(path);
            let target = if path.is_empty() { document.clone() } else { target };
            seen += 1;
            let leads = match heading {
                _ if !target.exists() => false,
                Some(heading) if target.is_file() => anchors(&read(&target)).contains(heading),
                Some(_) => false,
                None => true,
            };
            if !leads {
                wrong.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(seen > 200, "only {seen} links were found");
}

#[test]
fn every_page_is_in_the_navigation() {
    let navigation = read(&root().join("mkdocs.yml"));
    let pages = files(&root().join("docs"), ".md").into_iter().chain(files(&root().join("layers"), ".md"));
    for page in pages {
        let page = page.strip_prefix(root()).expect("below the root").display().to_string();
        let entries = navigation.lines().filter(|line| line.ends_with(&format!(": {page}"))).count();
        assert_eq!(entries, 1, "mkdocs.yml names {page}");
    }
}

/// The values of an attribute in a page of the book.
fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn book_is_built_and_its_links_lead_somewhere() {
    if !Command::new("mkdocs").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("the book is not built: mkdocs is missing (`make book` installs it)");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let built = Command::new(root().join("tools/book.py")).arg(folder.path()).output().expect("it starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut seen = 0;
    // The page for pages that are not found has absolute links, for a server.
    for path in files(&folder.path().join("book"), ".html").into_iter().filter(|path| !path.ends_with("404.html")) {
        let page = read(&path);
        for link in attributes(&page, "href").into_iter().filter(|link| !link.contains(':')) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = path.parent().expect("a folder").join(file);
            let target = if file.is_empty() { path.clone() } else { target };
            assert!(target.is_file() || file == ".", "{}: {link}", path.display());
            let there = heading.is_empty() || attributes(&read(&target), "id").contains(&heading);
            assert!(there, "{}: {link}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 1000, "only {seen} links were found");
}
