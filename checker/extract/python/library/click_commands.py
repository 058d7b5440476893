"""Programs that ``click`` makes of functions: their options are parsed as those of ``argparse`` are."""

from dataclasses import replace

from checker.extract.python.interpreter.evaluate import Answer, Call
from checker.extract.python.interpreter.run_state import Run
from checker.extract.python.interpreter.values import External, Function
from checker.extract.python.library.program_arguments import Parser, add_argument
from checker.extract.python.library.python_functions import closure
from checker.model.unknowns import Cause, Unknown

_SHOWN = frozenset({"name", "help", "short_help", "epilog", "metavar", "show_default"})
"""What is said to people."""


def of_click(run: Run, call: Call) -> Answer:
    """``@click.command()`` or ``@click.option(...)``; None for all others, as arguments by place, groups, contexts."""
    if call.name not in ("click.command", "click.option"):
        return None
    if not call.target.called and not isinstance(call.first, Function):
        return (External(call.name, tuple(call.positional), tuple(call.keywords.items()), called=True),)
    function, settings = call.first, dict(call.target.keywords)
    if not isinstance(function, Function) or (call.name == "click.command" and settings.keys() - _SHOWN):
        return None
    # A function keeps its options where no code can name them.
    parser = function.defaults.get("* click") or Parser(derived_from="()")
    if call.name == "click.option":
        _declare(run, parser, call.having(*call.target.arguments, **settings))
        return (replace(function, defaults={**function.defaults, "* click": parser}),)
    names = {"run": function, "parser": parser, "end": External("sys.exit")}
    return (closure(run, _PROGRAM, names, call.place),)


_PROGRAM = """lambda args=None, prog_name=None, complete_var=None, standalone_mode=True, **extra: (
    end if standalone_mode else (lambda result: result))(run(**vars(parser.parse_args(args))))"""
"""``BaseCommand.main`` of click."""


def _declare(run: Run, parser: Parser, call: Call) -> None:
    """An option, as ``argparse`` is told of it."""
    names = [str(name).partition("/")[0] for name in call.positional]
    settings = {key: value for key, value in call.keywords.items() if key not in _SHOWN}
    flag, usual = settings.pop("is_flag", False), settings.get("default")
    known = names == call.positional and settings.keys() <= {"default", "type", "required"} and not (flag and usual)
    if not known or not isinstance(usual, str | int | float | None):
        parser.open = Unknown(f"option {names[0]} of click is declared otherwise", Cause.UNSUPPORTED, None, call.place)
        settings = {}
    elif flag:
        settings = {"action": "store_true"}
    elif isinstance(usual, int | float) and "type" not in settings:
        settings["type"] = External(f"builtins.{type(usual).__name__}")
    settings["dest"] = next((name for name in names if name.isidentifier()), None)
    add_argument(run, parser, call.having(*(name for name in names if name.startswith("-")), **settings))
