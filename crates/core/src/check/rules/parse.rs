//! How is a condition put together? Tokens → [`Formula`], or what is wrong and where.
//!
//! ```text
//! sentence  = condition [ "⇒" [ "E" "∈" ] name [ "[" number [ "," number ] "]" ] ]
//! condition = conjunction { "or" conjunction }
//! conjunction = part { "and" part }
//! part      = "not" part | "exists" "S" ( "where" condition | "(" condition ")" ) | "missing" place | "(" condition ")" | comparison
//! comparison = term ( "=" | "≠" | "~" | "!~" | "<" | "≤" | ">" | "≥" ) term
//! term      = place | number [ "*" place ] | text          place = ( "E" | "S" ) "." ( name | text )
//! ```
//!
//! - [`sentence`]: the parser. - [`Parsed`]: condition, and the conclusion and confidence if they stand there too. - [`Wrong`]: offset and reason.

use super::formula::{At, Atom, Formula, Place, Relation, Side, Term};
use super::lex::{Lexed, Token, lex};

/// Parentheses and negations inside each other: deeper ones are no condition that somebody reads.
const DEEPEST: usize = 40;

#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub condition: Formula,
    pub conclusion: Option<String>,
    /// From, to.
    pub confidence: Option<(f64, f64)>,
}

/// What is wrong, at which byte of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub offset: usize,
    pub reason: String,
}

/// `place`: where in the file a byte of the text stands.
pub fn sentence(text: &str, place: &dyn Fn(usize) -> At) -> Result<Parsed, Wrong> {
    let tokens = lex(text).map_err(|(offset, reason)| Wrong { offset, reason })?;
    let mut parser = Parser { tokens, next: 0, end: text.trim_end().len(), depth: 0, place };
    let condition = parser.condition()?;
    let (conclusion, confidence) = if parser.take(&Token::Implies) { parser.conclusion()? } else { (None, None) };
    match parser.peek() {
        None => Ok(Parsed { condition, conclusion, confidence }),
        Some(_) => Err(parser.wrong("the condition is complete before this: join conditions by `and` or `or`")),
    }
}

struct Parser<'p> {
    tokens: Lexed,
    next: usize,
    end: usize,
    depth: usize,
    place: &'p dyn Fn(usize) -> At,
}

type Heard<T> = Result<T, Wrong>;

/// Conclusion and confidence.
type Concluded = (Option<String>, Option<(f64, f64)>);

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn offset(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(_, offset)| *offset)
    }

    fn wrong(&self, reason: impl Into<String>) -> Wrong {
        Wrong { offset: self.offset(), reason: reason.into() }
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.next += usize::from(found);
        found
    }

    fn need(&mut self, token: &Token, reason: &str) -> Heard<()> {
        if self.take(token) { Ok(()) } else { Err(self.wrong(reason)) }
    }

    fn condition(&mut self) -> Heard<Formula> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("the condition is nested too deeply: split the rule"));
        }
        let formula =
            self.joined(&Token::Or, Formula::Or, |parser| parser.joined(&Token::And, Formula::And, Self::part));
        self.depth -= 1;
        formula
    }

    fn joined(
        &mut self,
        by: &Token,
        join: fn(Vec<Formula>) -> Formula,
        part: impl Fn(&mut Self) -> Heard<Formula>,
    ) -> Heard<Formula> {
        let first = part(self)?;
        if self.peek() != Some(by) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take(by) {
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn part(&mut self) -> Heard<Formula> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("the condition is nested too deeply: split the rule"));
        }
        let part = if self.take(&Token::Not) {
            self.part().map(|inner| Formula::Not(Box::new(inner)))
        } else if self.take(&Token::Exists) {
            self.exists()
        } else if self.take(&Token::Missing) {
            self.missing()
        } else if self.take(&Token::Open) {
            self.closed()
        } else {
            self.comparison()
        };
        self.depth -= 1;
        part
    }

    fn closed(&mut self) -> Heard<Formula> {
        let inner = self.condition()?;
        self.need(&Token::Close, "a closing parenthesis is missing here")?;
        Ok(inner)
    }

    fn exists(&mut self) -> Heard<Formula> {
        match self.peek() {
            Some(Token::Name(name)) if name == "S" => self.next += 1,
            _ => return Err(self.wrong("`exists` asks for a row: write `exists S where ...`")),
        }
        let inner = if self.take(&Token::Where) {
            self.condition()?
        } else if self.take(&Token::Open) {
            self.closed()?
        } else {
            return Err(self.wrong("write `exists S where ...` or `exists S ( ... )`"));
        };
        Ok(Formula::Exists(Box::new(inner)))
    }

    fn missing(&mut self) -> Heard<Formula> {
        let open = self.take(&Token::Open);
        let place = self.place()?;
        if open {
            self.need(&Token::Close, "a closing parenthesis is missing here")?;
        }
        Ok(Formula::Atom(Atom::Missing(place)))
    }

    fn comparison(&mut self) -> Heard<Formula> {
        let left = self.term()?;
        let (relation, negated) = match self.peek() {
            Some(Token::Equal) => (Relation::Equal, false),
            Some(Token::Unequal) => (Relation::Equal, true),
            Some(Token::Alike) => (Relation::Alike, false),
            Some(Token::Unlike) => (Relation::Alike, true),
            Some(Token::Less) => (Relation::Less, false),
            Some(Token::LessEqual) => (Relation::LessEqual, false),
            Some(Token::More) => (Relation::More, false),
            Some(Token::MoreEqual) => (Relation::MoreEqual, false),
            _ => return Err(self.wrong("a comparison is missing here: =, ≠, ~, !~, <, <=, > or >=")),
        };
        let at = self.next;
        self.next += 1;
        let right = self.term()?;
        if left.place().is_none() && right.place().is_none() {
            self.next = at;
            return Err(self.wrong("neither side is of the page or of a row: write `E.name` or `S.name`"));
        }
        let atom = Formula::Atom(Atom::Compare { left, relation, right });
        Ok(if negated { Formula::Not(Box::new(atom)) } else { atom })
    }

    fn term(&mut self) -> Heard<Term> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.next += 1;
                Ok(Term::Text(text))
            }
            Some(Token::Number(number)) => {
                let number = *number;
                self.next += 1;
                if self.take(&Token::Star) { Ok(Term::Times(number, self.place()?)) } else { Ok(Term::Number(number)) }
            }
            _ => self.place().map(Term::Place),
        }
    }

    fn place(&mut self) -> Heard<Place> {
        let at = (self.place)(self.offset());
        let side = match self.peek() {
            Some(Token::Name(name)) if name == "E" => Side::Record,
            Some(Token::Name(name)) if name == "S" => Side::Row,
            Some(Token::Name(name)) => {
                let name = name.clone();
                return Err(self.wrong(format!("`{name}` is neither E nor S: write `E.{name}` for what the page says, `S.{name}` for what a row says, or \"{name}\" for a text")));
            }
            _ => return Err(self.wrong("something to compare is missing here: `E.name`, `S.name`, a number or a text")),
        };
        self.next += 1;
        self.need(&Token::Dot, "the name of an attribute is missing: write `E.name`")?;
        let name = match self.tokens.get(self.next) {
            Some((Token::Name(name) | Token::Text(name), _)) => name.clone(),
            // Words of the language may be names too.
            Some((Token::In, _)) => "in".to_owned(),
            _ => return Err(self.wrong("the name of an attribute is missing: write `E.name`")),
        };
        self.next += 1;
        Ok(Place { side, name, at })
    }

    fn conclusion(&mut self) -> Heard<Concluded> {
        let of_record = matches!(self.peek(), Some(Token::Name(name)) if name == "E");
        if of_record {
            self.next += 1;
            self.need(&Token::In, "write `E ∈ Conclusion` or `E in Conclusion`")?;
        }
        let name = match self.peek() {
            Some(Token::Name(name) | Token::Text(name)) => name.clone(),
            _ => return Err(self.wrong("the conclusion is missing: write `⇒ E ∈ Unapproved`")),
        };
        self.next += 1;
        let confidence = if self.take(&Token::OpenConfidence) { Some(self.confidence()?) } else { None };
        Ok((Some(name), confidence))
    }

    fn confidence(&mut self) -> Heard<(f64, f64)> {
        let from = self.number()?;
        let to = if self.take(&Token::Comma) { self.number()? } else { from };
        self.need(&Token::CloseConfidence, "the confidence ends with `]`")?;
        Ok((from, to))
    }

    fn number(&mut self) -> Heard<f64> {
        match self.peek() {
            Some(Token::Number(number)) => {
                let number = *number;
                self.next += 1;
                Ok(number)
            }
            _ => Err(self.wrong("a confidence is a number, such as [0.90]")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Parsed, Wrong> {
        sentence(text, &|offset| At { line: 1, column: offset + 1 })
    }

    #[test]
    fn the_rules_of_the_paper_are_read_as_they_are_written() {
        let r1 = parsed("¬∃S( E.authenticationCode = S.authenticationCode ) ⇒ E ∈ Unapproved [0.90]").unwrap();
        assert_eq!((r1.conclusion.as_deref(), r1.confidence), (Some("Unapproved"), Some((0.9, 0.9))));
        assert_eq!(
            r1.condition,
            parsed("not exists S where E.authenticationCode = S.authenticationCode").unwrap().condition
        );
        let r2 = parsed(
            "( E.proprietaryName = S.proprietaryName ∨ E.genericName = S.genericName ) ∧ \
             E.authenticationCode = S.authenticationCode ∧ E.manufacturer ≠ S.manufacturer ⇒ E ∈ Counterfeit [0.85]",
        );
        let Formula::And(parts) = r2.unwrap().condition else { panic!("a conjunction") };
        assert!(matches!(&parts[..], [Formula::Or(names), Formula::Atom(_), Formula::Not(_)] if names.len() == 2));
    }

    #[test]
    fn and_binds_tighter_than_or_and_where_takes_the_rest() {
        let Formula::Or(parts) = parsed("E.a = 1 and E.b = 2 or not E.c = 3").unwrap().condition else { panic!("or") };
        assert!(matches!(&parts[..], [Formula::And(_), Formula::Not(_)]));
        assert!(matches!(parsed("exists S where E.a = S.a and E.b = S.b").unwrap().condition, Formula::Exists(_)));
        assert!(matches!(parsed("exists S (E.a = S.a) and E.b = 1").unwrap().condition, Formula::And(_)));
        assert!(matches!(parsed("missing(E.a) or missing E.'b c'").unwrap().condition, Formula::Or(_)));
    }

    #[test]
    fn what_is_wrong_is_told_where_it_stands() {
        for (text, offset, word) in [
            ("E.a = ", 5, "missing"),
            ("E.a S.a", 4, "comparison"),
            ("name = S.a", 0, "`E.name`"),
            ("exists E.a = 1", 7, "exists S"),
            ("(E.a = 1", 8, "parenthesis"),
            ("E.a = 1 E.b = 2", 8, "and"),
            ("E.a = 1 => E of X", 13, "∈"),
            ("1 = 2", 2, "neither"),
        ] {
            let wrong = parsed(text).unwrap_err();
            assert!(wrong.offset == offset && wrong.reason.contains(word), "{text}: {wrong:?}");
        }
        assert!(parsed(&"(".repeat(10_000)).is_err() && parsed(&"not ".repeat(10_000)).is_err());
    }
}
