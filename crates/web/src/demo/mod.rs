//! What does the built-in site answer? Path and query → page, with the truth beside it.
//!
//! The site is the fictitious racing championship of the paper on entity-page discovery (section 3, figure 2):
//! drivers by year, teams by year, and news as noise, a few hundred pages, the same in every run. Some list pages
//! show news in the very place where they list drivers. Some driver pages exist that no link reaches.
//!
//! - [`Site`]: the pages. [`Response`]: one answer. [`Truth`]: which pages are of which kind.
//! - [`serve`]: the same over HTTP. - [`Site::register`]: what is true of the drivers; three of the pages say something else.
//!
//! Knows nothing of how pages are discovered, and asks nobody anything. What the library makes of it:
//!
//! ```
//! use pagekin_web::demo;
//! use tokio::net::TcpListener;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let (built_in, listener) = (demo::Site::new(), TcpListener::bind("127.0.0.1:0").await?);
//! let sample = format!("http://{}{}", listener.local_addr()?, built_in.sample());
//! let served = tokio::spawn(demo::serve(listener, std::future::pending()));
//!
//! let site = pagekin::Site::open(sample);
//! let found = site.discover().await?;
//! assert_eq!(found.entities.len(), built_in.truth().drivers_linked.len());
//!
//! let data = site.records().await?;
//! assert_eq!(data.records.len(), found.entities.len());
//! assert!(data.records[0].attributes.contains_key("team"));
//!
//! let hidden = site.hidden().await?;
//! let pages: usize = hidden.templates.iter().map(|sought| sought.found.len()).sum();
//! assert_eq!(pages, built_in.truth().drivers_hidden.len());
//!
//! let model = site.model().await?;
//! assert!(model.classes.iter().any(|class| class.size >= found.entities.len()));
//! # served.abort();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod championship;
mod draw;
mod html;
mod names;
mod register;
mod serve;
mod truth;
mod views;

use address::Address;
use championship::{Driver, Standing, Story, Team};

pub use register::COLUMNS as REGISTER_COLUMNS;
pub use serve::serve;
pub use truth::Truth;

/// What the site answers to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub content_type: &'static str,
    pub body: String,
}

/// The whole site, generated.
#[derive(Debug, Clone)]
pub struct Site {
    /// As the pages show them.
    drivers: Vec<Driver>,
    /// As they are.
    registered: Vec<Driver>,
    teams: Vec<Team>,
    stories: Vec<Story>,
}

impl Default for Site {
    fn default() -> Self {
        Self::new()
    }
}

impl Site {
    pub fn new() -> Self {
        let registered = championship::drivers();
        let drivers = register::as_shown(&registered);
        Self { drivers, registered, teams: championship::teams(), stories: championship::stories() }
    }

    /// The driver page of the paper's figure 4, a good start for a discovery.
    pub fn sample(&self) -> String {
        address::path(Address::Driver { year: 2015, id: 2 })
    }

    /// The page at this path, or nothing where the site has none.
    pub fn page(&self, path_and_query: &str) -> Option<Response> {
        let address = address::parse(path_and_query)?;
        let (content_type, body) = match address {
            Address::Robots => ("text/plain; charset=utf-8", views::robots()),
            _ => ("text/html; charset=utf-8", self.document(address)?),
        };
        Some(Response { status: 200, content_type, body })
    }

    /// The page for paths where there is none.
    pub fn not_found(&self) -> Response {
        Response { status: 404, content_type: "text/html; charset=utf-8", body: views::not_found() }
    }

    fn document(&self, address: Address) -> Option<String> {
        Some(match address {
            Address::Home => views::home(self),
            Address::About => views::about(),
            Address::Calendar => views::calendar(),
            Address::LoggedOut => views::logged_out(),
            Address::Private => views::private(),
            Address::DriverYears => views::driver_years(),
            Address::TeamYears => views::team_years(),
            Address::DriverList { year, page } => views::driver_list(self, year, page)?,
            Address::TeamList { year } => views::team_list(self, year)?,
            Address::NewsList { page } => views::news_list(self, page)?,
            Address::Driver { year, id } => views::driver(self, self.driver(year, id)?),
            Address::Team { year, id } => views::team(self, self.team(year, id)?),
            Address::Story { year, id } => views::story(self, self.story(year, id)?),
            Address::Robots => return None,
        })
    }

    /// A driver with a page, linked or not.
    fn driver(&self, year: u32, id: u32) -> Option<&Driver> {
        self.drivers.iter().find(|d| (d.year, d.id) == (year, id) && d.standing != Standing::Missing)
    }

    fn team(&self, year: u32, id: u32) -> Option<&Team> {
        self.teams.iter().find(|team| (team.year, team.id) == (year, id))
    }

    fn story(&self, year: u32, id: u32) -> Option<&Story> {
        self.stories.iter().find(|story| (story.year, story.id) == (year, id))
    }

    /// The drivers links may lead to.
    fn linked_drivers(&self, year: u32) -> impl Iterator<Item = &Driver> {
        self.drivers.iter().filter(move |d| d.year == year && d.standing == Standing::Linked)
    }
}
