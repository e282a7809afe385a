"""How fast do selectolax and lxml parse pages and find the tag paths of every ``<a href>``?

Started by ``cargo bench -p pagekin-core --bench page``:

    peers.py PAGES ROUNDS

PAGES holds pages, each behind its length (eight bytes, little end first). Prints a line for each peer: name,
seconds of thread CPU time (the best of ROUNDS), distinct paths over all pages; tabs between.

The code is what one would write for speed: a parent's path is worked out once and remembered, and the anchors
of one parent share it.
"""

import gc
import sys
import time
from importlib.metadata import version

from lxml import etree
from selectolax.lexbor import LexborHTMLParser


def read_pages(path):
    with open(path, "rb") as file:
        while head := file.read(8):
            yield file.read(int.from_bytes(head, "little"))


def lexbor_path(node, known):
    key = node.mem_id
    path = known.get(key)
    if path is None:
        parent = node.parent
        above = "" if parent is None else lexbor_path(parent, known)
        path = known[key] = f"{above}/{node.tag}"
    return path


def selectolax_paths(page):
    tree = LexborHTMLParser(page)
    known = {}
    parents = set()
    for anchor in tree.css("a[href]"):
        parent = anchor.parent
        path = known.get(parent.mem_id)
        parents.add(lexbor_path(parent, known) if path is None else path)
    return {f"{path}/a" for path in parents}


def lxml_path(element, known):
    path = known.get(element)
    if path is None:
        parent = element.getparent()
        above = "" if parent is None else lxml_path(parent, known)
        path = known[element] = f"{above}/{element.tag}"
    return path


LXML_PARSER = etree.HTMLParser(encoding="utf-8")


def lxml_paths(page):
    tree = etree.HTML(page, LXML_PARSER)
    known = {}
    parents = set()
    for anchor in tree.iter("a"):
        if "href" in anchor.attrib:
            parent = anchor.getparent()
            path = known.get(parent)
            parents.add(lxml_path(parent, known) if path is None else path)
    return {f"{path}/a" for path in parents}


def measure(work, pages, rounds):
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.thread_time()
        paths = sum(len(work(page)) for page in pages)
        best = min(best, time.thread_time() - start)
    return best, paths


def main():
    pages = list(read_pages(sys.argv[1]))
    rounds = int(sys.argv[2])
    for name, work in (("selectolax", selectolax_paths), ("lxml", lxml_paths)):
        seconds, paths = measure(work, pages, rounds)
        print(f"{name} {version(name)}", seconds, paths, sep="\t")


if __name__ == "__main__":
    main()
