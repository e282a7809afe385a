"""What other tools write and read.

make DIR    archives of one small site, in every form, written with warcio and zstandard
list FILE   what fastwarc sees: one JSON line a record (kind, url, sha1 of the stored payload)
"""
import gzip, hashlib, io, json, sys
from pathlib import Path


def page(name):
    return f"<!DOCTYPE html><html><title>{name}</title><body>{name} {'text ' * 400}</body></html>".encode()


def write_site(target, packed):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    writer = WARCWriter(target, gzip=packed, warc_version="WARC/1.1")

    def http(status, *headers):
        return StatusAndHeaders(status, list(headers), protocol="HTTP/1.1")

    def response(url, body, *headers, status="200 OK", date="2024-01-01T00:00:00Z"):
        record = writer.create_warc_record(
            url, "response", payload=io.BytesIO(body), http_headers=http(status, *headers),
            warc_headers_dict={"WARC-Date": date})
        writer.write_record(record)
        return record

    html = ("Content-Type", "text/html; charset=utf-8")
    writer.write_record(writer.create_warcinfo_record("site.warc.gz", {"software": "warcio"}))
    first = response("http://site.example/", page("home"), html)
    coded = gzip.compress(page("coded"), mtime=0)
    half = len(coded) // 2
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (coded[:half], coded[half:])) + b"0\r\n\r\n"
    response("http://site.example/coded", chunks, html, ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))
    response("http://site.example/stale", page("stale"), html, ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))
    response("http://site.example/moved", b"", ("Location", "/coded"), status="302 Found")
    response("http://site.example/gone", page("gone"), html, status="404 Not Found")
    writer.write_record(writer.create_warc_record(
        "http://site.example/resource", "resource", payload=io.BytesIO(page("resource")), warc_content_type="text/html"))
    response("http://site.example/picture", b"\x89PNG\r\n\x1a\n....", ("Content-Type", "image/png"))
    response("http://site.example/twice", page("older"), html, date="2023-01-01T00:00:00Z")
    response("http://site.example/twice", page("newer"), html, date="2024-01-01T00:00:00Z")
    response("http://site.example/twice", page("failed"), html, status="503 Busy", date="2025-01-01T00:00:00Z")
    digest, date = first.rec_headers["WARC-Payload-Digest"], first.rec_headers["WARC-Date"]
    writer.write_record(writer.create_revisit_record(
        "http://site.example/with-head", digest, "http://site.example/", date,
        http_headers=http("203 Fine", html, ("X-Own", "yes"))))
    writer.write_record(writer.create_revisit_record(
        "http://site.example/without-head", digest, "http://site.example/", date))
    for number in range(600):  # Enough to stand deep in a file compressed as a whole.
        body = page(f"filler {number}") + hashlib.sha512(str(number).encode()).hexdigest().encode() * 20
        response(f"http://site.example/filler/{number}", body, html)
    writer.write_record(writer.create_revisit_record(
        "http://site.example/deep", digest, "http://site.example/", date))


def records(plain):
    """The bytes of each record of an uncompressed file."""
    parts = plain.split(b"WARC/1.1\r\n")[1:]
    return [b"WARC/1.1\r\n" + part for part in parts]


def make(folder):
    import zstandard

    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "records.warc.gz", "wb") as target:
        write_site(target, True)
    plain = gzip.decompress((folder / "records.warc.gz").read_bytes())
    (folder / "plain.warc").write_bytes(plain)
    (folder / "whole.warc.gz").write_bytes(gzip.compress(plain))
    blocks = [plain[at:at + 65280] for at in range(0, len(plain), 65280)]
    (folder / "blocks.warc.gz").write_bytes(b"".join(gzip.compress(block) for block in blocks))
    pack = zstandard.ZstdCompressor()
    (folder / "whole.warc.zst").write_bytes(pack.compress(plain))
    (folder / "records.warc.zst").write_bytes(b"".join(pack.compress(record) for record in records(plain)))
    dictionary = zstandard.train_dictionary(20000, records(plain))
    known = zstandard.ZstdCompressor(dict_data=dictionary)
    frames = b"".join(known.compress(record) for record in records(plain))
    for name, content in (("raw", dictionary.as_bytes()), ("packed", pack.compress(dictionary.as_bytes()))):
        skippable = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content
        (folder / f"dictionary-{name}.warc.zst").write_bytes(skippable + frames)


def unpacked(path):
    if not path.name.endswith(".zst"):
        return open(path, "rb")
    import zstandard

    with open(path, "rb") as file:
        reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        return io.BytesIO(reader.read())


def listing(path):
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    for record in ArchiveIterator(unpacked(path), parse_http=True, record_types=WarcRecordType.any_type):
        payload = record.reader.read()
        print(json.dumps({
            "kind": record.headers["WARC-Type"], "url": record.headers.get("WARC-Target-URI"),
            "sha1": hashlib.sha1(payload).hexdigest()}))


if __name__ == "__main__":
    {"make": make, "list": listing}[sys.argv[1]](Path(sys.argv[2]))
