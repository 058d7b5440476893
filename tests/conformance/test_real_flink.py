"""Fresh random documents: a real Flink of every minor version and our core must say the same in every field.

The seed is today's date, so that every day tries others; set SEED to repeat a run.
"""

import datetime
import json
import os
import random

import pytest

from tests.conformance.ask_flink import Document, ask_flink
from tests.conformance.comparing import difference, our_answer
from tests.conformance.random_documents import random_document
from tests.conformance.rich_documents import rich_document
from tests.flinks import asked, jars_of

VERSIONS = asked("1.16.3", "1.17.2", "1.18.1", "1.19.3", "1.20.5", "2.0.2", "2.1.3", "2.2.1", "2.3.0")
SEED = int(os.environ.get("SEED", datetime.date.today().strftime("%Y%m%d")))
COUNT = int(os.environ.get("DOCUMENTS", "40"))
"""Documents of each family (large: a tenth) and version."""

pytestmark = [pytest.mark.flink, pytest.mark.timeout(1800)]


def documents_of(family: str, version: str) -> list[Document]:
    rng = random.Random(f"{SEED} {family} {version}")
    if family == "large":
        return [random_document(rng, number, size=150) for number in range(max(2, COUNT // 10))]
    if family == "rich":
        return [rich_document(rng, number) for number in range(COUNT)]
    return [random_document(rng, number, strict=family == "strict") for number in range(COUNT)]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_core_says_what_flink_says(version: str) -> None:
    jars_of(version)
    documents = [d for family in ("plain", "strict", "large", "rich") for d in documents_of(family, version)]
    answers = ask_flink(version, documents)
    assert len(answers) == len(documents)
    accepted = sum("error" not in answer for answer in answers)
    assert accepted > len(documents) / 2, "most random documents must be programs that Flink takes"
    wrong = []
    for document, flinks in zip(documents, answers, strict=True):
        found = difference(our_answer(document, version), flinks)
        if found:
            wrong.append((len(document["transformations"]), f"{found}\n    {json.dumps(document)}"))
    wrong.sort()
    shown = "\n  ".join(text for _, text in wrong[:3])
    assert not wrong, f"SEED={SEED}, Flink {version}: {len(wrong)} of {len(documents)} documents differ\n  {shown}"
