#!/usr/bin/env python3
"""Builds the book: stages docs/ and what it links to, and renders it by mkdocs. Usage: tools/book.py [FOLDER]

FOLDER is the folder of build results (default: target). The staged tree in FOLDER/book-source has the paths of the
checkout, so relative links work as they do there. A link to a folder becomes one to its README.md; a folder without one
gets a list of its files. A link to a file that does not exist is an error, as is any warning of mkdocs (--strict).
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
ITEM = r"(?:[-*]|\d+\.) "
FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)


def page_of(folder):
    """The page of a folder, and its text if the folder has none."""
    page = folder / "README.md"
    if page.exists():
        return page, None
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    lines = [f"- [{path.name}]({path.name})" for path in files]
    return page, "\n".join([f"# {folder.relative_to(ROOT)}", "", *lines, ""])


def lists_for_mkdocs(text):
    """GitHub takes two or three spaces in front of what belongs to an item, and lists without a blank line in front of
    them; mkdocs needs four spaces, and the blank line."""
    text = re.sub(r"^ {2,3}(?=\S)", "    ", text, flags=re.MULTILINE)
    text = re.sub(r"^ {5,7}(?=\S)", "        ", text, flags=re.MULTILINE)
    return re.sub(rf"^((?!{ITEM}|[ |#>\n]).+\n)(?={ITEM})", r"\1\n", text, flags=re.MULTILINE)


class Stage:
    def __init__(self, source):
        self.source = source
        self.waiting = []
        self.seen = set()

    def add(self, path, text=None):
        """Stages a file of the checkout, once; the pages that it links to follow."""
        if path in self.seen:
            return
        self.seen.add(path)
        self.waiting.append((path, text))

    def run(self):
        while self.waiting:
            path, text = self.waiting.pop()
            staged = self.source / path.relative_to(ROOT)
            staged.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".md":
                staged.write_text(self.linked(path, text or path.read_text()))
            else:
                shutil.copyfile(path, staged)

    def linked(self, page, text):
        """The text of a page with links to files only. Blocks of code have no links."""
        parts = FENCE.split(text)
        parts[::2] = [LINK.sub(lambda found: self.link(page, found), lists_for_mkdocs(part)) for part in parts[::2]]
        return "".join(parts)

    def link(self, page, found):
        before, link, anchor, after = found.groups()
        if re.match(r"[a-z]+:", link):
            return found.group()
        target = Path(os.path.normpath(page.parent / link))
        text = None
        if target.is_dir():
            target, text = page_of(target)
        elif not target.exists():
            sys.exit(f"error: {page.relative_to(ROOT)} links to {link}, which does not exist")
        self.add(target, text)
        return f"{before}{os.path.relpath(target, page.parent)}{anchor or ''}{after}"


def main():
    results = Path(sys.argv[1] if len(sys.argv) > 1 else "target").absolute()
    source = results / "book-source"
    shutil.rmtree(source, ignore_errors=True)
    stage = Stage(source)
    for page in ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"]:
        stage.add(ROOT / page)
    for page in sorted((ROOT / "docs").rglob("*.md")):
        stage.add(page)
    stage.run()
    arguments = ["mkdocs", "build", "--strict", "--config-file", ROOT / "mkdocs.yml", "--site-dir", results / "book"]
    built = subprocess.run(arguments, env={**os.environ, "BOOK_SOURCE": str(source)})
    sys.exit(built.returncode)


if __name__ == "__main__":
    main()
