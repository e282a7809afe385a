//! Which page does this path mean? Path and query ↔ [`Address`], both ways.
//!
//! - [`Address`]: every kind of page the site has. Whether that page exists is not known here.

/// The first page of a list has no `?page=`, as on most sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    Home,
    About,
    Calendar,
    LoggedOut,
    Private,
    Robots,
    DriverYears,
    TeamYears,
    DriverList { year: u32, page: usize },
    TeamList { year: u32 },
    NewsList { page: usize },
    Driver { year: u32, id: u32 },
    Team { year: u32, id: u32 },
    Story { year: u32, id: u32 },
}

/// The path of an address.
pub(super) fn path(address: Address) -> String {
    match address {
        Address::Home => "/".to_owned(),
        Address::About => "/about.htm".to_owned(),
        Address::Calendar => "/calendar.htm".to_owned(),
        Address::LoggedOut => "/account/logout".to_owned(),
        Address::Private => "/private/".to_owned(),
        Address::Robots => "/robots.txt".to_owned(),
        Address::DriverYears => "/drivers/".to_owned(),
        Address::TeamYears => "/teams/".to_owned(),
        Address::DriverList { year, page } => paged(format!("/drivers/{year}/"), page),
        Address::TeamList { year } => format!("/teams/{year}/"),
        Address::NewsList { page } => paged("/news/".to_owned(), page),
        Address::Driver { year, id } => format!("/drivers/{year}/driver_{id:02}.htm"),
        Address::Team { year, id } => format!("/teams/{year}/team_{id:02}.htm"),
        Address::Story { year, id } => format!("/news/{year}/story_{id:02}.htm"),
    }
}

fn paged(path: String, page: usize) -> String {
    if page == 1 { path } else { format!("{path}?page={page}") }
}

/// The address a request means. Parameters other than `page` are ignored, as servers do.
pub(super) fn parse(path_and_query: &str) -> Option<Address> {
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    match segments[..] {
        [""] => Some(Address::Home),
        ["about.htm"] => Some(Address::About),
        ["calendar.htm"] => Some(Address::Calendar),
        ["robots.txt"] => Some(Address::Robots),
        ["account", "logout"] => Some(Address::LoggedOut),
        ["private", ""] => Some(Address::Private),
        ["drivers", ""] => Some(Address::DriverYears),
        ["teams", ""] => Some(Address::TeamYears),
        ["news", ""] => Some(Address::NewsList { page: page_number(query)? }),
        ["drivers", year, ""] => Some(Address::DriverList { year: number(year, 4)?, page: page_number(query)? }),
        ["teams", year, ""] => Some(Address::TeamList { year: number(year, 4)? }),
        ["drivers", year, file] => Some(Address::Driver { year: number(year, 4)?, id: file_number(file, "driver_")? }),
        ["teams", year, file] => Some(Address::Team { year: number(year, 4)?, id: file_number(file, "team_")? }),
        ["news", year, file] => Some(Address::Story { year: number(year, 4)?, id: file_number(file, "story_")? }),
        _ => None,
    }
}

/// One spelling for each number: `driver_002.htm` is not `driver_02.htm`.
fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

fn file_number(file: &str, prefix: &str) -> Option<u32> {
    number(file.strip_prefix(prefix)?.strip_suffix(".htm")?, 2)
}

fn page_number(query: &str) -> Option<usize> {
    match query.split('&').find_map(|part| part.strip_prefix("page=")) {
        Some(page) => page.parse().ok().filter(|page| *page > 0),
        None => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_and_parse_are_inverse() {
        for address in [
            Address::Home,
            Address::LoggedOut,
            Address::Private,
            Address::DriverYears,
            Address::DriverList { year: 2015, page: 1 },
            Address::DriverList { year: 2015, page: 2 },
            Address::TeamList { year: 2015 },
            Address::NewsList { page: 3 },
            Address::Driver { year: 2015, id: 2 },
            Address::Team { year: 2015, id: 10 },
            Address::Story { year: 2015, id: 7 },
        ] {
            assert_eq!(parse(&path(address)), Some(address));
        }
        assert_eq!(path(Address::Driver { year: 2015, id: 2 }), "/drivers/2015/driver_02.htm");
    }

    #[test]
    fn other_spellings_are_no_pages() {
        for wrong in [
            "",
            "drivers/",
            "/drivers",
            "/drivers/2015",
            "/drivers/2015/driver_2.htm",
            "/drivers/2015/driver_002.htm",
            "/drivers/2015/driver_+2.htm",
            "/drivers/2015/driver_02.html",
            "/drivers/2015/team_02.htm",
            "/drivers/2015/?page=0",
            "/drivers/2015/?page=-1",
            "/drivers/2015/?page=99999999999999999999999",
            "/drivers/2015//",
            "/../etc/passwd",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn other_parameters_are_ignored() {
        assert_eq!(parse("/drivers/2015/?utm_source=x&page=2"), Some(Address::DriverList { year: 2015, page: 2 }));
        assert_eq!(parse("/?x"), Some(Address::Home));
    }
}
