//! The words of the text.

/// A word and its line.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: TokenKind,
    pub line: u32,
    /// At the very beginning of its line: there an item begins.
    pub first: bool,
}

/// The lexical classes of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    Word(String),
    /// In quotes.
    Text(String),
    Number(u64),
    Sign(char),
    End,
}

/// All tokens, `End` last; or the line that cannot be read, and why.
pub fn tokens(text: &str) -> Result<Vec<Token>, (u32, String)> {
    let mut rest = text.chars().peekable();
    let (mut line, mut found, mut first) = (1, vec![], true);
    while let Some(c) = rest.next() {
        let begins = std::mem::replace(&mut first, c == '\n');
        let kind = match c {
            '\n' => {
                line += 1;
                continue;
            }
            c if c.is_whitespace() => continue,
            // A comment, to the end of its line.
            '/' if rest.peek() == Some(&'/') => {
                while rest.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            '"' => TokenKind::Text(string(&mut rest).ok_or((line, "a text does not end".to_string()))?),
            c if c.is_ascii_digit() => {
                let mut number = c.to_string();
                while let Some(d) = rest.next_if(char::is_ascii_digit) {
                    number.push(d);
                }
                TokenKind::Number(number.parse().map_err(|_| (line, format!("{number} is too large")))?)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let mut word = c.to_string();
                while let Some(d) = rest.next_if(|d| d.is_ascii_alphanumeric() || *d == '_' || *d == '.') {
                    word.push(d);
                }
                TokenKind::Word(word)
            }
            c => TokenKind::Sign(c),
        };
        found.push(Token { kind, line, first: begins });
    }
    found.push(Token { kind: TokenKind::End, line, first: true });
    Ok(found)
}

/// The rest of a text in quotes, as Rust writes them with `{:?}`.
fn string(rest: &mut std::iter::Peekable<std::str::Chars>) -> Option<String> {
    let mut text = String::new();
    loop {
        match rest.next()? {
            '"' => return Some(text),
            '\\' => text.push(match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'u' => {
                    rest.next_if_eq(&'{')?;
                    let mut code = 0u32;
                    while let Some(digit) = rest.next_if(char::is_ascii_hexdigit) {
                        code = code.checked_mul(16)? + digit.to_digit(16)?;
                    }
                    rest.next_if_eq(&'}')?;
                    char::from_u32(code)?
                }
                c => c,
            }),
            c => text.push(c),
        }
    }
}
