"""How many pipelines of repositories are read exactly: alone, as their deployments run them, and with assumptions.

    python -m benchmarks.deployed_repositories REPOSITORY... [--verbose]

Each REPOSITORY is a clone, read at HEAD. A pipeline is exact where nothing about its ids or chains is open, and where
Flink refuses it or it keeps no state (batch mode). It counts with its deployments if it is exact in each of its
environments. Programs with tables, which need Flink's planner, and those of releases of Flink that are not supported
are counted apart. Nothing of a repository is run.
"""

import argparse
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from checker.errors import CheckerError, UnsupportedFlinkError
from checker.extract import registry
from checker.flink import translate
from checker.model.pipelines import ExtractorKind, PipelineEntry
from checker.model.sources import SourceFiles
from checker.revisions import Repository
from checker.settings import Settings
from checker.workflows.check.environments import deployed_entries

_UNSUPPORTED = "a release of Flink that is not supported"
_PLANNED = "plans the operators of a table"
MODES = ("alone", "with deployments", "with --assume defaults")


def openly(entry: PipelineEntry, files: SourceFiles) -> str | None:
    """Why a pipeline is not exact, None where it is."""
    try:
        read = registry.extract(files, entry)
        if read is None or read.topology is None:
            return f"not read: {None if read is None else read.failure}"
        if read.topology.takes_no_savepoints:
            return None
        translation = translate(read.topology)
    except UnsupportedFlinkError:
        return _UNSUPPORTED
    except CheckerError as error:
        return f"not read: {error}"
    if translation.refusal is not None:
        return None
    return next((f"{u.unknown.reason} ({u.unknown.settled_by})" for u in translation.undecided), None)


def pipelines(files: SourceFiles) -> dict[str, list[str | None]]:
    """Pipeline → why it is not exact, in each mode."""
    found: dict[str, list[str | None]] = {}
    for mode in range(len(MODES)):
        settings = Settings(deployments=mode > 0, assume_defaults=mode == len(MODES) - 1)
        discovered = [e for e in registry.discover(files, settings).entries if e.extract is not ExtractorKind.SQL]
        worst: dict[str, str | None] = {}
        for entry in deployed_entries(discovered, files, settings):
            name = entry.name.partition(" @ ")[0]
            worst[name] = worst.get(name) or openly(replace(entry, name=name), files)
        for name, why in worst.items():
            found.setdefault(name, []).append(why)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--verbose", action="store_true", help="name each pipeline that is not exact alone")
    options = parser.parse_args()
    total: Counter[str] = Counter()
    for folder in options.repositories:
        found = pipelines(Repository(folder).revision("HEAD").files)
        tables = [name for name, reasons in found.items() if any(_PLANNED in (reason or "") for reason in reasons)]
        old = [name for name, reasons in found.items() if _UNSUPPORTED in reasons]
        open_ = {n: reasons for n, reasons in found.items() if reasons[0] is not None and n not in (*tables, *old)}
        total += Counter(pipelines=len(found), tables=len(tables), old=len(old), undecided=len(open_))
        for number, mode in enumerate(MODES[1:], 1):
            total[mode] += sum(reasons[number] is None for reasons in open_.values())
        print(f"{folder.name}: {len(found)} pipelines, {len(open_)} undecided alone", flush=True)
        for name, reasons in open_.items() if options.verbose else ():
            print(f"  {name}")
            for mode, reason in zip(MODES, reasons, strict=True):
                print(f"    {mode}: {(reason or 'exact')[:200]}")
    apart = f"{total['tables']} with tables, {total['old']} of releases that are not supported"
    print(f"{total['pipelines']} pipelines, {apart}, {total['undecided']} undecided alone")
    for mode in MODES[1:]:
        print(f"of these exact {mode}: {total[mode]} ({total[mode] / max(1, total['undecided']):.0%})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
