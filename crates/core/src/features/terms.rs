//! The terms of an address: sub-tokens with the place of their token, and the number of tokens
//! (SSUP 2014 definition 7, SSUP 2019 definition 4.1).

use percent_encoding::percent_decode_str;
use rustc_hash::FxHashMap;

/// The terms of an address, in order, without repeats: `pos{i}_{sub-token}` and `size_{n}`.
pub fn url_terms(url: &str) -> Vec<String> {
    let address = plain(url);
    let mut terms = Vec::new();
    let mut size = 0;
    for (place, token) in address.split(['/', '?', '&']).filter(|token| !token.is_empty()).enumerate() {
        size = place + 1;
        for sub_token in sub_tokens(token) {
            let term = format!("pos{size}_{sub_token}");
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
    }
    terms.push(format!("size_{size}"));
    terms
}

/// Without scheme and fragment, the host in lower case, percent-decoded.
fn plain(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or("");
    let host = rest.find(['/', '?']).unwrap_or(rest.len());
    let decoded = percent_decode_str(&rest[host..]).decode_utf8_lossy();
    format!("{}{decoded}", rest[..host].to_lowercase())
}

/// Runs of letters and runs of digits.
fn sub_tokens(token: &str) -> impl Iterator<Item = &str> {
    let runs = |word: &str| -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut last = None;
        for (at, character) in word.char_indices() {
            let digit = character.is_numeric();
            match runs.last_mut() {
                Some(run) if last == Some(digit) => run.1 = at + character.len_utf8(),
                _ => runs.push((at, at + character.len_utf8())),
            }
            last = Some(digit);
        }
        runs
    };
    token
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .flat_map(move |word| runs(word).into_iter().map(move |(start, end)| &word[start..end]))
}

/// Gives terms numbers.
#[derive(Debug, Clone, Default)]
pub struct TermTable {
    ids: FxHashMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
}

impl TermTable {
    pub fn id(&mut self, term: &str) -> u32 {
        if let Some(&id) = self.ids.get(term) {
            return id;
        }
        let id = self.terms.len() as u32;
        self.ids.insert(term.into(), id);
        self.terms.push(term.into());
        id
    }

    pub fn term(&self, id: u32) -> &str {
        &self.terms[id as usize]
    }

    /// The address's terms as a sorted set of ids.
    pub fn of_url(&mut self, url: &str) -> Box<[u32]> {
        let mut ids: Vec<u32> = url_terms(url).iter().map(|term| self.id(term)).collect();
        ids.sort_unstable();
        ids.into()
    }
}

#[cfg(test)]
mod tests {
    use super::url_terms;

    #[test]
    fn the_papers_golden() {
        let terms = url_terms("website/drivers/2015/driver_02.htm").join(" ");
        assert_eq!(terms, "pos1_website pos2_drivers pos3_2015 pos4_driver pos4_02 pos4_htm size_4");
    }

    #[test]
    fn query_tokens_count_as_tokens() {
        let terms = url_terms("cmm.ap.gov.br/pagina.php?pg=exibir_parlamentar&iddeputado=6");
        assert_eq!(terms.last().unwrap(), "size_4");
        let third: Vec<&str> = terms.iter().map(String::as_str).filter(|term| term.starts_with("pos3_")).collect();
        assert_eq!(third, ["pos3_pg", "pos3_exibir", "pos3_parlamentar"]);
    }

    #[test]
    fn spelling_does_not_matter_where_the_page_is_the_same() {
        assert_eq!(url_terms("HTTP://WebSite/Drivers/#x"), url_terms("website/Drivers"));
        assert_eq!(url_terms("http://s/a%2Fb%20c"), url_terms("http://s/a/b c"));
        assert_eq!(url_terms(""), ["size_0"]);
        assert_eq!(url_terms("s/été2015x"), ["pos1_s", "pos2_été", "pos2_2015", "pos2_x", "size_2"]);
    }
}
