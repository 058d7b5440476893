"""Functions and constants of Python's standard library that are computed by calling the real ones."""

from __future__ import annotations

import ast
import base64
import binascii
import collections
import configparser
import datetime
import functools
import hashlib
import html
import itertools
import json
import math
import operator
import re
import string
import textwrap
import urllib.parse
import uuid
import zlib
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, Final

from checker.extract.interpreting.bounds import MAX_TEXT, TOO_LONG
from checker.extract.python.interpreter.evaluate import Call, value
from checker.extract.python.interpreter.evaluate import call as call_value
from checker.extract.python.interpreter.python_calls import Doing, counted, perform
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.signals import UnclearError
from checker.extract.python.interpreter.values import Arguments, Guarded, Opaque, Scope, Value, truth, unknown
from checker.extract.python.library.resources import UnfilledGroups
from checker.model.unknowns import Cause, Location, Unknown

_REFERENCE: Final = re.compile(r"%\(([^)]{1,500})\)s")


class _Counted(configparser.BasicInterpolation):
    def before_get(
        self, parser: MutableMapping[str, Mapping[str, str]], section: str, option: str, value: str,
        defaults: Mapping[str, str],
    ) -> str:  # fmt: skip
        if _length(value, defaults, {}) > MAX_TEXT:
            raise UnclearError(Unknown(TOO_LONG, Cause.LIMIT))
        return super().before_get(parser, section, option, value, defaults)


def _length(value: str, values: Mapping[str, str], known: dict[str, int]) -> int:
    """The length of a value with its references written out."""
    found = len(value)
    for name in map(str.lower, _REFERENCE.findall(value)):
        if name not in known:
            known[name] = 0  # one that refers to itself is refused later
            known[name] = _length(values.get(name) or "", values, known)
        found += known[name]
    return found


def bounded_configuration(*given: Any, **named: Any) -> configparser.ConfigParser:
    """``ConfigParser(...)``."""
    return configparser.ConfigParser(*given, **{"interpolation": _Counted(), **named})


_MODULES: dict[str, tuple[Any, str]] = {
    "configparser": (configparser, "RawConfigParser"),
    "collections": (collections, "deque Counter OrderedDict ChainMap defaultdict namedtuple"),
    "functools": (functools, "reduce cmp_to_key"),
    "itertools": (itertools, "chain islice accumulate product permutations combinations groupby count cycle repeat "
                             "starmap zip_longest compress pairwise tee combinations_with_replacement"),
    "json": (json, "dumps loads"),
    "math": (math, "ceil floor sqrt log log2 log10 gcd lcm fabs trunc isclose fsum copysign fmod hypot exp"),
    "operator": (operator, "itemgetter add sub concat eq ne lt gt le ge and_ or_ not_ mod floordiv truediv neg "
                           "contains getitem countOf"),
    "datetime": (datetime, "timedelta"),
    "hashlib": (hashlib, "md5 sha1 sha224 sha256 sha384 sha512 blake2b blake2s"),
    "base64": (base64, "b64encode b64decode urlsafe_b64encode urlsafe_b64decode b32encode b16encode"),
    "binascii": (binascii, "crc32 hexlify"),
    "zlib": (zlib, "crc32 adler32"),
    "textwrap": (textwrap, "dedent indent shorten"),
    "string": (string, "capwords Template"),
    "html": (html, "escape unescape"),
    "urllib.parse": (urllib.parse, "quote quote_plus unquote unquote_plus urlparse urlsplit urlencode urljoin"),
    "uuid": (uuid, "uuid3 uuid5 UUID"),
    "re": (re, "sub subn split findall match search fullmatch compile escape"),
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    f"{module}.{name}": getattr(of, name) for module, (of, names) in _MODULES.items() for name in names.split()
}
_FUNCTIONS["configparser.ConfigParser"] = bounded_configuration
_FUNCTIONS["itertools.chain.from_iterable"] = itertools.chain.from_iterable
_CONSTANTS: dict[str, Any] = {
    **{f"string.{name}": getattr(string, name) for name in
       ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits", "punctuation", "hexdigits", "whitespace")},
    **{f"uuid.{name}": getattr(uuid, name) for name in ("NAMESPACE_DNS", "NAMESPACE_URL", "NAMESPACE_OID")},
    **{f"re.{name}": getattr(re, name) for name in ("IGNORECASE", "I", "MULTILINE", "M", "DOTALL", "S", "ASCII", "A")},
    "math.pi": math.pi, "math.e": math.e, "math.inf": math.inf, "os.sep": "/", "os.linesep": "\n",
}  # fmt: skip
_PREDICATES: dict[str, Callable[[Callable[[Any], bool], Any], Iterator[Any]]] = {
    "itertools.takewhile": itertools.takewhile,
    "itertools.dropwhile": itertools.dropwhile,
    "itertools.filterfalse": itertools.filterfalse,
}


def constant(path: str) -> Value | None:
    """The value of a constant by its dotted path; None for others."""
    return _CONSTANTS.get(path)


def of_library(run: Run, call: Call) -> tuple[Value] | None:
    """The result of a function by its dotted path; None where it is not one of those here."""
    predicate = _PREDICATES.get(call.name)
    if predicate is not None and len(call.positional) == 2:
        test = _decided(run, call.positional[0], call.place)
        return (perform(run, lambda items: predicate(test, items), Arguments(call.positional[1:], {}), call.place),)
    taken = call.argument(0, "attr")
    if call.name == "operator.attrgetter" and len(call.positional) == 1 and _takes_member(taken):
        selector = ast.parse(f"lambda value: value.{taken}", mode="eval").body
        return (value(run, selector, Scope({}, call.place.file)),)
    function = _FUNCTIONS.get(call.name)
    if function is None:
        return None
    text = call.argument(0, "s") if call.name == "json.loads" else None
    if isinstance(text, UnfilledGroups):
        return (text.loaded(),)
    if isinstance(text, Opaque) and text.holds:
        return (text,)
    found = perform(
        run,
        function,
        call.arguments,
        call.place,
        doing=Doing(large=call.name.startswith(("math.", "zlib.")), calls=True),
    )
    if isinstance(found, Iterator) and not isinstance(found, Guarded) and not isinstance(found, tuple):
        found = counted(run, found, call.place)
    return (found,)


def _takes_member(name: Value) -> bool:
    return isinstance(name, str) and all(part.isidentifier() for part in name.split("."))


def _decided(run: Run, test: Value, place: Location) -> Callable[[Any], bool]:
    def decided(item: Value) -> bool:
        result = call_value(run, test, Arguments([item], {}), place)
        taken = truth(result)
        if taken is None:
            raise UnclearError((result if isinstance(result, Opaque) else unknown("a condition", at=place)).unknown)
        return taken

    return decided
