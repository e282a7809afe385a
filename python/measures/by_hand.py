"""What a scraping engineer writes today for a site: warcio, selectolax or lxml, and a function that knows the selectors. `scale.py` compares with it.

Each function takes a tree and gives the attributes that the pages of its site have: what stands under a label, the texts, the table within the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

SCHEMA = "url string, record string"


def f1_selectolax(tree: Any) -> dict[str, Any]:
    main = tree.css_first("main")
    record: dict[str, Any] = {"name": main.css_first("h1").text(strip=True)}
    born = main.css_first("h1 + p")
    record["nationality"], _, record["birth_date"] = born.text(strip=True).partition(" · Born ")
    for tile in main.css("div.grid > div"):
        value, label = (node.text(strip=True) for node in tile.iter())
        record[label.lower().replace(" ", "_")] = value
    record["teams"] = [node.text(strip=True) for node in main.css("div.flex-wrap > a")]
    record["description"] = " ".join(node.text(strip=True) for node in main.css("section section p"))
    heads = [node.text(strip=True).lower() for node in main.css("table th")]
    record["seasons"] = [dict(zip(heads, (cell.text(strip=True) for cell in row.css("td")))) for row in main.css("table tbody tr")]
    return record


def f1_lxml(tree: Any) -> dict[str, Any]:
    main = tree.find(".//main")
    record: dict[str, Any] = {"name": main.find(".//h1").text_content().strip()}
    born = main.xpath(".//h1/following-sibling::p[1]")[0]
    record["nationality"], _, record["birth_date"] = born.text_content().strip().partition(" · Born ")
    for tile in main.xpath(".//div[contains(@class, 'grid')]/div"):
        value, label = (node.text_content().strip() for node in tile.xpath("./div"))
        record[label.lower().replace(" ", "_")] = value
    record["teams"] = [node.text_content().strip() for node in main.xpath(".//div[contains(@class, 'flex-wrap')]/a")]
    record["description"] = " ".join(node.text_content().strip() for node in main.xpath(".//section//section//p"))
    heads = [node.text_content().strip().lower() for node in main.xpath(".//table//th")]
    record["seasons"] = [dict(zip(heads, (cell.text_content().strip() for cell in row.xpath("./td")))) for row in main.xpath(".//table/tbody/tr")]
    return record


def recipe_selectolax(tree: Any) -> dict[str, Any]:
    article = tree.css_first("main article")
    head = article.css("header p")
    return {
        "title": article.css_first("h1").text(strip=True),
        "date": head[0].text(strip=True) if head else None,
        "description": head[1].text(strip=True) if len(head) > 1 else None,
        "steps": [node.text(strip=True) for node in article.css("article > ul > li")],
        "tags": [node.text(strip=True) for node in article.css("footer nav a")],
    }


def recipe_lxml(tree: Any) -> dict[str, Any]:
    article = tree.find(".//main/article")
    head = article.xpath("./header/p")
    return {
        "title": article.find(".//h1").text_content().strip(),
        "date": head[0].text_content().strip() if head else None,
        "description": head[1].text_content().strip() if len(head) > 1 else None,
        "steps": [node.text_content().strip() for node in article.xpath("./ul/li")],
        "tags": [node.text_content().strip() for node in article.xpath("./footer/nav//a")],
    }


def news_selectolax(tree: Any) -> dict[str, Any]:
    content = tree.css_first("#main_content")
    info, date = content.css_first("p.article_info"), content.css_first("p.article_info .date")
    return {
        "title": content.css_first("h2").text(strip=True),
        "date": date and date.text(strip=True),
        "author": info and info.text(strip=True, deep=False).removeprefix("By").strip(),
        "text": "\n".join(node.text(strip=True) for node in content.css("p") if not node.attributes.get("class")),
        "links": [node.attributes.get("href") for node in content.css("#related a")],
    }


def news_lxml(tree: Any) -> dict[str, Any]:
    content = tree.get_element_by_id("main_content")
    info, date = content.xpath(".//p[@class='article_info']"), content.xpath(".//p[@class='article_info']/span[@class='date']")
    return {
        "title": content.find(".//h2").text_content().strip(),
        "date": date[0].text_content().strip() if date else None,
        "author": (info[0].text or "").strip().removeprefix("By").strip() if info else None,
        "text": "\n".join(node.text_content().strip() for node in content.xpath(".//p[not(@class)]")),
        "links": [node.get("href") for node in content.xpath(".//*[@id='related']//a")],
    }


#: Site, the file that lists its pages, and the two parsers.
SITES: dict[str, tuple[Callable[[Any], dict[str, Any]], Callable[[Any], dict[str, Any]]]] = {
    "f1_pitlanestats": (f1_selectolax, f1_lxml),
    "recipes_wika": (recipe_selectolax, recipe_lxml),
    "news_ucf": (news_selectolax, news_lxml),
}


def records(site: str, library: str, path: str) -> Iterator[tuple[str, str]]:
    """The records of an archive."""
    from warcio.archiveiterator import ArchiveIterator

    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response" or "html" not in (record.http_headers.get_header("Content-Type") or ""):
                continue
            body, url = record.content_stream().read(), record.rec_headers.get_header("WARC-Target-URI")
            yield url, json.dumps(parsed(site, library, body), ensure_ascii=False)


def parsed(site: str, library: str, body: bytes) -> dict[str, Any]:
    if library == "selectolax":
        from selectolax.lexbor import LexborHTMLParser

        return SITES[site][0](LexborHTMLParser(body))
    from lxml import html

    return SITES[site][1](html.fromstring(body))


def mapped(site: str, library: str) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """For `mapInArrow`: a table of paths → records."""

    def apply(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        for batch in batches:
            for path in batch.column(0).to_pylist():
                urls, lines = zip(*records(site, library, path))
                yield pyarrow.record_batch([pyarrow.array(urls), pyarrow.array(lines)], ["url", "record"])

    return apply
