//! The tokens of functions as gcc prints them after parsing (`-fdump-tree-original`).

/// A function and the tokens of its body.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub tokens: Vec<Token>,
}

/// A word, sign or constant.
#[derive(Debug, PartialEq)]
pub enum Token {
    Word(String),
    Sign(&'static str),
    /// A number or a string.
    Constant,
}

/// Longer signs come first.
const SIGNS: [&str; 46] = [
    "<<<", ">>>", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "(", ")", "[", "]", "{", "}", ";", ",", ":", "?", "=", "+", "-", "*", "/", "%", "<",
    ">", "&", "|", "^", "!", "~",
];

const TITLE: &str = ";; Function ";

/// The functions of a dump.
pub fn functions(text: &str) -> Vec<Function> {
    let mut parts = text.split(TITLE);
    parts.next();
    let function = |part: &str| {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        let name = title.split_whitespace().next().unwrap_or_default().to_string();
        let body = body.lines().filter(|line| !line.starts_with(";;") && !line.trim_start().starts_with("//"));
        Function { name, tokens: tokens(&body.collect::<Vec<&str>>().join("\n")) }
    };
    parts.map(function).collect()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
        let length = if first.is_ascii_digit() {
            found.push(Token::Constant);
            rest.find(|c: char| !is_of_word(c) && c != '.').unwrap_or(rest.len())
        } else if is_of_word(first) {
            let length = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
            found.push(Token::Word(rest[..length].to_string()));
            length
        } else if first == '"' || first == '\'' {
            found.push(Token::Constant);
            quoted(rest, first)
        } else if first == '.' {
            found.push(Token::Sign("."));
            1
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            found.push(Token::Sign(sign));
            sign.len()
        } else {
            first.len_utf8()
        };
        rest = rest[length..].trim_start();
    }
    found
}

/// The length of a string or character with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
