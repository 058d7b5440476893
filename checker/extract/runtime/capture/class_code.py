"""The code of the program's own classes: what their methods mention, and a digest by which revisions are compared.

Runs in the child process. Class files are read by the ASM that Flink itself brings; no value is followed.
"""

import hashlib
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from checker.extract.runtime.capture.jvm import has_class, java, user_loader

MethodId = tuple[str, str, str]
"""Internal name of the class, name and descriptor of the method."""

_LIBRARIES = ("java/", "javax/", "jdk/", "sun/", "scala/", "kotlin/", "kotlinx/", "[")
_DESCRIPTOR = re.compile(r"org/apache/flink/[\w/$]*StateDescriptor\b")
_REFLECTION = ("java/lang/reflect/", "java/lang/invoke/Method")
_RAW = frozenset({"getRawOperatorStateOutput", "getRawKeyedOperatorStateOutput"})
_FIELD, _METHOD, _DYNAMIC, _TYPE = 4, 5, 6, 3
_GETSTATIC, _NEW, _SPECIAL, _STATIC = 178, 187, 183, 184
_UTF8 = 1
"""The tag of a text in a class file's constants."""
_NO_RESOURCE = re.compile(r"^META-INF/|/$|\.class$")
_NAMES = re.compile(r"L([\w/$]+)[;<]")
"""Names of classes in descriptors and signatures."""


@dataclass(frozen=True, slots=True)
class Method:
    """What a method mentions."""

    calls: tuple[tuple[bool, MethodId], ...]
    """Whether an overriding method may run instead, and what is called."""
    lambdas: tuple[MethodId, ...]
    made: tuple[str, ...]
    statics: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether it hands on a descriptor, or calls by reflection what could be handed one.

        Broadcast state is got by its descriptor too, but it is there from the start or not at all.
        """
        called = [*(method for _, method in self.calls), *self.lambdas]
        reflects = any(owner.startswith(_REFLECTION) for owner, _, _ in called)
        return any(
            _DESCRIPTOR.search(f"{owner} {descriptor}" if reflects else descriptor.partition(")")[0])
            and not (name == "getBroadcastState" and "BroadcastProcessFunction$" in owner)
            for owner, name, descriptor in called
        )

    @property
    def writes_raw(self) -> bool:
        """Whether it gets the stream for state of a format of its own."""
        return any(name in _RAW for _, (_, name, _) in self.calls)


@dataclass(frozen=True, slots=True)
class ClassCode:
    """A class of the program: the types above it, and its methods by name and descriptor."""

    parents: tuple[str, ...]
    methods: dict[tuple[str, str], Method]


@cache
def of_program(name: str) -> bool:
    """Whether a class comes with the user's jars; its name is the internal one."""
    if name.startswith(_LIBRARIES):
        return False
    system = java("java.lang.ClassLoader").getSystemClassLoader()
    return system.getResource(f"{name}.class") is None and bool(class_file(name))


@cache
def class_file(name: str) -> bytes:
    """Empty where there is none."""
    loader = user_loader()
    stream = loader.getResourceAsStream(f"{name}.class")
    output = java("java.io.ByteArrayOutputStream")()
    if stream is not None:
        java("util.IOUtils").copyBytes(stream, output)
    return bytes(output.toByteArray())


@cache
def class_code(name: str) -> ClassCode:
    """What a class of the program holds."""
    node = _node(name)
    parents = [str(parent) for parent in (node.superName, *node.interfaces) if parent is not None]
    methods = {(str(m.name), str(m.desc)): _method(m.instructions.toArray()) for m in node.methods}
    return ClassCode(tuple(parents), methods)


def digest(names: Iterable[str], *objects: bytes) -> str:
    """Of classes and all of the program's that they mention, of objects, and of the files beside classes.

    What only debuggers read is left out.
    """
    pending, seen = list(names), set()
    while pending:
        name = pending.pop()
        if name not in seen and of_program(name):
            seen.add(name)
            pending += _plain(name)[1]
    found = hashlib.sha256()
    for part in (*(_plain(name)[0] for name in sorted(seen)), _resources(), *objects):
        found.update(len(part).to_bytes(8, "big") + part)
    return found.hexdigest()[:32]


@cache
def _resources() -> bytes:
    """Names and checksums of the files in the user's jars that are no classes: code may read names from them."""
    loader = user_loader()
    found = []
    for url in loader.getURLs() if hasattr(loader, "getURLs") else ():
        path = Path(str(java("java.io.File")(url.toURI()).getPath()))
        if path.is_file():
            with zipfile.ZipFile(path) as archive:
                found += [(entry.filename, entry.CRC) for entry in archive.infolist()]
    return repr(sorted(entry for entry in found if not _NO_RESOURCE.search(entry[0]))).encode()


def _reader(data: bytes) -> Any:
    import jpype

    return _asm("ClassReader")(jpype.JArray(jpype.JByte)(data))


def _asm(name: str) -> Any:
    package = next(a for a in ("asm9", "asm7") if has_class(f"shaded.{a}.org.objectweb.asm.ClassReader"))
    return java(f"shaded.{package}.org.objectweb.asm.{name}")


def _node(name: str) -> Any:
    reader = _reader(class_file(name))
    node = _asm("tree.ClassNode")()
    reader.accept(node, reader.SKIP_DEBUG | reader.SKIP_FRAMES)
    return node


@cache
def _plain(name: str) -> tuple[bytes, tuple[str, ...]]:
    """A class without the list of classes that it lies beside or inside of, and the program's classes in its code."""
    node = _node(name)
    node.innerClasses.clear()
    node.nestHostClass = node.nestMembers = node.outerClass = None
    writer = _asm("ClassWriter")(0)
    node.accept(writer)
    data = bytes(writer.toByteArray())
    reader = _reader(data)
    places = [int(reader.getItem(number)) for number in range(1, int(reader.getItemCount()))]
    texts = [
        data[place + 2 : place + 2 + int.from_bytes(data[place : place + 2], "big")].decode("utf-8", "replace")
        for place in places
        if place and data[place - 1] == _UTF8
    ]
    names = {name for text in texts for name in (text, *_NAMES.findall(text)) if re.fullmatch(r"[\w/$]+", name)}
    return data, tuple(sorted(name for name in names if of_program(name)))


def _method(instructions: Iterable[Any]) -> Method:
    calls: list[tuple[bool, MethodId]] = []
    lambdas: list[MethodId] = []
    made: list[str] = []
    statics: list[str] = []
    for instruction in instructions:
        kind, opcode = int(instruction.getType()), int(instruction.getOpcode())
        if kind == _METHOD:
            method = str(instruction.owner), str(instruction.name), str(instruction.desc)
            calls.append((opcode not in (_SPECIAL, _STATIC), method))
        elif kind == _DYNAMIC:
            lambdas += [
                (str(argument.getOwner()), str(argument.getName()), str(argument.getDesc()))
                for argument in instruction.bsmArgs
                if hasattr(argument, "getOwner")
            ]
        elif kind == _FIELD and opcode == _GETSTATIC:
            statics.append(str(instruction.owner))
        elif kind == _TYPE and opcode == _NEW:
            made.append(str(instruction.desc))
    return Method(tuple(calls), tuple(lambdas), tuple(made), tuple(statics))
