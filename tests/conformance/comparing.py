"""Our answer to a topology document beside Flink's, field by field."""

import json
import re
from typing import Any

from checker.extract.documents.reader import iterate_documents
from checker.flink import translate
from checker.model.translation import RefusalKind
from checker.report.ids import ids_document

Answer = dict[str, Any]

REFUSALS = (
    ("Hash collision on user-specified ID", RefusalKind.HASH_COLLISION),
    ("Forward partitioning does not allow change of parallelism", RefusalKind.FORWARD_PARALLELISM),
    ("Auto generated UIDs have been disabled", RefusalKind.MISSING_UID),
    ("Cannot set a custom UID hash on a non-legacy sink", RefusalKind.UID_HASH_ON_SINK),
    ("Node hash must be a 32 character String", RefusalKind.MALFORMED_UID_HASH),
    ("No operators defined in streaming topology", RefusalKind.NO_OPERATORS),
)
"""How Flink's message begins → our kind of refusal; anything else is ``invalid``."""


def our_answer(document: Answer, version: str) -> Answer:
    """What ``ids`` prints for a document, read and translated for a Flink version."""
    ((_, topology),) = iterate_documents(json.dumps(document), "random.topology.json")
    return ids_document(translate(topology, version))


def without_counters(answer: Answer) -> Answer:
    """An answer without what differs between two runs of Flink itself.

    That is: ids of transformations inside of texts, and the order of coordinators (a map's). A refusal's Java class
    becomes our kind.
    """
    if "error" in answer:
        message = re.sub(r"-\d+(?= parallelism)", "", answer["message"])
        kind = next((str(kind) for start, kind in REFUSALS if message.startswith(start)), "invalid")
        known = answer["error"] in set(RefusalKind)
        return {"name": answer["name"], "error": answer["error"] if known else kind, "message": message}
    text = re.sub(r"Iteration(Source|Sink)-\d+", r"Iteration\1-N", json.dumps(answer))
    without: Answer = json.loads(text)
    for vertex in without["vertices"]:
        if "coordinators" in vertex:
            vertex["coordinators"].sort()
    return without


def difference(ours: Answer, flinks: Answer) -> str | None:
    """Where the two first differ, None where they say the same. Our message may be the beginning of Flink's."""
    ours, flinks = without_counters(ours), without_counters(flinks)
    if "error" in ours and "error" in flinks and flinks["message"].startswith(ours["message"]):
        flinks = {**flinks, "message": ours["message"]}
    return _first_difference(ours, flinks, "")


def _first_difference(ours: Any, flinks: Any, path: str) -> str | None:
    if isinstance(ours, dict) and isinstance(flinks, dict) and ours.keys() == flinks.keys():
        pairs = [(f"{path}.{key}", ours[key], flinks[key]) for key in ours]
    elif isinstance(ours, list) and isinstance(flinks, list) and len(ours) == len(flinks):
        pairs = [(f"{path}[{place}]", a, b) for place, (a, b) in enumerate(zip(ours, flinks, strict=True))]
    else:
        same = ours == flinks
        return None if same else f"{path.lstrip('.') or 'answer'}: we say {_short(ours)}, Flink {_short(flinks)}"
    return next((found for at, a, b in pairs if (found := _first_difference(a, b, at))), None)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 300 else text[:300] + "..."
