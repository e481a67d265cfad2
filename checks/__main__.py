"""`python3 -m checks COMMAND`: the checks beyond the tests of cargo. The Makefile names the commands that people need."""

import sys
from pathlib import Path

from local.commands import Commands

from . import counts, e2e, links, load, pages, prove, search, workflows


COMMANDS = Commands("python3 -m checks", "Checks the project.")
add = COMMANDS.add
add("links", "check the links of the documents", lambda _: links.check())
add("workflows", "lint the workflows", lambda _: workflows.check())
add("e2e", "one journey through the deployed stack", lambda _: e2e.run())
command = add("prove", "run the long proofs, or those that are named, and print their table", lambda options: prove.run(options.names))
command.add_argument("names", nargs="*", metavar="NAME", help="; ".join(f"{proof.name}: {proof.shows}" for proof in prove.PROOFS))
command = add("proof", "run one proof, or named parts of it", lambda options: prove.prove(options.name, options.parts))
command.add_argument("name", metavar="NAME")
command.add_argument("parts", nargs="*", metavar="PART", help="; ".join(f"{proof.name}: {proof.parts}" for proof in prove.PROOFS if proof.parts))
add("record", "make the counts of this checkout the baseline", lambda _: counts.record())
command = add("rates", "how often search finds what people type", lambda options: search.report(options.taxonomies, options.third, options.misses))
command.add_argument("taxonomies", nargs="*", metavar="TAXONOMY", help=f"{', '.join(search.rates.TAXONOMIES)}; all where none is named")
command.add_argument("--third", type=int, choices=search.THIRDS, default=1, help="the third of the names; the last is for the proof")
command.add_argument("--misses", type=int, default=0, help="failures that are shown of each kind")
command = add("pictures", "take the pictures of the documents", lambda options: pages.pictures(options.folder))
command.add_argument("folder", type=Path)
command = add("load", "load the stack and the function while versions are published", lambda options: load.run(options.seconds, options.part, options.record))
command.add_argument("--seconds", type=int, default=3600, help="the time in total; an hour by default")
command.add_argument("--part", choices=load.PARTS, help="only this part, for the whole time")
command.add_argument("--record", action="store_true", help="write docs/load.md")

if __name__ == "__main__":
    sys.exit(COMMANDS.main())
