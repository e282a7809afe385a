//! What tells the user from everybody else? Random words made at the start: token, session, CSRF token.
//!
//! - [`Secrets`]: all three. The token stands in the address that is printed; whoever opens it gets the session as a cookie, and the
//!   pages carry the CSRF token. Programs send the token as `Authorization: Bearer`.

/// Bytes of each: as many as nobody guesses.
const BYTES: usize = 32;

#[derive(Clone)]
pub struct Secrets {
    token: String,
    session: String,
    csrf: String,
}

impl Secrets {
    /// New ones from the system's source of randomness.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self { token: word()?, session: word()?, csrf: word()? })
    }

    /// To be shown to the user once.
    pub fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn csrf(&self) -> &str {
        &self.csrf
    }

    /// For the cookie.
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    pub(super) fn is_token(&self, given: &str) -> bool {
        same(&self.token, given)
    }

    pub(super) fn is_session(&self, given: &str) -> bool {
        same(&self.session, given)
    }

    pub(super) fn is_csrf(&self, given: &str) -> bool {
        same(&self.csrf, given)
    }
}

pub(super) fn word() -> std::io::Result<String> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// In the same time wherever they differ.
pub(super) fn same(known: &str, given: &str) -> bool {
    let differ = known.bytes().zip(given.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
    known.len() == given.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_never_the_same() {
        let (one, other) = (Secrets::new().unwrap(), Secrets::new().unwrap());
        assert_eq!(one.token().len(), 2 * BYTES);
        assert!(one.token() != other.token() && one.token() != one.csrf() && one.csrf() != one.session());
        assert!(one.is_token(one.token()) && !one.is_token(other.token()) && !one.is_token(""));
        assert!(!one.is_token(&one.token()[1..]));
    }
}
