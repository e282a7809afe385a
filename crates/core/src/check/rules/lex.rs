//! Which words does a condition consist of? Text → tokens, each with its place; signs of logic and their English words are one.
//!
//! - [`Token`]: what it is. - [`Lexed`]: all of them with their byte offsets, or the first character that is none.

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    And,
    Or,
    Not,
    Exists,
    Where,
    Missing,
    Implies,
    In,
    Open,
    Close,
    OpenConfidence,
    CloseConfidence,
    Comma,
    Dot,
    Star,
    Equal,
    Unequal,
    Alike,
    Unlike,
    Less,
    LessEqual,
    More,
    MoreEqual,
    Name(String),
    Text(String),
    Number(f64),
}

pub type Lexed = Vec<(Token, usize)>;

/// What is written as a sign, longest first.
const SIGNS: [(&str, Token); 32] = [
    ("=>", Token::Implies),
    ("->", Token::Implies),
    ("⇒", Token::Implies),
    ("→", Token::Implies),
    ("!=", Token::Unequal),
    ("<>", Token::Unequal),
    ("≠", Token::Unequal),
    ("!~", Token::Unlike),
    ("≉", Token::Unlike),
    ("<=", Token::LessEqual),
    ("≤", Token::LessEqual),
    (">=", Token::MoreEqual),
    ("≥", Token::MoreEqual),
    ("&&", Token::And),
    ("∧", Token::And),
    ("||", Token::Or),
    ("∨", Token::Or),
    ("¬", Token::Not),
    ("∃", Token::Exists),
    ("∈", Token::In),
    ("≈", Token::Alike),
    ("==", Token::Equal),
    ("=", Token::Equal),
    ("~", Token::Alike),
    ("<", Token::Less),
    (">", Token::More),
    ("(", Token::Open),
    (")", Token::Close),
    ("[", Token::OpenConfidence),
    ("]", Token::CloseConfidence),
    (",", Token::Comma),
    ("*", Token::Star),
];

const WORDS: [(&str, Token); 7] = [
    ("and", Token::And),
    ("or", Token::Or),
    ("not", Token::Not),
    ("exists", Token::Exists),
    ("where", Token::Where),
    ("missing", Token::Missing),
    ("in", Token::In),
];

/// The tokens, or the offset of what cannot be one and why.
pub fn lex(text: &str) -> Result<Lexed, (usize, String)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, end) = token(text, at, c)?;
        tokens.push((token, at));
        at = end;
    }
    Ok(tokens)
}

fn token(text: &str, at: usize, c: char) -> Result<(Token, usize), (usize, String)> {
    let rest = &text[at..];
    if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Ok((token.clone(), at + sign.len()));
    }
    match c {
        '.' => Ok((Token::Dot, at + 1)),
        '"' | '\'' => quoted(rest, c)
            .map(|(inner, length)| (Token::Text(inner), at + length))
            .ok_or_else(|| (at, "a text begins here and does not end: close it with the same sign".to_owned())),
        _ if c.is_ascii_digit() => number(rest, at),
        _ if c.is_alphabetic() || c == '_' => {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = &rest[..length];
            let known = WORDS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
            Ok((known.map_or_else(|| Token::Name(word.to_owned()), |(_, token)| token.clone()), at + length))
        }
        _ => Err((at, format!("`{c}` means nothing here"))),
    }
}

/// Without its signs, and the length with them.
fn quoted(rest: &str, sign: char) -> Option<(String, usize)> {
    let inner = &rest[1..];
    let end = inner.find(sign)?;
    Some((inner[..end].to_owned(), end + 2))
}

/// A number; `2026-01-31` is a text, because dates are compared as such.
fn number(rest: &str, at: usize) -> Result<(Token, usize), (usize, String)> {
    let length = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let written = rest[..length].trim_end_matches(['.', '-']);
    let end = at + written.len();
    if written.contains('-') {
        return Ok((Token::Text(written.to_owned()), end));
    }
    written.parse().map(|number| (Token::Number(number), end)).map_err(|_| (at, format!("`{written}` is no number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        lex(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn signs_and_words_are_the_same_tokens() {
        assert_eq!(tokens("¬∃S(E.a≠S.a∧E.b≈\"x\")"), tokens("not exists S ( E.a != S.a and E.b ~ 'x' )"));
        assert_eq!(tokens("E.p <= 2.50 OR E.d ≥ 2026-01-31").len(), 11);
    }

    #[test]
    fn what_is_no_token_is_told_with_its_place() {
        assert_eq!(lex("E.a = %").unwrap_err().0, 6);
        assert_eq!(lex("E.a = 'x").unwrap_err().0, 6);
    }
}
