//! Which flag is meant? What libraries say in words → the same with what to type.
//!
//! Libraries know nothing of the command line, and who reads their messages there wants to know what to type. Does not know when they are said.

/// What a library says, and how the command says it.
const WORDS: [(&str, &str); 18] = [
    ("give another folder for pages", "give another one with `--pages`"),
    ("go on with it, or choose another name", "go on with it by `--resume`, or choose another name"),
    ("going on needs the archive that the run before kept", "`--resume` needs the `--save-archive` of the run before"),
    ("give an archive, or an entry page alone", "give `--archive FILE`, or an entry page without `--all`"),
    ("a run that begins anew discovers it again", "`pagekin run --anew` discovers it again"),
    ("or give another", "give another with `--db`"),
    ("give a file with what `pagekin discover` learned", "give a file that `pagekin discover --learned FILE` wrote"),
    ("learn the site again with `pagekin discover`", "learn the site again with `pagekin discover --learned`"),
    ("give another name to one of them", "give another name to one of them with `--rename OLD=NEW`"),
    ("requests is spent", "requests is spent (`--budget`)"),
    ("were sent, as many as one run may", "were sent, as many as one run may (`--max-requests`)"),
    ("came, as many as one run may load", "came, as many as one run may load (`--max-traffic`)"),
    ("as long as it may", "as long as it may (`--max-time`)"),
    ("were written to disk, as many as one run may", "were written to disk, as many as one run may (`--max-disk`)"),
    ("give whoever works on it the archive too", "give whoever works on it the archive too, with `--archive FILE`"),
    ("name the program", "name one with `--render-program FILE`"),
    ("give the program itself, no wrapper", "give the program itself with `--render-program FILE`"),
    ("do without the sandbox", "say `--render-no-sandbox`"),
];

/// A message of a library with the flags it means.
pub fn named(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, (words, flags)| text.replace(words, flags))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::Error;
    use pagekin::extract;

    #[test]
    fn messages_of_libraries_get_their_flags() {
        let io = || std::io::Error::other("x");
        let folder = Error::Pages { path: "p".into(), source: io() };
        for (error, flag) in [
            (folder, "`--pages`"),
            (Error::ArchiveExists { path: "a".into() }, "`--resume`"),
            (Error::NothingToResume, "`--save-archive`"),
            (Error::NoArchive, "`--archive FILE`"),
            (Error::Blank(String::new()), "`pagekin run --anew`"),
            (Error::LearnedVersion(7), "`pagekin discover --learned`"),
            (extract::Error::SameName("a".to_owned()).into(), "`--rename OLD=NEW`"),
        ] {
            let said = error.to_string();
            assert!(!said.contains("`--"), "a library names a flag: {said}");
            assert!(named(&said).contains(flag), "{said}");
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        assert_eq!(named("the page says nothing"), "the page says nothing");
    }
}
