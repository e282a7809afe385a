//! Does the demo site speak HTTP? A real listener on loopback, asked in plain bytes.

use pagekin_web::demo::{Site, serve};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

async fn ask(address: SocketAddr, method: &str, path: &str, extra: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{extra}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or("")
}

#[tokio::test]
async fn serves_pages_tags_and_errors_and_stops_when_told() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let server = tokio::spawn(serve(listener, async { drop(stopped.await) }));
    let site = Site::new();

    let (head, body) = ask(address, "GET", &site.sample(), "").await;
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(header(&head, "content-type"), "text/html; charset=utf-8");
    assert_eq!(body, site.page(&site.sample()).unwrap().body);

    let known = format!("If-None-Match: W/\"x\", {}\r\n", header(&head, "etag"));
    let (head, body) = ask(address, "GET", &site.sample(), &known).await;
    assert!(head.starts_with("http/1.1 304") && body.is_empty(), "{head}");
    let (head, _) = ask(address, "GET", "/drivers/2015/?page=2", &known).await;
    assert!(head.starts_with("http/1.1 200"), "the tag of another page: {head}");

    let (head, body) = ask(address, "GET", &site.truth().drivers_missing[0], "").await;
    assert!(head.starts_with("http/1.1 404") && body.contains("There is no such page"), "{head}");
    let (head, body) = ask(address, "HEAD", "/", "").await;
    assert!(head.starts_with("http/1.1 200") && body.is_empty(), "{head}");
    let (head, _) = ask(address, "POST", "/", "Content-Length: 0\r\n").await;
    assert!(head.starts_with("http/1.1 405"), "{head}");

    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "still listening");
}
