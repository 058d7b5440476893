"""Values of Spring's environment: ``application.yml`` and ``.properties``, under arguments and variables."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from checker.extract.java.library import resources
from checker.extract.java.library.yaml_documents import Scalar, Tree, yaml_tree
from checker.extract.java.machine import numbers
from checker.extract.java.machine.exceptions import UnreadError
from checker.extract.java.machine.speculation import Run
from checker.extract.java.machine.values import NULL, Constant, ListValue, Opaque, Value, boolean, string
from checker.extract.java.syntax.class_index import External
from checker.extract.java.syntax.type_refs import TypeRef
from checker.extract.paths import module_of
from checker.model.unknowns import Cause, Unknown, given_by

PROFILES: Final = "spring.profiles.active"
_FILE: Final = re.compile(r"(?:config/)?(application|bootstrap)(-[\w-]+)?\.(properties|ya?ml)")
_PLACE: Final = re.compile(r"\$\{([^${}:]+)(?::([^${}]*))?\}")
_MOST_NESTED: Final = 10
_TEXT: Final = External(("java.lang.String",))


def relaxed(name: str) -> str:
    """A key as Spring's binder compares it: in small letters, without dashes and underscores."""
    return re.sub(r"[-_]", "", name).lower()


class Properties:
    """The environment of one program. ``main`` is the file of its main class, ``given`` whether its arguments count."""

    def __init__(self, run: Run, main: str, *, given: bool) -> None:
        self._run = run
        self._module = module_of(main)
        self._given = given

    @cached_property
    def _files(self) -> list[tuple[str, re.Match[str]]]:
        folder = f"{self._module}/src/main/resources/" if self._module else "src/main/resources/"
        paths = [path for path in self._run.index.ask("within", folder) if path.startswith(folder)]
        return [(path, found) for path in paths if (found := _FILE.fullmatch(path.removeprefix(folder)))]

    @cached_property
    def _plain(self) -> dict[str, str | None]:
        """Key → value of the files that always count, ``.properties`` first; None where it is not known."""
        found: dict[str, str | None] = {}
        for path, match in sorted(self._files, key=lambda file: file[1][3] != "properties"):
            if match[2] is None and match[1] == "application":
                for key, value in self._read(path, match[3]).items():
                    found.setdefault(key, value)
        return found

    @cached_property
    def _elsewhere(self) -> frozenset[str]:
        """Keys of files that only count under a profile, or that a configuration server's bootstrap reads."""
        others = [(path, m) for path, m in self._files if m[2] is not None or m[1] != "application" or "/" in m[0]]
        return frozenset(key for path, match in others for key in self._read(path, match[3]))

    @cached_property
    def readable(self) -> bool:
        """Whether every file could be read: in others any key may stand."""
        try:
            _ = self._plain, self._elsewhere
        except UnreadError:
            return False
        return True

    def _read(self, path: str, ending: str) -> dict[str, str | None]:
        if ending == "properties":
            read = resources.properties(self._run, path)
            return {relaxed(key): value for key, value in read.items() if "[" not in key}
        text = self._run.index.read(path).decode("utf-8", "replace")
        return dict(_flat(yaml_tree(text), ""))

    def value(self, key: str) -> str | Value | None:
        """What a key has: a text, an unknown value, or None where nothing gives it."""
        entry = self._run.entry
        set_by_hand = dict(entry.values).get(key)
        if set_by_hand is not None:
            return set_by_hand
        if self._given:
            if not entry.arguments_known:
                return self._unknown(key, "the program's arguments may give it", Cause.ARGUMENT)
            for argument in entry.args:
                if relaxed(argument.partition("=")[0]) == relaxed(f"--{key}"):
                    return argument.partition("=")[2]
        variable = re.sub(r"[.]", "_", key.replace("-", "")).upper()
        environment = dict(entry.environment)
        if variable in environment or key in environment:
            return environment.get(key, environment.get(variable))
        deployment = entry.deployment
        if deployment is not None and variable in deployment.filled_later:
            return self._unknown(key, f"the variable {variable} is filled in later", Cause.ARGUMENT)
        if not self.readable:
            return self._unknown(key, "a configuration file of Spring can't be read", Cause.EXTERNAL)
        name = relaxed(key)
        if name in self._elsewhere and not self.no_profile:
            why = f"{PROFILES} decides which profile is active"
            return self._unknown(key, why, Cause.ARGUMENT, PROFILES)
        if name in self._plain:
            found = self._plain[name]
            return (
                self._unknown(key, "its value in a configuration file is filled in later", Cause.EXTERNAL)
                if (found is None or "@" in found)
                else found
            )
        return (
            None
            if not any(plain_key.startswith((f"{name}.", f"{name}[")) for plain_key in self._plain)
            else self._unknown(key, "it is a list or a table", Cause.EXTERNAL)
        )

    def has_below(self, key: str) -> bool:
        """Whether a file sets something below a key."""
        if not self.readable:
            raise UnreadError("a configuration file of Spring can't be read")
        return any(k.startswith((f"{relaxed(key)}.", f"{relaxed(key)}[")) for k in {*self._plain, *self._elsewhere})

    def listed(self, key: str) -> list[str] | None:
        """The texts of a list in the files that always count; None where it is none, or another file may replace it."""
        name = f"{relaxed(key)}["
        if not self.readable or (any(k.startswith(name) for k in self._elsewhere) and not self.no_profile):
            return None
        given = {k: v for k, v in self._plain.items() if k.startswith(name)}
        found = [given.get(f"{name}{place}]") for place in range(len(given))]
        resolved = [None if text is None or "@" in text else self.resolved(text) for text in found]
        texts = [text for text in resolved if isinstance(text, str)]
        return texts if len(texts) == len(given) else None

    @property
    def no_profile(self) -> bool:
        """Whether certainly no profile is active."""
        return self._run.entry.assume_defaults and relaxed(PROFILES) not in self._plain

    def resolved(self, text: str, depth: int = 0) -> str | Value:
        """A text with its places filled in; an unknown value where one of them is. Raises UnreadError."""
        if "#{" in text or depth > _MOST_NESTED:
            raise UnreadError
        match = _PLACE.search(text)
        if match is None:
            if "${" in text:
                raise UnreadError
            return text
        found = self.value(match[1])
        if found is None:
            if match[2] is None:
                raise UnreadError  # Spring refuses to start, or something else gives it
            found = match[2]
        if isinstance(found, str):
            return self.resolved(f"{text[: match.start()]}{found}{text[match.end() :]}", depth + 1)
        if match[0] != text:
            raise UnreadError
        return found

    def converted(self, text: str, ref: TypeRef) -> Value:
        """A text as a type: of ``@Value`` and of the environment's getters. Raises UnreadError."""
        found = self.resolved(text)
        if not isinstance(found, str):
            return (
                found
                if ref.simple == "String"
                else Opaque(found.unknown, found.symbol)
                if (isinstance(found, Opaque))
                else found
            )
        return convert(found, ref)

    def _unknown(self, key: str, why: str, cause: Cause, settled_by: str | None = None) -> Value:
        name = settled_by or key
        reason = f"cannot tell Spring's property '{key}' ({why})"
        return Opaque(Unknown(reason, cause, given_by(name)), f"spring:{key}", _TEXT, frozenset({name}))


def convert(text: str, ref: TypeRef) -> Value:
    """A text as Spring converts it to plain types and lists of texts. Raises UnreadError."""
    kind = numbers.primitive(ref.simple)
    if ref.dimensions == 0 and ref.simple == "String":
        return string(text)
    if ref.simple in ("List", "Collection") and [a.simple for a in ref.arguments] == ["String"] and not ref.dimensions:
        return ListValue(tuple(string(part.strip()) for part in text.split(",")) if text else ())
    if ref.dimensions:
        raise UnreadError
    if kind == "boolean" and text in ("true", "false"):
        return boolean(text == "true")
    if kind in ("int", "long", "short") and re.fullmatch(r"-?(?:0|[1-9]\d{0,17})", text):
        number = Constant(int(text), "long")
        found = numbers.convert(number, kind)
        if found.value == number.value:
            return found
    raise UnreadError


def _flat(tree: Tree, above: str) -> list[tuple[str, str | None]]:
    if isinstance(tree, Scalar):
        return [(relaxed(above), "" if tree.value is NULL else tree.text)]
    inner = tree.items() if isinstance(tree, dict) else [(f"[{place}]", element) for place, element in enumerate(tree)]
    found: list[tuple[str, str | None]] = []
    for key, value in inner:
        found += _flat(value, f"{above}{'' if key.startswith('[') or not above else '.'}{key}")
    return found
