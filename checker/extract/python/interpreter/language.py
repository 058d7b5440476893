"""Which module evaluates which kind of expression, statement and call."""

from __future__ import annotations

import ast

from checker.extract.python.interpreter import (
    assignments,
    attributes,
    calls,
    exceptions,
    expressions,
    functions,
    imports,
    loops,
    patterns,
    resolvers,
    statements,
)
from checker.extract.python.interpreter.evaluate import EXPRESSIONS, RESOLVERS, STATEMENTS

EXPRESSIONS.update(
    {
        ast.Name: expressions.name,
        ast.Attribute: attributes.attribute,
        ast.Call: calls.call_expression,
        ast.Lambda: functions.lambda_expression,
        ast.List: expressions.collection,
        ast.Tuple: expressions.collection,
        ast.Set: expressions.collection,
        ast.Dict: expressions.mapping,
        ast.JoinedStr: expressions.joined,
        ast.BinOp: expressions.binary_operation,
        ast.BoolOp: expressions.boolean,
        ast.UnaryOp: expressions.unary,
        ast.Compare: expressions.comparison,
        ast.IfExp: expressions.conditional,
        ast.Subscript: expressions.element,
        ast.NamedExpr: expressions.walrus,
        ast.Await: expressions.awaited,
        ast.Yield: expressions.yielded,
        ast.YieldFrom: expressions.yielded,
        ast.ListComp: loops.comprehension,
        ast.SetComp: loops.comprehension,
        ast.DictComp: loops.comprehension,
        ast.GeneratorExp: loops.comprehension,
    }
)
STATEMENTS.update(
    {
        ast.Expr: statements.expression_statement,
        ast.Assign: assignments.assignment,
        ast.AnnAssign: assignments.assignment,
        ast.AugAssign: assignments.augmented,
        ast.Delete: assignments.delete,
        ast.FunctionDef: statements.function_statement,
        ast.AsyncFunctionDef: statements.function_statement,
        ast.ClassDef: statements.class_statement,
        ast.Import: imports.import_names,
        ast.ImportFrom: imports.import_from,
        ast.If: statements.if_statement,
        ast.For: loops.for_loop,
        ast.AsyncFor: loops.for_loop,
        ast.While: loops.while_loop,
        ast.With: statements.with_statement,
        ast.AsyncWith: statements.with_statement,
        ast.Try: exceptions.try_statement,
        ast.TryStar: exceptions.try_statement,
        ast.Match: patterns.match_statement,
        ast.Raise: exceptions.raise_statement,
        ast.Return: statements.return_statement,
        ast.Break: statements.jump_statement,
        ast.Continue: statements.jump_statement,
        ast.Assert: statements.assert_statement,
        ast.Global: statements.global_statement,
        ast.Nonlocal: statements.global_statement,
    }
)
RESOLVERS.update(resolvers.RESOLVERS)
