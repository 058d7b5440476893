"""Random edits of random PyFlink programs: some keep what the program means, some may change it."""

import io
import random
import re
import tokenize

_INSIDE = "\ndef main():\n"
_OPERATORS = {"<": "<=", "<=": "<", ">": "<", ">=": ">", "==": "!=", "!=": "==", "+": "*", "and": "or", "or": "and"}


def keeping(text: str, r: random.Random) -> str:
    """The script after an edit that keeps its meaning: a comment, another name, a log line, a variable more."""
    head, body = text.split(_INSIDE)
    lines = body.split("\n")
    plain = [n for n, line in enumerate(lines) if re.match(r"    [a-z]\w* = [^\n]+$", line)]
    kind = r.randint(0, 3)
    if kind == 0:
        lines.insert(r.choice(plain), "    # what comes next is configured\n")
    elif kind == 1:
        names = sorted(set(re.findall(r"^    (v\d+) = ", body, re.MULTILINE)))
        if names:
            name = r.choice(names)
            lines = [re.sub(rf"\b{name}\b", f"{name}_renamed", line) for line in lines]
    elif kind == 2:
        lines.insert(r.choice(plain), "    print('configured', len(sys.argv))")
    else:
        place = r.choice(plain)
        name, _, value = lines[place].strip().partition(" = ")
        if _balanced(value):
            lines[place] = f"    made_before = {value}\n    {name} = made_before"
    return _INSIDE.join((head, "\n".join(lines)))


def _balanced(text: str) -> bool:
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def changing(text: str, r: random.Random) -> str:
    """The script with one constant or operator of ``main`` replaced."""
    start = text.index(_INSIDE)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    first = text[: start + 1].count("\n") + 2
    options = [t for t in tokens if t.start[0] > first and _replacement(t) is not None]
    chosen = r.choice(options)
    lines = text.split("\n")
    row, column = chosen.start
    line = lines[row - 1]
    lines[row - 1] = line[:column] + str(_replacement(chosen)) + line[chosen.end[1] :]
    return "\n".join(lines)


def _replacement(token: tokenize.TokenInfo) -> str | None:
    if token.type == tokenize.NUMBER:
        return str(int(token.string) + 1)
    if token.type == tokenize.STRING and re.fullmatch(r"'[a-z0-9_]+'", token.string):
        return f"'{token.string[1:-1]}2'"
    return _OPERATORS.get(token.string) if token.type in (tokenize.OP, tokenize.NAME) else None
