"""What ``click`` makes of a function below ``@click.command()`` and ``@click.option(...)``: a program of its own.

Its options are parsed as those of ``argparse`` are. Groups, subcommands and contexts are not followed.
"""

from dataclasses import replace

from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import External, Function, Value
from checker.extract.python.library.program_arguments import Parser, add_argument
from checker.extract.python.library.python_functions import closure
from checker.model.unknowns import Cause, Unknown

_DECORATORS = ("click.command", "click.option", "click.argument")
_PARSER = "* click"
"""Where a function keeps the options that its decorators declared so far: no code can name it."""
_SHOWN = frozenset({"name", "help", "short_help", "epilog", "metavar", "show_default"})
"""What is said to people."""
_UNDERSTOOD = _SHOWN | {"default", "type", "is_flag", "required"}


def of_click(run: Run, call: Call) -> Answer:
    """A decorator of click, or what it makes of a function; None for all others."""
    if not isinstance(call.target, External) or call.target.path not in _DECORATORS:
        return None
    function = call.first
    bare = call.name == "click.command" and isinstance(function, Function)
    if not call.target.called and not bare:
        return (External(call.name, tuple(call.positional), tuple(call.keywords.items()), True),)
    given = dict(call.target.keywords)
    if not isinstance(function, Function) or (call.name == "click.command" and not given.keys() <= _SHOWN):
        return None
    parser = function.defaults.get(_PARSER) or Parser(derived_from="()")
    kept = {name: default for name, default in function.defaults.items() if name != _PARSER}
    if call.name != "click.command":
        _declare(run, parser, call.having(*call.target.arguments, **given))
        return (replace(function, defaults={**kept, _PARSER: parser}),)
    parser.options.reverse()  # decorators are applied from below
    names = {"run": replace(function, defaults=kept), "parser": parser, "end": External("sys.exit")}
    options = ", ".join(f"{option.action.dest}=parsed.{option.action.dest}" for option in parser.options)
    text = f"lambda args=None: (lambda parsed: end(run({options})))(parser.parse_args(args))"
    return (closure(run, text, names, call.place),)


def _declare(run: Run, parser: Parser, call: Call) -> None:
    """An option, as ``argparse`` is told of it."""
    names = [name for name in call.positional if isinstance(name, str)]
    flags = sorted((name for name in names if name.startswith("-")), key=lambda name: not name.startswith("--"))
    own = next((name for name in names if name.isidentifier()), flags[0].lstrip("-") if flags else "")
    told: dict[str, Value] = {key: value for key, value in call.keywords.items() if key not in _SHOWN}
    flag, usual = told.pop("is_flag", False), told.get("default")
    understood = call.keywords.keys() <= _UNDERSTOOD and isinstance(usual, str | int | float | None)
    if not understood or any("/" in name for name in names) or (flag is not False and usual not in (None, False)):
        why = f"option {names[0] if names else ''} of click is declared in a way that is not followed"
        parser.open = Unknown(why, Cause.UNSUPPORTED, None, call.place)
        told, flag = {}, False
    if flag:
        told = {"action": "store_true", "default": False}
    elif isinstance(usual, int | float) and "type" not in told:
        told["type"] = External(f"builtins.{type(usual).__name__}")
    if flags:
        told["dest"] = own.replace("-", "_").lower()
    elif told.pop("required", usual is None) is not True:
        told["nargs"] = "?"
    add_argument(run, parser, call.having(*(flags or [own]), **told))
