//! Does the browser withstand pages that want to do harm? Bounded time and memory, and nothing reached beside the network given.

mod support;

use pagekin_core::pages::Reason;
use pagekin_render::{Failure, Settings};
use std::net::{TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use support::{Memory, hasty, renderer, url};

fn scripted(script: &str) -> Memory {
    Memory::default().page("/", format!("<body><p>hello</p><script>{script}</script>")).page("/next", "<p>fine")
}

#[tokio::test]
async fn endless_scripts_are_given_up_and_the_next_page_is_read() {
    let Some(renderer) = renderer(hasty()) else { return };
    for script in
        ["for (;;) {}", "setTimeout(() => { for (;;) {} }, 50)", "addEventListener('load', () => { for (;;) {} })"]
    {
        let (site, start) = (scripted(script), Instant::now());
        let failure = renderer.render(&url("/"), &site, false).await.unwrap_err();
        assert!(matches!(failure, Failure::Endless(_)), "{script}: {failure:?}");
        assert!(start.elapsed() < Duration::from_secs(30), "{script}: {:?}", start.elapsed());
        let skipped = failure.skipped(&url("/"));
        assert_eq!(skipped.reason, Reason::NotRendered);
        assert!(renderer.render(&url("/next"), &site, false).await.unwrap().html.contains("fine"));
    }
}

#[tokio::test]
async fn pages_that_never_rest_are_read_as_they_are() {
    let Some(renderer) = renderer(hasty()) else { return };
    for script in [
        "setInterval(() => { document.querySelector('p').textContent += '.'; }, 1)",
        "const grow = () => { document.body.append('x'); requestAnimationFrame(grow); }; grow()",
        "let n = 0; const ask = () => fetch('/' + n++).finally(ask); for (let i = 0; i < 20; i++) ask();",
        "setInterval(() => { location.reload(); }, 100)",
        "setInterval(() => { location.hash = Math.random(); history.pushState({}, '', '/' + Math.random()); }, 10)",
    ] {
        let (site, start) = (scripted(script), Instant::now());
        let rendered = renderer.render(&url("/"), &site, false).await;
        assert!(rendered.as_ref().is_ok_and(|page| page.html.contains("hello")), "{script}: {rendered:?}");
        assert!(start.elapsed() < Duration::from_secs(30), "{script}: {:?}", start.elapsed());
        assert!(site.targets().len() <= 201, "{script}: {} requests", site.targets().len());
    }
}

#[tokio::test]
async fn dialogs_downloads_and_popups_hold_up_nobody() {
    let Some(renderer) = renderer(hasty()) else { return };
    for script in [
        "alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay'; print();",
        "for (let i = 0; i < 30; i++) { window.open('/popup' + i); window.open('about:blank').document.write('x'.repeat(1e6)); }",
        "const a = document.createElement('a'); a.href = URL.createObjectURL(new Blob(['x'.repeat(1e7)]));
         a.download = 'harm.exe'; document.body.append(a); for (let i = 0; i < 20; i++) a.click();",
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'stolen'}); MutationObserver = null; performance.now = () => 0;
         document.getElementsByTagName = null; JSON.stringify = () => 'stolen'; Array.prototype.toJSON = () => 'stolen';",
        "document.documentElement.requestFullscreen(); navigator.geolocation.getCurrentPosition(() => {}); Notification.requestPermission();",
    ] {
        let (site, start) = (scripted(script), Instant::now());
        let rendered = renderer.render(&url("/"), &site, false).await;
        assert!(rendered.as_ref().is_ok_and(|page| page.html.contains("hello")), "{script}: {rendered:?}");
        assert!(start.elapsed() < Duration::from_secs(20), "{script}: {:?}", start.elapsed());
        assert!(!site.targets().iter().any(|asked| asked.contains("popup")), "{script}");
    }
}

#[tokio::test]
async fn memory_is_bounded_and_the_next_page_is_read() {
    let Some(renderer) = renderer(Settings { memory: 900 << 20, ..hasty() }) else { return };
    for script in [
        "const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()));",
        "const all = []; for (let i = 0; i < 40; i++) all.push(new Uint8Array(1 << 26).fill(i + 1)); setTimeout(() => all.length, 1e6);",
        "for (;;) document.body.append('x'.repeat(1e6) + Math.random())",
    ] {
        let (site, start) = (scripted(script), Instant::now());
        let failure = renderer.render(&url("/"), &site, false).await.unwrap_err();
        let bounded = matches!(failure, Failure::Crashed | Failure::Memory(_) | Failure::Endless(_));
        assert!(bounded, "{script}: {failure:?}");
        assert!(start.elapsed() < Duration::from_secs(60), "{script}: {:?}", start.elapsed());
        assert!(renderer.render(&url("/next"), &site, false).await.unwrap().html.contains("fine"), "{script}");
    }
}

#[tokio::test]
async fn a_document_beyond_the_limit_is_refused() {
    let Some(renderer) = renderer(Settings { max_bytes: 100_000, ..hasty() }) else { return };
    let site = scripted("document.body.append('x'.repeat(200_000))");
    let failure = renderer.render(&url("/"), &site, false).await.unwrap_err();
    assert_eq!(failure.skipped(&url("/")).reason, Reason::TooLarge);
}

/// Whoever knocks is counted.
fn listeners() -> (u16, Arc<AtomicUsize>) {
    let knocks = Arc::new(AtomicUsize::new(0));
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let udp = UdpSocket::bind(("127.0.0.1", port)).unwrap();
    let (on_tcp, on_udp) = (knocks.clone(), knocks.clone());
    std::thread::spawn(move || tcp.incoming().for_each(|_| _ = on_tcp.fetch_add(1, Ordering::SeqCst)));
    std::thread::spawn(move || {
        let mut some = [0; 100];
        while udp.recv_from(&mut some).is_ok() {
            on_udp.fetch_add(1, Ordering::SeqCst);
        }
    });
    (port, knocks)
}

#[tokio::test]
async fn nothing_is_reached_beside_the_network_given() {
    let Some(renderer) = renderer(hasty()) else { return };
    let (port, knocks) = listeners();
    let page = format!(
        "<head><link rel=preconnect href=http://127.0.0.1:{port}><link rel=dns-prefetch href=//localhost:{port}>
         <link rel=prefetch href=http://127.0.0.1:{port}/a><link rel=prerender href=http://127.0.0.1:{port}/b>
         <link rel=icon href=http://127.0.0.1:{port}/icon>
         <script type=speculationrules>{{\"prefetch\": [{{\"urls\": [\"http://127.0.0.1:{port}/c\"]}}], \"prerender\": [{{\"urls\": [\"/d\"]}}]}}</script>
         <meta http-equiv=refresh content='1; url=http://127.0.0.1:{port}/e'>
         <body><p>hello</p><img src=http://127.0.0.1:{port}/f><iframe src=http://127.0.0.1:{port}/g></iframe>
         <iframe src=file:///etc/passwd></iframe><script src=file:///etc/passwd></script><object data=http://127.0.0.1:{port}/h></object>
         <video src=http://127.0.0.1:{port}/i autoplay></video><form id=f method=post action=http://127.0.0.1:{port}/j target=_blank></form>
         <script>
         const here = 'http://127.0.0.1:{port}';
         const attempts = [
           () => fetch(here), () => fetch(here, {{method: 'POST', mode: 'no-cors'}}), () => fetch('file:///etc/passwd'),
           () => navigator.sendBeacon(here, 'x'), () => new WebSocket('ws://127.0.0.1:{port}'), () => new WebSocket('ws://localhost:{port}'),
           () => new EventSource(here), () => new WebTransport('https://127.0.0.1:{port}'), () => window.open(here), () => f.submit(),
           () => new Worker(URL.createObjectURL(new Blob([`fetch('${{here}}'); new WebSocket('ws://127.0.0.1:{port}')`]))),
           () => new SharedWorker(URL.createObjectURL(new Blob([`fetch('${{here}}')`]))),
           () => navigator.serviceWorker.register('/worker.js'),
           () => {{ const peer = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}, {{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}}]}});
                    peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)); }},
           () => import(here + '/module.js'), () => {{ new Image().src = here; }}, () => CSS.paintWorklet.addModule(here),
           () => {{ document.body.style.background = `url(${{here}}/k)`; }},
         ];
         for (const attempt of attempts) try {{ Promise.resolve(attempt()).catch(() => {{}}); }} catch {{}}
         </script>"
    );
    let site = Memory::default().page("/", page).with("/worker.js", "text/javascript", "fetch('/stolen')");
    let rendered = renderer.render(&url("/"), &site, false).await.unwrap();
    assert!(rendered.html.contains("hello") && !rendered.html.contains("root:"), "{}", rendered.html);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(knocks.load(Ordering::SeqCst), 0, "{:?}", site.targets());
    assert!(
        !site.targets().iter().any(|asked| asked.starts_with("file:") || asked == "/stolen"),
        "{:?}",
        site.targets()
    );
}
