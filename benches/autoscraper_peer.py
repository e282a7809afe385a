"""What does autoscraper find by example?

Started by ``cargo bench --workspace --bench=by_example``:

    autoscraper_peer.py SITES RECORDS

SITES holds a site a line: ``{"site", "examples": {name: [values]}, "pages": [{"url", "html"}]}``; the examples are of the
first page. Writes a line for each other page to RECORDS: ``{"site", "url", "attributes": {name: [values]}}``. The
sites are shared out among the processors.

``build`` with the examples, then ``get_result_exact`` on each page: what its documentation advises for pages of one kind.
"""

import json
import sys
import warnings
from multiprocessing import Pool

from autoscraper import AutoScraper


# Pages that begin as XML are told of, one by one.
warnings.simplefilter("ignore")


def records(line):
    site = json.loads(line)
    scraper = AutoScraper()
    first, *others = site["pages"]
    scraper.build(html=first["html"], wanted_dict=site["examples"])
    found = []
    for page in others:
        values = scraper.get_result_exact(html=page["html"], group_by_alias=True)
        found.append({"site": site["site"], "url": page["url"], "attributes": dict(values)})
    return found


def main():
    with open(sys.argv[1], encoding="utf-8") as sites, open(sys.argv[2], "w", encoding="utf-8") as out, Pool() as pool:
        for found in pool.imap(records, sites):
            for record in found:
                print(json.dumps(record), file=out)


if __name__ == "__main__":
    main()
