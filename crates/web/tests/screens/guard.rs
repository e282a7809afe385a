//! Who is let in, and what may they change? Token, cookie, host, origin, CSRF token; what every answer forbids the browser.

use super::support::Served;

fn cookie(served: &Served) -> String {
    let answer = served.send("GET", &format!("/?token={}", served.token), &[], "");
    assert_eq!(answer.status, 303, "{}", answer.body);
    let line = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
    assert!(line.contains("httponly") && line.contains("samesite=strict"), "{line}");
    assert!(!line.contains(&served.token), "the token is not the session");
    line.split(';').next().unwrap().to_owned()
}

fn csrf(served: &Served, cookie: &str) -> String {
    let page = served.send("GET", "/new", &[("Cookie", cookie)], "").body;
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

#[test]
fn only_who_has_the_token_gets_in() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    for path in ["/", "/runs", "/data", "/new", "/api/runs", "/api/openapi.json", "/nowhere"] {
        assert_eq!(served.send("GET", path, &[], "").status, 401, "{path}");
        assert_eq!(served.send("GET", path, &[("Authorization", "Bearer 0000")], "").status, 401, "{path}");
        assert_eq!(served.send("GET", path, &[("Cookie", "pagekin_session=00")], "").status, 401, "{path}");
    }
    assert_eq!(served.send("GET", "/?token=0000", &[], "").status, 403);
    assert_eq!(served.send("GET", "/runs", &[("Cookie", &cookie(&served))], "").status, 200);
    let led = served.send("GET", &format!("//evil.example/?token={}", served.token), &[], "");
    assert!(!led.head.contains("location: //"), "{}", led.head);
}

#[test]
fn other_names_and_other_sites_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let bearer = format!("Bearer {}", served.token);
    for host in ["evil.example", "127.0.0.1", "localhost.evil.example:80", ""] {
        let answer = served.send("GET", "/runs", &[("Host", host), ("Authorization", &bearer)], "");
        assert!(matches!(answer.status, 400 | 421), "{host}: {}", answer.status);
    }
    let localhost = format!("localhost:{}", served.address.port());
    assert_eq!(served.send("GET", "/runs", &[("Host", &localhost), ("Authorization", &bearer)], "").status, 200);
    let cookie = cookie(&served);
    let form = format!("csrf={}&url=http%3A%2F%2F127.0.0.1%3A1%2F", csrf(&served, &cookie));
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    let tried =
        |extra: (&str, &str)| served.send("POST", "/new/start", &[("Cookie", &cookie), kind, extra], &form).status;
    assert_eq!(tried(("Origin", "http://evil.example")), 403);
    assert_eq!(tried(("Origin", "null")), 403);
    assert_eq!(tried(("Sec-Fetch-Site", "cross-site")), 403);
    assert_eq!(tried(("Origin", &served.url(""))), 303);
}

#[test]
fn a_write_by_cookie_needs_the_csrf_token_and_is_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let cookie = cookie(&served);
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    let sent = |path: &str, body: &str| served.send("POST", path, &[("Cookie", &cookie), kind], body).status;
    for path in ["/new/start", "/new/look", "/runs/1/stop", "/runs/1/resume", "/review", "/api/runs", "/api/review"] {
        assert_eq!(sent(path, "url=http%3A%2F%2F127.0.0.1%3A1%2F"), 403, "{path}");
        assert_eq!(sent(path, "csrf=00&url=http%3A%2F%2F127.0.0.1%3A1%2F"), 403, "{path}");
    }
    assert_eq!(served.json("/api/runs")["runs"].as_array().unwrap().len(), 0, "nothing was begun");
    assert_eq!(sent("/new/start", &format!("csrf={}&url=http%3A%2F%2F127.0.0.1%3A1%2Fx", csrf(&served, &cookie))), 303);
    let audit = served.json("/api/home")["audit"].clone();
    assert_eq!((&audit[0]["action"], &audit[0]["subject"]), (&"start run".into(), &"http://127.0.0.1:1/x".into()));
}

#[test]
fn every_answer_forbids_what_is_not_needed() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    for path in
        ["/", "/runs", "/data", "/new", "/api", "/api/runs", "/static/app.js", "/nowhere", "/data/99", "/runs/99"]
    {
        let head = served.get(path).head;
        assert!(head.contains("content-security-policy: default-src 'none'"), "{path}: {head}");
        assert!(head.contains("nosniff") && head.contains("frame-ancestors 'none'"), "{path}: {head}");
        assert!(!head.contains("unsafe"), "{path}: {head}");
    }
}

#[test]
fn what_is_described_is_there_and_refuses_nonsense_politely() {
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let described = served.json("/api/openapi.json");
    assert!(described["openapi"].as_str().unwrap().starts_with("3.1"), "{}", described["openapi"]);
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() >= 12, "{}", paths.len());
    for (path, ways) in paths {
        for method in ways.as_object().unwrap().keys() {
            for filled in ["99", "x"] {
                let path = path.replace("{id}", filled).replace("{class}", filled).replace("{format}", "csv");
                let headers = [
                    ("Authorization", format!("Bearer {}", served.token)),
                    ("Content-Type", "application/json".to_owned()),
                ];
                let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let answer =
                    served.send(&method.to_uppercase(), &path, &headers, if method == "post" { "{}" } else { "" });
                assert!(answer.status < 500, "{method} {path}: {}", answer.body);
                assert!(!answer.body.contains("no such address"), "{method} {path}");
                let declared = &ways[method]["responses"];
                assert!(
                    declared.get(answer.status.to_string()).is_some(),
                    "{method} {path}: {} is not described",
                    answer.status
                );
            }
        }
    }
}
