"""Everything that a script can reach: its own file, and the modules that it imports at any distance."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from checker.extract.consulted import ask
from checker.extract.effort import EffortError
from checker.extract.interpreting.trace import Trace
from checker.extract.python.interpreter.imports import parsed
from checker.extract.python.interpreter.run_state import Limits
from checker.extract.python.interpreter.signals import StoppedError
from checker.extract.python.reachable import reachable
from checker.extract.python.reached.bindings import FunctionNode, called
from checker.extract.python.reached.declarations import Declared, Function, declared_in, names_in
from checker.extract.python.reached.detail import KEY_CALLS, STATE_NAMES, detail_of
from checker.extract.python.reached.element_flow import ElementFlow
from checker.extract.python.reached.file_values import FileValues
from checker.extract.python.reached.kept_parts import kept_parts
from checker.extract.python.reached.kept_shapes import kept_shapes
from checker.extract.python.reached.map_keys import map_keys
from checker.extract.python.reached.named_code import Given
from checker.extract.python.reached.states.calls import Walked
from checker.extract.python.reached.states.flow import StateFlow
from checker.extract.python.reached.states.handles import function_states, helpers_of
from checker.extract.python.reached.states.program_calls import SUPER
from checker.model.gathered import gathered
from checker.model.program_code import (
    Declaration,
    Detail,
    Flow,
    Key,
    Part,
    ProgramCode,
    Role,
    Statement,
)
from checker.model.reductions import Reduction
from checker.model.sources import SourceFiles
from checker.model.unknowns import Location
from checker.model.used_states import FunctionStates, KeptParts, MapKeys

_REDUCED = frozenset({"window", "count_window", "window_all", "ReducingStateDescriptor"})
"""What code mentions that reduces values in state. PyFlink names the state of any other ``reduce`` anew in each run."""
_DEEPEST = 12
"""How many classes may stand one above the other."""
_PICKLES = frozenset({"pickle", "cloudpickle", "dill", "joblib"})
_FUNCTION = re.compile(r"Function$|^(KeySelector|Partitioner|Source|Sink|Trigger)$")


class PythonCode(ProgramCode):
    """``ProgramCode`` of a script."""

    def __init__(self, files: SourceFiles, path: str, trace: Trace) -> None:
        super().__init__()
        self._trace = trace
        self._files = files
        self._declared: dict[Key, Declared] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        self._states: dict[str, tuple[FunctionStates, Walked]] = {}
        limits = Limits()
        read = {path, *(file_path for file_path in trace.executed if file_path.endswith(".py"))}
        for file_path in sorted(reachable(files, limits, path.rpartition("/")[0], read)):
            if file_path.endswith(".py"):
                try:
                    self._add(parsed(files.read(file_path), file_path), file_path)
                except (StoppedError, KeyError, RecursionError):
                    continue

        if any(
            {"load", "loads"} & d.declaration.names and _PICKLES & d.declaration.names for d in self._declared.values()
        ):
            for file_path in ask(files, "ending", ".py"):
                files.read(file_path)  # any class may be what a pickle holds an object of

    def _add(self, tree: ast.Module, path: str) -> None:
        for declared in declared_in(tree, path):
            self._declared[declared.declaration.key] = declared
            first = declared.body[0]
            if isinstance(first, ast.ClassDef):
                bases = (ast.unparse(base).partition("[")[0] for base in first.bases)
                self._bases[declared.declaration.key[0]] = tuple(base.rpartition(".")[2] for base in bases)

    @cached_property
    def declarations(self) -> Mapping[Key, Declaration]:
        """Everything that the script can reach."""
        return {key: declared.declaration for key, declared in self._declared.items()}

    @cached_property
    def _statements(self) -> tuple[Statement, ...]:
        return tuple(s for key in self._declared for s in self.detail(key).statements)

    @cached_property
    def followed(self) -> tuple[Statement, ...]:
        """The statements that were followed."""
        return tuple(s for s in self._statements if s.executed)

    @cached_property
    def unfollowed(self) -> tuple[Statement, ...]:
        """The statements that call something that was not followed."""
        return tuple(s for s in self._statements if s.gap)

    @cached_property
    def libraries(self) -> frozenset[str]:
        """Qualified names in those statements."""
        return frozenset(word for s in self.unfollowed for word in re.findall(r"\w+(?:\.\w+)+", s.tokens))

    @cached_property
    def state_code(self) -> frozenset[Key]:
        """Declarations that register state, and those that they use."""
        return self._used_by({key for key, d in self.declarations.items() if d.names & STATE_NAMES}, frozenset())

    @cached_property
    def key_code(self) -> frozenset[Key]:
        """Declarations that key selectors use."""
        started = {key for key in self.declarations if self.role(key[0]) is Role.KEY_SELECTOR}
        return self._used_by(started, self.names_in_keys)

    @cached_property
    def names_in_keys(self) -> frozenset[str]:
        """Names in the arguments of calls that choose keys."""
        words = frozenset(w for s in self._statements for text in s.keys for w in re.findall(r"\w+", text))
        return words - KEY_CALLS

    def _used_by(self, started: set[Key], words: frozenset[str]) -> frozenset[Key]:
        by_name: dict[str, list[Key]] = {}
        for key, declaration in self.declarations.items():
            for name in key[1].split(","):
                by_name.setdefault(name, []).append(key)
            if declaration.part is Part.HEADER:
                by_name.setdefault(key[0].rpartition(".")[2], []).append(key)
        found = set(started)
        pending = [self.declarations[key].names for key in started] + [words]
        while pending:
            for name in pending.pop():
                for key in by_name.get(name, ()):
                    if key not in found and not name.startswith("__"):
                        found.add(key)
                        pending.append(self.declarations[key].names)
        return frozenset(found)

    def flows(self, wanted: frozenset[str], run: frozenset[Location] = frozenset()) -> tuple[Flow, ...]:
        """What each function that runs with records gives to members of such names."""
        return tuple(self._element_flow.flows(wanted))

    def fused_into(self, file: str, line: int) -> Location | None:
        """The operator that PyFlink makes the one on a line a part of."""
        return self._trace.fused.get((file, line))

    def states_of(self, owner: str) -> FunctionStates:
        """What a function does with its states."""
        return self._followed_states(owner)[0]

    def _followed_states(self, owner: str) -> tuple[FunctionStates, Walked]:
        if owner not in self._states:
            methods = self._methods(owner)
            self._states[owner] = function_states(methods, self._helpers, lambda name: self._functions.get(name, ()))
        return self._states[owner]

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """The functions that values of windows and reducing states are reduced with."""
        found: list[Reduction] = []
        for key, given in self._reducing:
            found += [] if given else [Reduction(frozenset({key}), forgets=False)]
            found += [Reduction(frozenset({key, g.key}), self._forgets(g.function)) for g in given]
        return tuple(found)

    @cached_property
    def _reducing(self) -> list[tuple[Key, list[Given]]]:
        """Where such functions are given to Flink, and which they are."""
        found: list[tuple[Key, list[Given]]] = []
        for key, declared in self._declared.items():
            names = declared.declaration.names
            if names.isdisjoint(_REDUCED) and ("reduce" not in names or names.isdisjoint(self._windows)):
                continue
            for call in (node for top in declared.body for node in ast.walk(top) if isinstance(node, ast.Call)):
                place = {"reduce": 0, "ReducingStateDescriptor": 1}.get(called(call))
                if place is not None and place < len(call.args):
                    found.append((key, self._element_flow.named.given(key, call.args[place])))
        return found

    @cached_property
    def _windows(self) -> frozenset[str]:
        """Variables outside of functions that may be windowed streams."""
        fields = (d.declaration for d in self._declared.values() if d.declaration.part is Part.FIELD)
        return frozenset(name for d in fields if not d.names.isdisjoint(_REDUCED) for name in d.key[1].split(","))

    def _forgets(self, function: FunctionNode) -> bool | None:
        flow = StateFlow({}, self._helpers, lambda name: self._functions.get(name, ()))
        try:
            return flow.forgets(function)
        except (EffortError, RecursionError):
            return None

    def map_keys(self, owner: str) -> MapKeys | None:
        """The keys of a function's map states, where it has such states."""
        if self.role(owner) is not Role.FUNCTION:
            return None
        walked = self._followed_states(owner)[1]
        return map_keys(self._element_flow.values, self._methods(owner), self._places, walked)

    @cached_property
    def _places(self) -> dict[FunctionNode, Key]:
        return {declared.function: key for key, declared in self._declared.items() if declared.function is not None}

    def kept_shapes(self, owner: str) -> frozenset[str]:
        """What a function puts into state."""
        if self.role(owner) is not Role.FUNCTION:
            return frozenset()
        return kept_shapes(self._methods(owner).values(), lambda name: self._functions.get(name, ()))

    @cached_property
    def kept_parts(self) -> KeptParts:
        """The tuples that functions keep in state."""
        aggregates = frozenset(owner for owner in self.owners if "AggregateFunction" in self.ancestors(owner))
        data = frozenset(owner for owner in self.owners if not owner.endswith(".py") and self.role(owner) is Role.DATA)
        reduced = {g.function: g.key for _, given in self._reducing for g in given}
        for key, found in self._declared.items():
            if key[1] == "reduce" and found.function is not None and "ReduceFunction" in self.ancestors(key[0]):
                reduced[found.function] = key
        return kept_parts(self._element_flow.values, self._places, aggregates, data, reduced)

    def works_for(self, key: Key) -> frozenset[str]:
        """The functions that work with states through a declaration outside of them."""
        return self._worked_for.get(key[1] if key[0].endswith(".py") else key[0].rpartition(".")[2], frozenset())

    @cached_property
    def _worked_for(self) -> dict[str, frozenset[str]]:
        """The same by the simple name of the class or function outside."""
        found: dict[str, set[str]] = {}
        for owner in self.owners:
            if self.role(owner) is Role.FUNCTION and (methods := self._methods(owner)):
                own = list(methods.values())
                helpers = helpers_of(own, self._helpers)
                code = [*own, *(method for name in helpers for method in self._helpers[name].values())]
                for name in (*helpers, *self._functions_in(code)):
                    found.setdefault(name, set()).add(owner)
        return {name: frozenset(owners) for name, owners in found.items()}

    def _functions_in(self, code: Iterable[Function]) -> set[str]:
        """The names of functions that some code mentions, at any distance."""
        found: set[str] = set()
        pending = list(code)
        while pending:
            for name in {part.rpartition(".")[2] for part in names_in(pending.pop())} & self._functions.keys() - found:
                found.add(name)
                pending += self._functions[name]
        return found

    @cached_property
    def _helpers(self) -> dict[str, dict[str, Function]]:
        """The methods of classes that Flink does not call, by the simple names of these."""
        classes = (owner for owner in self.owners if not owner.endswith(".py") and self.role(owner) is Role.DATA)
        return {owner.rpartition(".")[2]: methods for owner in sorted(classes) if (methods := self._methods(owner))}

    def _methods(self, owner: str) -> dict[str, Function]:
        """The methods of a class and of its super classes, in the order in which Python looks for them."""
        found: dict[str, Function] = {}
        for declared in (d for o in self._lineage(owner) for d in self._by_owner.get(o, ()) if d.function is not None):
            assert declared.function is not None
            name = declared.function.name
            while name in found:
                name = f"{SUPER}{name}"
            found[name] = declared.function
        return found

    def _lineage(self, owner: str, depth: int = 0) -> list[str]:
        """A class and all above it, each behind all that inherit from it."""
        found = [owner]
        for base in self._bases.get(owner, ()) if depth < _DEEPEST else ():
            for above in sorted(o for o in self._bases if o != owner and o.endswith(f".{base}")):
                found += self._lineage(above, depth + 1)
        return list(dict.fromkeys(reversed(found)))[::-1]

    @cached_property
    def _by_owner(self) -> dict[str, list[Declared]]:
        return gathered((key[0], declared) for key, declared in self._declared.items())

    @cached_property
    def _functions(self) -> dict[str, list[Function]]:
        return gathered(
            (declared.function.name, declared.function)
            for declared in self._declared.values()
            if declared.function is not None
        )

    @cached_property
    def _element_flow(self) -> ElementFlow:
        functions = (owner for owner in self.owners if self.role(owner) is Role.FUNCTION)
        return ElementFlow(self._declared, functions, self.ancestors, FileValues(self._files))

    def looked_at(self, key: Key) -> Detail:
        """A declaration looked at closely."""
        declared = self._declared[key]
        path = declared.declaration.location.file
        return detail_of(declared, path, self._trace)

    def role(self, owner: str) -> Role:
        """What a class is to Flink."""
        names = self.ancestors(owner)
        if "KeySelector" in names:
            return Role.KEY_SELECTOR
        return Role.FUNCTION if any(_FUNCTION.search(name) for name in names) else Role.DATA

    def ancestors(self, owner: str) -> frozenset[str]:
        """Simple names of a class' super types, its own name included."""
        found = {owner.rpartition(".")[2]}
        pending = list(self._bases.get(owner, ()))
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(b for path, bases in self._bases.items() if path.endswith(f".{name}") for b in bases)
        return frozenset(found)
