//! Who gets in from other machines? Over TLS and behind a proxy: the password, how often it may be guessed, names, cookies.

use super::support::{Answer, PATIENCE, Served};
use pagekin_web::serve::remote::{Remote, TlsFiles};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const PASSWORD: &str = "correct horse battery";
const KIND: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

fn behind_proxy(folder: &Path) -> Served {
    let remote = Remote { names: vec!["data.example.org".to_owned()], password: PASSWORD.to_owned(), tls: None };
    Served::reached_by(folder, Duration::ZERO, Some(remote))
}

fn asked(served: &Served, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut all = vec![("Host", "data.example.org")];
    all.extend(headers);
    served.send(method, path, &all, body)
}

fn login(served: &Served, from: &str, password: &str) -> Answer {
    let body = format!("password={}", password.replace(' ', "+"));
    asked(served, "POST", "/login", &[KIND, ("X-Forwarded-For", from)], &body)
}

#[test]
fn behind_a_proxy_the_password_lets_in_and_guessing_ends() {
    let folder = tempfile::tempdir().unwrap();
    let served = behind_proxy(folder.path());
    let first = asked(&served, "GET", "/", &[], "");
    assert!(first.status == 303 && first.head.contains("location: /login"), "{}", first.head);
    assert_eq!(asked(&served, "GET", "/api/runs", &[], "").status, 401);
    assert_eq!(
        asked(&served, "GET", &format!("/?token={}", served.token), &[], "").status,
        303,
        "no token in addresses"
    );
    assert!(served.get("/runs").status == 421, "it has another name now");
    assert!(asked(&served, "GET", "/login", &[], "").body.contains("type=\"password\""));
    let right = login(&served, "192.0.2.1", PASSWORD);
    assert_eq!(right.status, 303, "{}", right.body);
    let line = right.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    for part in ["__host-pagekin_session=", "httponly", "samesite=strict", "secure", "path=/"] {
        assert!(line.contains(part), "{line}");
    }
    let session = line.split(';').next().unwrap().replace("__host-", "__Host-");
    assert_eq!(asked(&served, "GET", "/runs", &[("Cookie", &session)], "").status, 200);
    let foreign = [("Cookie", session.as_str()), KIND, ("Origin", "http://data.example.org")];
    assert_eq!(asked(&served, "POST", "/new/start", &foreign, "").status, 403, "not over TLS");
    assert_eq!(asked(&served, "POST", "/logout", &[("Cookie", &session)], "").status, 303);
    assert_eq!(asked(&served, "GET", "/runs", &[("Cookie", &session)], "").status, 303, "logged out");
    let guesses: Vec<u16> = (0..7).map(|_| login(&served, "10.0.0.1, 192.0.2.7", "wrong").status).collect();
    assert_eq!(guesses, [403, 403, 403, 403, 403, 429, 429]);
    assert_eq!(login(&served, "192.0.2.7", PASSWORD).status, 429, "even with the right one");
    assert_eq!(login(&served, "192.0.2.8", PASSWORD).status, 303, "others are not touched");
    let bearer = format!("Bearer {}", served.token);
    let audit = asked(&served, "GET", "/api/home", &[("Authorization", &bearer)], "").body;
    assert!(audit.contains("wrong password") && audit.contains("192.0.2.7"), "{audit}");
}

/// A certificate of our own; none where there is no openssl.
fn certificate(folder: &Path) -> Option<TlsFiles> {
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    if !made.is_ok_and(|made| made.status.success()) {
        eprintln!("SKIPPED: no openssl");
        return None;
    }
    Some(TlsFiles { certificate, key })
}

#[test]
fn over_tls_a_browser_logs_in_and_one_that_is_silent_holds_nobody_up() {
    let (folder, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(tls) = certificate(folder.path()) else { return };
    let names = vec!["localhost".to_owned()];
    let remote = Remote { names, password: PASSWORD.to_owned(), tls: Some(tls) };
    let served = Served::reached_by(folder.path(), Duration::ZERO, Some(remote));
    let silent = std::net::TcpStream::connect(served.address).unwrap();
    silent.set_read_timeout(Some(PATIENCE)).unwrap();
    let Some(mut browser) = pagekin_testkit::browser::Browser::or_skip(own.path()) else { return };
    browser.call("Security.setIgnoreCertificateErrors", &serde_json::json!({"ignore": true}));
    browser.open(&format!("https://localhost:{}/", served.address.port()));
    browser.wait("document.querySelector('#password')");
    browser.fill("#password", "not it");
    browser.click("button");
    browser.wait("document.querySelector('[role=alert]')");
    browser.fill("#password", PASSWORD);
    browser.click("button");
    browser.wait("document.querySelector('nav') && location.pathname === '/'");
    assert_eq!(browser.eval("document.cookie"), "", "scripts do not see the session");
}
