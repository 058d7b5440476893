"""What a file in Scala or Kotlin says, as far as two revisions of it are compared: no reader follows these programs."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from tree_sitter import Language, Node, Parser

_COMMENTS: Final = frozenset({"comment", "block_comment", "line_comment", "multiline_comment"})
_METHODS: Final = frozenset({"function_definition", "function_declaration"})
_CLASSES: Final = frozenset(
    {"class_definition", "object_definition", "trait_definition", "instance_expression"}
    | {"class_declaration", "object_declaration", "object_literal"}
)
_FUNCTION: Final = re.compile(
    rb"\b\w*(?:Process|Map|Filter|Reduce|Aggregate|Join|CoGroup|Window|Async|Co|Rich)\w*Function\b"
)
"""A super class or interface of Flink's that records are given to, or a class of the program named after one."""
_BUILDS: Final = re.compile(rb"\b(?:\w*Stream|Table|\w*Environment|keyBy|uid|sinkTo|addSink)\b")
"""A word of a method that makes a part of the graph."""
_BESIDE: Final = frozenset(
    {"identifier", "template_body", "class_body", "class_parameters", "primary_constructor", "type_parameters"}
)
"""What a class has that says nothing of its super types."""
_WITH_RECORDS: Final = frozenset(
    b"processElement processElement1 processElement2 processBroadcastElement onTimer map map1 map2 flatMap flatMap1"
    b" flatMap2 filter reduce asyncInvoke timeout add merge getResult join coGroup process".split()
)
"""Methods of such classes that only compute, once for each record or window."""
_REGISTERS: Final = re.compile(rb"(?i)runtimecontext|descriptor|environment|^\w*(?:state\w*|register\w*)$")
"""A name in a call that may register state, of which no method of a state itself is one."""
_LOGGERS: Final = re.compile(
    rb"(?:(?:this\.)?_?(?:log(?:ger)?|LOG(?:GER)?)\s*\.\s*(?:trace|debug|info|warn|error)|println)"
)
_TEXT: Final = re.compile(r"string|char(acter)?_literal")
"""Kinds of nodes in which white space counts."""
_BLOCKS: Final = frozenset({"block", "template_body", "indented_block", "statements", "lambda_literal"})


def same(path: str, before: bytes, after: bytes) -> bool | None:
    """Whether two revisions of a file say the same but for comments, layout, logs and what functions compute.

    None for a file that does not parse, or in another language.
    """
    language = path.rpartition(".")[2]
    if language not in ("scala", "kt"):
        return None
    old, new = _says(language, before), _says(language, after)
    return None if old is None or new is None else old == new


@lru_cache(maxsize=256)
def _says(language: str, data: bytes) -> tuple[bytes, ...] | None:
    """The tree of a file as a list of kinds and words; None for one that does not parse."""
    root = _parser(language).parse(data).root_node
    broken = root.has_error and any(node.is_error or node.is_missing for node in _below(root))
    return None if broken else tuple(_words(root))


@lru_cache
def _parser(language: str) -> Parser:
    """Imported where a file in the language is met: most repositories have none."""
    grammar: Any
    if language == "scala":
        import tree_sitter_scala as grammar
    else:
        import tree_sitter_kotlin as grammar
    return Parser(Language(grammar.language()))


def _words(root: Node) -> Iterator[bytes]:
    pending: list[Node | bytes] = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, bytes):
            yield node
        elif node.type in _COMMENTS or node.type == ";":
            continue
        elif _logs(node):
            yield from () if _stands_in_block(node) else (b"log",)
        elif not node.children or _TEXT.search(node.type):
            yield node.text or b""
        else:
            yield b"(" + node.type.encode()
            pending.append(b")")
            pending.extend(reversed(_parts(node)))


def _parts(node: Node) -> list[Node | bytes]:
    """What a node is made of, with what the grammar gives no node for."""
    text = node.text or b""
    computes = node.type in _METHODS and _only_computes(node)
    found: list[Node | bytes] = []
    end = node.start_byte
    for child in node.children:
        between = text[end - node.start_byte : child.start_byte - node.start_byte].strip()
        found += [between] if between else []
        found += [] if computes and _is_body(node, child) else [child]
        end = child.end_byte
    return found


def _is_body(method: Node, child: Node) -> bool:
    return child.type == "function_body" or child == method.child_by_field_name("body")


def _only_computes(method: Node) -> bool:
    """Whether a method is given the records of a function, and its code registers nothing."""
    names = [child.text for child in method.children if child.type == "identifier"]
    if not names or names[0] not in _WITH_RECORDS:
        return False
    owner = method.parent
    while owner is not None and owner.type not in _CLASSES:
        owner = owner.parent
    if owner is None or _BUILDS.search(method.text or b""):
        return False
    above = [child.text or b"" for child in owner.children if child.type not in _BESIDE]
    if not any(map(_FUNCTION.search, above)):
        return False
    body = next((child for child in method.children if _is_body(method, child)), None)
    if body is None or any(_registers(node) for node in _below(body)):
        return False
    helpers = {
        name for node in _below(owner) if node.type in _METHODS and any(map(_registers, _below(node)))
        for name in (child.text for child in node.children if child.type == "identifier")
    }  # fmt: skip
    return not any(node.type == "identifier" and node.text in helpers for node in _below(body))


def _registers(node: Node) -> bool:
    if node.type == "identifier" and re.search(rb"(?i)runtimecontext|descriptor", node.text or b""):
        return True
    called = node.children[0] if node.type == "call_expression" and node.children else None
    return called is not None and _REGISTERS.search((called.text or b"").rpartition(b".")[2]) is not None


def _below(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(node.children)


def _logs(node: Node) -> bool:
    """Whether an expression only logs: it calls nothing for what it says."""
    if node.type != "call_expression" or _LOGGERS.fullmatch(node.children[0].text or b"") is None:
        return False
    return not any(_does(part) for child in node.children[1:] for part in _below(child))


def _does(part: Node) -> bool:
    """Whether an expression may do something: Scala calls methods without a dot, too."""
    if part.type == "infix_expression":
        return part.children[1].text != b"+"
    text = part.text or b""
    counts = text.endswith((b"++", b"--", b".next")) or text.startswith((b"++", b"--"))
    return counts or "assignment" in part.type or part.type in ("call_expression", "instance_expression")


def _stands_in_block(node: Node) -> bool:
    """Whether a statement gives its block no value."""
    block = node.parent
    return block is not None and block.type in _BLOCKS and block.named_children[-1] != node
