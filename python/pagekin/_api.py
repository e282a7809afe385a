"""The functions of the package: one for each stage, as the command has them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from pagekin import _native
from pagekin._errors import Error
from pagekin._progress import ProgressOption, shown
from pagekin._tables import Model, Pages, Records, Table, Wrapper

if TYPE_CHECKING:
    from pagekin._native import ArrowStream

#: A file, or several.
Archives = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]], None]
Scope = Literal["host", "domain", "prefix"]


def _archives(given: Archives) -> list[str]:
    if given is None:
        return []
    if isinstance(given, (str, os.PathLike)):
        return [os.fspath(given)]
    return [os.fspath(path) for path in given]


def _samples(given: str | Iterable[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _text(path_or_text: str | None) -> str | None:
    """A text of several lines, or the name of a file that holds one."""
    if path_or_text is None or "\n" in path_or_text:
        return path_or_text
    try:
        with open(path_or_text, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Error(f"cannot read `{path_or_text}`: {error.strerror}", "check that it exists and may be read") from None


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was not said."""
    return {name: value for name, value in given.items() if value is not None}


def discover(
    sample: str | Iterable[str],
    *,
    archive: Archives = None,
    archive_base: str | None = None,
    budget: int | None = None,
    until: float | None = None,
    method: str | None = None,
    scope: Scope | None = None,
    not_like: Iterable[str] = (),
    save_archive: str | None = None,
    delay: float | None = None,
    timeout: float | None = None,
    concurrency: int | None = None,
    user_agent: str | None = None,
    allow_private: bool = False,
    ignore_nofollow: bool = False,
    seed: int = 0,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> Pages:
    """All pages of the same kind as the sample page(s).

    `archive`: WARC files instead of the network, or the Parquet index of a web crawl, whose files are below `archive_base`. `budget`: downloads.
    `until`: share of the pages that should be found. `not_like`: pages of another kind. `delay` and `timeout` are seconds.

    >>> pages = discover(getfixture("sample"))
    >>> len(pages), pages.columns
    (168, ['url', 'confidence', 'via', 'evidence'])
    """
    given = _options(
        {
            "archive": _archives(archive),
            "archive_base": archive_base,
            "budget": budget,
            "until": until,
            "method": method,
            "scope": scope,
            "not": list(not_like),
            "save_archive": save_archive,
            "delay": delay,
            "timeout": timeout,
            "concurrency": concurrency,
            "user_agent": user_agent,
            "allow_private": allow_private,
            "ignore_nofollow": ignore_nofollow,
            "seed": seed,
        }
    )
    session = _native.Session(_samples(sample), json.dumps(given), stop or _native.Stop())
    with shown(progress) as callback:
        table, answer = session.discover(callback)
    return Pages(table, json.loads(answer), session, given)


def extract(
    pages: Pages | str | Iterable[str] = (),
    *,
    archive: Archives = None,
    archive_base: str | None = None,
    example: Mapping[str, str] | None = None,
    domain: str | None = None,
    wrapper: Wrapper | str | None = None,
    learn_from: int | None = None,
    rename: Mapping[str, str] | None = None,
    delay: float | None = None,
    allow_private: bool = False,
    seed: int = 0,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> Records:
    """What pages of one kind say. Without pages, every page of the archive, classes told apart.

    `example`: values on the first page, by the name their columns should have. `domain`: a domain file. `wrapper`: learned before.

    >>> pages = discover(getfixture("sample"))
    >>> drivers = extract(pages)
    >>> len(drivers), "team" in drivers.columns
    (168, True)
    """
    learned = wrapper.text() if isinstance(wrapper, Wrapper) else _text(wrapper)
    own = {"example": dict(example or {}), "domain": _text(domain), "wrapper": learned, "learn_from": learn_from, "rename": dict(rename or {})}
    if isinstance(pages, Pages):
        urls = pages.urls
        session = pages._session.with_example(json.dumps(_options({**pages._options, **own})), urls[:1])
    else:
        urls = _samples(pages)
        given = {"archive": _archives(archive), "archive_base": archive_base, "delay": delay, "allow_private": allow_private, "seed": seed, **own}
        if not urls and not given["archive"]:
            raise Error("no page given", "give addresses, or an archive for every page in it")
        session = _native.Session(urls, json.dumps(_options(given)), stop or _native.Stop())
    with shown(progress) as callback:
        records = session.records(urls, callback)
    return Records(records, json.loads(session.stats()))


def learn(
    pages: Pages | Iterable[str],
    *,
    archive: Archives = None,
    example: Mapping[str, str] | None = None,
    domain: str | None = None,
    learn_from: int | None = None,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> Wrapper:
    """What reads pages like these, learned from them.

    >>> pages = discover(getfixture("sample"))
    >>> learn(pages, example={"team": "Juno & Sons"})
    <Wrapper: team>
    """
    own = _options({"example": dict(example or {}), "domain": _text(domain), "learn_from": learn_from})
    if isinstance(pages, Pages):
        samples = pages.answer["samples"]
        urls = samples + [url for url in pages.urls if url not in set(samples)]
        session = pages._session.with_example(json.dumps({**pages._options, **own}), urls[:1])
    else:
        urls = list(pages)
        session = _native.Session(urls, json.dumps({"archive": _archives(archive), **own}), stop or _native.Stop())
    with shown(progress) as callback:
        return Wrapper(session.learn(urls, callback))


def model(
    start: str | None = None,
    *,
    archive: Archives = None,
    archive_base: str | None = None,
    budget: int | None = None,
    scope: Scope | None = None,
    delay: float | None = None,
    allow_private: bool = False,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> Model:
    """The classes of pages of a site, and how they link. Without a start page, of every page of the archive.

    >>> site = model(getfixture("sample"))
    >>> sorted(each["role"] for each in site.classes)[:1]
    ['entity']
    """
    given = _options(
        {"archive": _archives(archive), "archive_base": archive_base, "budget": budget, "scope": scope, "delay": delay, "allow_private": allow_private}
    )
    if start is None and not given["archive"]:
        raise Error("no start page given", "give an address, or an archive for every page in it")
    session = _native.Session([] if start is None else [start], json.dumps(given), stop or _native.Stop())
    with shown(progress) as callback:
        return Model(session.model(start is None, callback))


def hidden(
    sample: str | Iterable[str],
    *,
    archive: Archives = None,
    budget: int | None = None,
    delay: float | None = None,
    allow_private: bool = False,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> list[dict[str, Any]]:
    """Pages of the sample's kind that no link reaches: templates of addresses, each with what was `found` by it.

    >>> templates = hidden(getfixture("sample"))
    >>> sum(len(each["found"]) for each in templates) > 0
    True
    """
    given = _options({"archive": _archives(archive), "budget": budget, "delay": delay, "allow_private": allow_private})
    session = _native.Session(_samples(sample), json.dumps(given), stop or _native.Stop())
    with shown(progress) as callback:
        report: dict[str, Any] = json.loads(session.hidden(callback))
    return list(report["templates"])


def run(
    sample: str | Iterable[str],
    *,
    db: str | None = None,
    name: str | None = None,
    hidden: bool | None = None,
    archive: Archives = None,
    archive_base: str | None = None,
    budget: int | None = None,
    until: float | None = None,
    scope: Scope | None = None,
    example: Mapping[str, str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    delay: float | None = None,
    allow_private: bool = False,
    seed: int = 0,
    progress: ProgressOption = None,
    stop: _native.Stop | None = None,
) -> Records:
    """The whole job: discover all pages of the sample's kind, look for pages that no link reaches, read them.

    With `db` (a SQLite file or a PostgreSQL address) everything is kept, an interrupted run goes on where it stopped, and the next one asks
    only for what changed. Without it nothing is kept but what comes back.

    >>> drivers = run(getfixture("sample"), hidden=False)
    >>> len(drivers), drivers.stats["runs"][0]["state"]
    (168, 'done')
    """
    given = _options(
        {
            "db": db,
            "name": name,
            "hidden": hidden,
            "archive": _archives(archive),
            "archive_base": archive_base,
            "budget": budget,
            "until": until,
            "scope": scope,
            "example": dict(example or {}),
            "domain": _text(domain),
            "rename": dict(rename or {}),
            "delay": delay,
            "allow_private": allow_private,
            "seed": seed,
        }
    )
    with shown(progress) as callback:
        records, summary = _native.run(_samples(sample), json.dumps(given), stop or _native.Stop(), callback)
    return Records(records, {"runs": json.loads(summary)})


def check(records: Records | ArrowStream, reference: ArrowStream | str, rules: str) -> Table:
    """Are records true? One row a finding: `url`, `rule`, `conclusion`, `severity`, `lower`, `upper`, `because`.

    `records` and `reference` may be tables of pandas, polars or pyarrow; `reference` also a file or a table of a database, as the command takes it.
    `rules`: a rules file, or its text.

    >>> import pyarrow
    >>> offers = pyarrow.table({"_url": ["http://s/1", "http://s/2"], "code": ["H1", "H9"]})
    >>> approved = pyarrow.table({"code": ["H1", "H2"]})
    >>> rules = '''
    ... [[rules]]
    ... name = "R1"
    ... when = "not exists S where E.code = S.code"
    ... then = "Unapproved"
    ... confidence = 0.9
    ... '''
    >>> check(offers, approved, rules).to_arrow()["url"].to_pylist()
    ['http://s/2']
    """
    own = records._records if isinstance(records, Records) else _native.Records.from_table(records)
    return Table(_native.check(own, reference, _text(rules) or ""), "findings")


def links(pages: ArrowStream) -> list[Table]:
    """The links of a table of pages (`url`, `body`): `url`, `target`, `path` within the page, `text`.

    >>> import pyarrow
    >>> page = pyarrow.table({"url": ["http://s/"], "body": ["<ul><li><a href=/1>one</a></ul>"]})
    >>> links(page)[0].to_arrow()["target"].to_pylist()
    ['http://s/1']
    """
    return [Table(native, "links") for native in _native.links(pages)]
