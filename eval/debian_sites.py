"""Documentation that Debian ships, as sites with truth: a folder beside the sites of the evaluation, for `pagekin eval fit` and `pagekin eval discovery`.

Packages are fetched with apt-get and unpacked, nothing is installed. File names and marks in the pages tell which page is of which kind; pages that no link
reaches from the main page are no truth. Same packages, same sites.

    python3 eval/debian_sites.py target/debian-sites
    python3 eval/debian_sites.py target/fit-sites --beside ../shared/data/sites      # with links to those sites, to fit on both
"""

import argparse
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import urllib.parse

LINK = re.compile(rb"""<(?:a|area|link|frame|iframe)\b[^>]*?(?:href|src)\s*=\s*["']?([^"'>\s]+)""", re.IGNORECASE)

# Site: package, folder in it, main page, files left out (a pattern), and for each kind a pattern of file names, one of exceptions, and a mark in the page.
SITES = {
    "cppref": ("cppreference-doc-en-html", "usr/share/cppreference/doc/html", "en/index.html", None, {
        "header": (r"en/cpp/header/[^/]+\.html", None, None),
        "keyword": (r"en/cpp/keyword/[^/]+\.html", None, None)}),
    "erl": ("erlang-doc", "usr/share/doc/erlang-doc", "doc/index.html", r".*/java/.*", {
        "module": (r"(lib/[^/]+|erts-[^/]+)/doc/html/[a-z][a-zA-Z0-9_]+\.html", None, rb'<h3 id="module|>Module Summary<|>Module<')}),
    "exiv2": ("libexiv2-doc", "usr/share/doc/libexiv2-doc/html", "annotated.html", r"search/.*", {
        "class": (r"(class|struct)[^/]*\.html", r".*-members\.html", None),
        "members": (r".*-members\.html", None, None),
        "file": (r".*_8[hc]pp\.html", None, None)}),
    "ghc": ("ghc-doc", "usr/share/doc/ghc-doc/html", "index.html",
            r"(?!libraries/(base|containers|bytestring|text)).*/.*/.*", {
        "module": (r"libraries/[^/]+/[A-Z][A-Za-z0-9-]*\.html", None, rb"module-header"),
        "source": (r"libraries/[^/]+/src/[A-Z][^/]*\.html", None, None)}),
    "gimp": ("gimp-help-en", "usr/share/gimp/2.0/help/en", "index.html", None, {
        "filter": (r"(gimp-filter|plug-in)-[^/]*\.html", None, None),
        "tool": (r"gimp-tool-[^/]*\.html", None, None)}),
    "gtk": ("libgtk-3-doc", "usr/share/doc/libgtk-3-doc/gtk3", "index.html", None, {
        "widget": (r"Gtk[A-Z][^/]*\.html", None, None)}),
    "pylib": ("python3.11-doc", "usr/share/doc/python3.11/html", "index.html", r"_sources.*", {
        "library": (r"library/[^/]+\.html", r"library/index\.html", None),
        "whatsnew": (r"whatsnew/\d[^/]+\.html", None, None)}),
    "qt": ("qtbase5-doc-html", "usr/share/qt5/doc/qtwidgets", "qtwidgets-index.html", None, {
        "class": (r"q[a-z0-9]+\.html", None, rb"<title>[^<]* Class \|"),
        "members": (r".*-members\.html", None, None),
        "example": (r".*-example\.html", None, None)}),
    "ruststd": ("rust-doc", "usr/share/doc/rust-doc/html", "std/index.html", r"(?!std/).*|std/(arch|simd)/.*", {
        "struct": (r"std/.*/struct\.[^/]+\.html", None, None),
        "trait": (r"std/.*/trait\.[^/]+\.html", None, None),
        "macro": (r"std/macro\.[^/]+\.html", None, None)}),
    "scala": ("scala-doc", "usr/share/doc/scala-2.11/api/library", "index.html", None, {
        "type": (r"scala/.*\.html", r".*package\.html", None)}),
    "sqlite": ("sqlite3-doc", "usr/share/doc/sqlite3", "index.html", None, {
        "cfunc": (r"c3ref/[a-z0-9_]+\.html", r"c3ref/(intro|(func|obj|const)list)\.html", None),
        "session": (r"session/[a-z0-9_]+\.html", r"session/(intro|(func|obj|const)list)\.html", None)}),
}


def unpacked(package: str, work: pathlib.Path) -> pathlib.Path:
    """The files of a package."""
    folder = work / package
    if not folder.is_dir():
        downloads = work / "packages"
        downloads.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", package], cwd=downloads, check=True)
        [deb] = downloads.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", deb, folder], check=True)
    return folder


def pages_of(root: pathlib.Path, left_out: str | None) -> dict[str, bytes]:
    """HTML files by their path below the root."""
    pages = {}
    for folder, _, files in os.walk(root, followlinks=True):
        for name in files:
            file = pathlib.Path(folder) / name
            path = file.relative_to(root).as_posix()
            if name.endswith((".html", ".htm")) and file.exists() and not (left_out and re.fullmatch(left_out, path)):
                pages[path] = file.read_bytes()
    return dict(sorted(pages.items()))


def reached(pages: dict[str, bytes], main: str) -> set[str]:
    """Addresses that links lead to from the main page."""
    seen, open_pages = {main}, [main]
    while open_pages:
        url = open_pages.pop()
        for link in LINK.findall(pages.get(url, b"")):
            try:
                target = urllib.parse.urljoin(url, link.decode("utf-8", "replace").replace("&amp;", "&"))
            except ValueError:
                continue
            target = urllib.parse.urldefrag(target)[0]
            if target in pages and target not in seen:
                seen.add(target)
                open_pages.append(target)
    return seen


def record(url: str, body: bytes) -> bytes:
    """A WARC response record; its id is made of the address, so that the file is the same each time."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    name = hashlib.md5(url.encode()).hexdigest()
    name = "-".join([name[:8], name[8:12], name[12:16], name[16:20], name[20:]])
    head = [
        "WARC/1.0", "WARC-Type: response", "WARC-Date: 2020-01-01T00:00:00Z", f"WARC-Record-ID: <urn:uuid:{name}>",
        f"WARC-Target-URI: {url}", "Content-Type: application/http; msgtype=response", f"Content-Length: {len(http)}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + http + b"\r\n\r\n"


def is_kind(path: str, body: bytes, kind: tuple) -> bool:
    pattern, exception, mark = kind
    return bool(
        re.fullmatch(pattern, path)
        and not (exception and re.fullmatch(exception, path))
        and (mark is None or re.search(mark, body))
    )


def make(site: str, out: pathlib.Path, work: pathlib.Path) -> None:
    package, folder, main, left_out, kinds = SITES[site]
    base = f"http://{site}.example.org/"
    files = pages_of(unpacked(package, work) / folder, left_out)
    address = {path: base + urllib.parse.quote(path, safe="/$~!*'(),;:@&=+-._") for path in files}
    pages = {address[path]: body for path, body in files.items()}
    pages.setdefault(base, pages[base + main])
    seen = reached(pages, base + main)
    (out / site).mkdir(parents=True, exist_ok=True)
    types = []
    for kind, rule in kinds.items():
        truth = [address[path] for path, body in files.items() if address[path] in seen and is_kind(path, body, rule)]
        (out / site / f"truth_{kind}.txt").write_text("".join(url + "\n" for url in truth))
        types.append({"entity_type": kind, "truth_file": f"truth_{kind}.txt", "n_entities": len(truth), "sample_pages": truth[:5]})
    with gzip.GzipFile(out / site / "site.warc.gz", "wb", compresslevel=4, mtime=0) as archive:
        for url, body in pages.items():
            archive.write(record(url, body))
    (out / site / "neutral.txt").write_text("")
    meta = {"id": site, "main_page": base + main, "n_pages": len(pages), **types[0], "types": types}
    (out / site / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")
    print(site, f"{len(pages)} pages", *(f"{one['entity_type']} {one['n_entities']}" for one in types), sep=", ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, help="folder to write the sites to")
    parser.add_argument("--beside", type=pathlib.Path, help="folder of other sites, linked beside those made")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for site in SITES:
        make(site, arguments.out, arguments.out.parent / "debian-packages")
    for site in sorted(arguments.beside.iterdir()) if arguments.beside else []:
        link = arguments.out / site.name
        if site.is_dir() and not link.exists():
            link.symlink_to(site.resolve(), target_is_directory=True)


if __name__ == "__main__":
    main()
