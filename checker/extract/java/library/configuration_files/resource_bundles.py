"""``ResourceBundle.getBundle`` of properties files in the repository.

The locale of the JVM that runs a program is not known: what a bundle of another locale says otherwise is not known
either, except where the program names a locale that has a bundle of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from checker.extract.java.library import resources
from checker.extract.java.machine.call_record import Call
from checker.extract.java.machine.exceptions import throw
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import Constant, ExternalObject, ListValue, Opaque, Value, boolean, string
from checker.extract.java.syntax.class_index import External
from checker.model.unknowns import Cause, Unknown, given_by

_TEXT: Final = External(("java.lang.String",))
_ROOT: Final = "ROOT"
_LOCALES: Final = {
    "ENGLISH": ("en",), "US": ("en_US", "en"), "UK": ("en_GB", "en"), "CANADA": ("en_CA", "en"),
    "GERMAN": ("de",), "GERMANY": ("de_DE", "de"), "FRENCH": ("fr",), "FRANCE": ("fr_FR", "fr"),
    "ITALIAN": ("it",), "ITALY": ("it_IT", "it"), "JAPANESE": ("ja",), "JAPAN": ("ja_JP", "ja"), _ROOT: (),
}  # fmt: skip
"""Constants of ``Locale`` → the endings of its bundles, as ``ResourceBundle.Control`` lists them."""


class Bundle(ExternalObject):
    """A bundle: its texts by key, and those that another locale may replace or add."""

    __slots__ = ("elsewhere", "entries", "name")

    def __init__(self, name: str, entries: Mapping[str, str], elsewhere: Mapping[str, set[str]]) -> None:
        ExternalObject.__init__(self, External(("java.util.ResourceBundle",)))
        self.name, self.entries, self.elsewhere = name, entries, elsewhere


def static_call(run: Run, external: External, call: Call) -> Value | None:
    """``ResourceBundle.getBundle(name)``, with a locale or class loader; None for everything else."""
    if (external.simple, call.name) != ("ResourceBundle", "getBundle") or not call.arguments:
        return None
    name, locale = call.arguments[0], None
    for given in call.arguments[1:]:
        if not isinstance(given, ExternalObject) or given.type.simple not in ("Locale", "ClassLoader"):
            return None
        if given.type.simple == "Locale":
            locale = given.calls[0][0] if given.calls else ""
    if not isinstance(name, Constant) or name.java != "String":
        return None
    path = name.text.replace(".", "/")
    if run.index.find(name.text, call.frame.decl.unit.path) is not None:
        return None  # a class comes before a file
    places = [p for p in run.index.ask("within", f"{path}_") if f"/{p}".rpartition(f"/{path}_")[2].count("/") == 0]
    variants = {place.rpartition(f"{path}_")[2]: place for place in places}
    if len(variants) < len(places) or any(not ending.endswith(".properties") for ending in variants):
        return None  # classes, or files of several modules

    def read(ending: str) -> dict[str, str]:
        return resources.properties(run, variants[f"{ending}.properties"], "utf-8")

    own = [ending for ending in _LOCALES.get(locale or "", ()) if f"{ending}.properties" in variants]
    found = resources.path_of(run, resources.opened(run, f"{path}.properties", call.frame))
    entries: dict[str, str] = {} if found is None else resources.properties(run, found, "utf-8")
    for ending in reversed(own):
        entries |= read(ending)
    if found is None and not own:
        if variants or not resources.is_absent(run, f"{path}.properties"):
            return None
        throw("MissingResourceException")
    elsewhere: dict[str, set[str]] = {}
    if not own and locale != _ROOT:
        for ending in variants:
            for key, text in read(ending.removesuffix(".properties")).items():
                if entries.get(key) != text:
                    elsewhere.setdefault(key, set()).add(text)
    return Bundle(name.text, entries, elsewhere)


def call(run: Run, receiver: ExternalObject, call: Call) -> Value | None:
    """A method of a bundle; None where it is not modelled."""
    if not isinstance(receiver, Bundle):
        return None
    if call.name == "keySet" and not call.arguments and not receiver.elsewhere.keys() - receiver.entries.keys():
        return ListValue(tuple(string(key) for key in receiver.entries), "RandomSet")
    key = call.arguments[0] if len(call.arguments) == 1 else None
    if not isinstance(key, Constant) or key.java != "String":
        return None
    given = dict(run.entry.values).get(key.text)
    if call.name == "containsKey":
        known = key.text in receiver.entries or key.text not in receiver.elsewhere
        return boolean(key.text in receiver.entries) if known else None
    if call.name not in ("getString", "getObject"):
        return None
    if given is not None:
        return string(given, frozenset({key.text}))
    if key.text in receiver.elsewhere:
        texts = sorted(receiver.elsewhere[key.text] | {receiver.entries.get(key.text, "")})
        why = Unknown(
            f"'{key.text}' of the resource bundle '{receiver.name}' depends on the locale", Cause.ARGUMENT,
            given_by(key.text), run.location(call.site), derived_from=f"one of {texts}",
        )  # fmt: skip
        return Opaque(why, f"bundle:{receiver.name}:{key.text}", _TEXT, frozenset({key.text}))
    if key.text not in receiver.entries:
        throw("MissingResourceException")
    return string(receiver.entries[key.text])
