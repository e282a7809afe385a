//! A real web site on loopback for tests: routes as closures, an access log with times, a free port.
//!
//! - [`Server`]: runs in a thread of its own until dropped, so that synchronous tests and other programs (wget, the
//!   command line) can use it too.
//! - [`Asked`]: what a route is given. [`Reply`]: what it gives.
//! - [`Visit`]: one line of the access log.
//!
//! ```
//! use pagekin_testkit::server::{Reply, Server};
//! let server = Server::new().page("/", "<p>hello").route("/busy", |asked| match asked.nth {
//!     0 => Reply::status(503),
//!     _ => Reply::html("<p>better now"),
//! });
//! let site = server.start();
//! assert!(site.url("/").starts_with("http://127.0.0.1:"));
//! assert!(site.log().is_empty());
//! ```

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::Response;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

type Route = Box<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// A request, as a route sees it.
#[derive(Debug, Clone)]
pub struct Asked {
    pub method: Method,
    /// Path and query.
    pub target: String,
    pub headers: HeaderMap,
    /// How often this path and query was asked before.
    pub nth: usize,
}

impl Asked {
    /// A header's text, empty when missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }
}

#[derive(Debug, Clone)]
pub struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: ReplyBody,
    delay: Duration,
}

#[derive(Debug, Clone)]
enum ReplyBody {
    Whole(Bytes),
    /// The same chunk again and again, without end.
    Endless {
        chunk: Bytes,
        every: Duration,
    },
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: ReplyBody::Whole(Bytes::new()), delay: Duration::ZERO }
    }

    pub fn html(body: impl Into<Bytes>) -> Self {
        Self::status(200).header("content-type", "text/html; charset=utf-8").body(body)
    }

    pub fn redirect(status: u16, location: impl Into<String>) -> Self {
        Self::status(status).header("location", location)
    }

    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub fn body(mut self, body: impl Into<Bytes>) -> Self {
        self.body = ReplyBody::Whole(body.into());
        self
    }

    pub fn endless(mut self, chunk: impl Into<Bytes>, every: Duration) -> Self {
        self.body = ReplyBody::Endless { chunk: chunk.into(), every };
        self
    }

    /// Wait before answering.
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    fn into_response(self) -> Response {
        let body = match self.body {
            ReplyBody::Whole(bytes) => Body::from(bytes),
            ReplyBody::Endless { chunk, every } => {
                Body::from_stream(futures::stream::unfold(chunk, move |chunk| async move {
                    tokio::time::sleep(every).await;
                    Some((Ok::<_, std::io::Error>(chunk.clone()), chunk))
                }))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).expect("a status between 100 and 999");
        for (name, value) in self.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            response.headers_mut().append(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"));
        }
        response
    }
}

/// One line of the access log.
#[derive(Debug, Clone)]
pub struct Visit {
    pub method: Method,
    pub target: String,
    pub at: Instant,
    pub headers: HeaderMap,
}

/// A site being put together; [`Server::start`] runs it.
#[derive(Default)]
pub struct Server {
    routes: HashMap<String, Route>,
    rest: Option<Route>,
    address: Option<IpAddr>,
}

impl Server {
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a path (or a path with query, which goes first) by a closure. What has no route is a 404.
    pub fn route(mut self, target: &str, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        self.routes.insert(target.to_owned(), Box::new(answer));
        self
    }

    /// Answers everything that has no route.
    pub fn rest(mut self, answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> Self {
        self.rest = Some(Box::new(answer));
        self
    }

    /// Always the same HTML page.
    pub fn page(self, target: &str, html: impl Into<Bytes>) -> Self {
        let reply = Reply::html(html);
        self.route(target, move |_| reply.clone())
    }

    pub fn robots(self, text: impl Into<Bytes>) -> Self {
        let reply = Reply::status(200).header("content-type", "text/plain").body(text);
        self.route("/robots.txt", move |_| reply.clone())
    }

    /// Another loopback address than 127.0.0.1.
    pub fn on(mut self, address: IpAddr) -> Self {
        self.address = Some(address);
        self
    }

    /// Serves on a free port until the [`Site`] is dropped.
    pub fn start(self) -> Site {
        let address = self.address.unwrap_or(IpAddr::from([127, 0, 0, 1]));
        let state = Arc::new(State { routes: self.routes, rest: self.rest, ..State::default() });
        let (stop, stopped) = oneshot::channel();
        let (ready, port) = std::sync::mpsc::channel();
        let serving = state.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(serve(address, serving, ready, stopped));
            runtime.shutdown_background();
        });
        let address = port.recv().expect("a loopback port to listen on");
        Site { state, address, stop: Some(stop), thread: Some(thread) }
    }
}

async fn serve(
    address: IpAddr,
    state: Arc<State>,
    ready: std::sync::mpsc::Sender<SocketAddr>,
    stopped: oneshot::Receiver<()>,
) {
    let listener = TcpListener::bind((address, 0)).await.expect("a loopback port to listen on");
    ready.send(listener.local_addr().expect("a bound address")).expect("the starter waits");
    let app = Router::new().fallback(move |request: Request| {
        let state = state.clone();
        async move { state.answer(request).await }
    });
    // Not graceful: an endless reply would never let it end.
    tokio::select! {
        result = axum::serve(listener, app) => result.expect("serving on loopback"),
        _ = stopped => {}
    }
}

#[derive(Default)]
struct State {
    routes: HashMap<String, Route>,
    rest: Option<Route>,
    log: Mutex<Vec<Visit>>,
    under_way: AtomicUsize,
    peak: AtomicUsize,
}

/// Counts a request as under way; also when the visitor goes away and the answer is dropped.
struct UnderWay<'a>(&'a AtomicUsize);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl State {
    async fn answer(&self, request: Request) -> Response {
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        let _under_way = UnderWay(&self.under_way);
        self.peak.fetch_max(now, Ordering::SeqCst);
        let asked = self.write_down(&request);
        let path = asked.target.split('?').next().unwrap_or("");
        let route = self.routes.get(&asked.target).or_else(|| self.routes.get(path)).or(self.rest.as_ref());
        let reply = route.map_or_else(|| Reply::html("<h1>Not found").with_status(404), |route| route(&asked));
        tokio::time::sleep(reply.delay).await;
        reply.into_response()
    }

    fn write_down(&self, request: &Request) -> Asked {
        let target = request.uri().path_and_query().map_or("/", |target| target.as_str()).to_owned();
        let (method, headers) = (request.method().clone(), request.headers().clone());
        let mut log = self.log.lock().expect("no panic while logging");
        let nth = log.iter().filter(|visit| visit.target == target).count();
        log.push(Visit {
            method: method.clone(),
            target: target.clone(),
            at: Instant::now(),
            headers: headers.clone(),
        });
        Asked { method, target, headers, nth }
    }
}

/// A site being served.
pub struct Site {
    state: Arc<State>,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Site {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The full address of a path on this site.
    pub fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub fn log(&self) -> Vec<Visit> {
        self.state.log.lock().expect("no panic while logging").clone()
    }

    /// The paths and queries asked, in order.
    pub fn targets(&self) -> Vec<String> {
        self.log().into_iter().map(|visit| visit.target).collect()
    }

    /// How often this path and query was asked.
    pub fn count(&self, target: &str) -> usize {
        self.targets().iter().filter(|asked| *asked == target).count()
    }

    /// The most requests that were under way at once.
    pub fn peak(&self) -> usize {
        self.state.peak.load(Ordering::SeqCst)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the server was already printed; a second one here would hide it.
            let _ = thread.join();
        }
    }
}
