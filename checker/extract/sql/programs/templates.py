"""Statements of which parts are not known: planned all the same where the parts are values of a connector's options.

Which topic, server or path a table has moves no operator, and a format that is not known leaves its table's open.
What decides about operators (the connector, a parallelism) or stands outside of an option's quotes leaves the
statement unknown.
"""

from __future__ import annotations

import re
from hashlib import sha256

from checker.model.table_programs import ResultOf, Template
from checker.model.unknowns import Unknown

UNKNOWN_PART = "unknown-"
"""How the words begin that stand for unknown parts."""
_FORMAT = re.compile(r"((key|value)\.)?format")
RESULT = re.compile("\0(\\d+)\0")
"""What stands for a text that an earlier call gives, by its step."""
_KEY = re.compile(r"'((?:[^']|''){0,200}+)'\s*+=\s*+'(?:[^']|''){0,20000}+$")
_DECIDES = re.compile(
    r"connector(\.type)?|.*parallelism|type|property-version|lookup\..*|sink\.(delivery-guarantee|semantic|"
    r"transactional.*|upsert.*|buffer-flush.*|partition-commit.*)|auto-compaction|changelog.*|scan\.(bounded.*|incremental.*|"
    r"startup.*)|streaming-source.*|number-of-rows|.*changelog.*|write\.upsert.*|merge-engine"
)


def filled(template: Template) -> str | Unknown:
    """The text with a word in the place of each part that is not known; the first of these parts where none may be."""
    text = ""
    for number, part in enumerate(template.parts):
        if isinstance(part, str):
            text += part
            continue
        if isinstance(part, ResultOf):
            text += f"\0{part.step}\0"
            continue
        key = _KEY.search(text)
        source = part.derived_from
        nameless = source is None and key is not None and _FORMAT.fullmatch(key[1])
        if key is None or _DECIDES.fullmatch(key[1]) or nameless or not _inside_text(text):
            return part
        text += f"{UNKNOWN_PART}{number if source is None else sha256(source.encode()).hexdigest()[:12]}"
    return text


def filled_option(key: str, value: Template | Unknown) -> str | Unknown:
    """The value of a connector's option that a program sets by its key, as ``filled`` has it."""
    before = f"'{key}' = '"
    text = filled(Template((before, *(value.parts if isinstance(value, Template) else (value,)))))
    return text.removeprefix(before) if isinstance(text, str) else text


def _inside_text(text: str) -> bool:
    """Whether a statement breaks off inside of quotes."""
    return text.count("'") % 2 == 1
