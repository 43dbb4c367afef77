"""Make the mutants of a module: one small change of its syntax tree each.

Changed are comparisons, `and` and `or`, `not`, conditions, numbers, true and false, sums; taken out
are calls whose result nobody uses, `raise` and `with`. In the disclosure policy the SQL too. What
has no behaviour of its own is left out:

- assertions, which tell the type checker what it cannot know, and annotations inside functions;
- lines of the log, and the wording of an error (not that it is raised, nor its data);
- how an object is laid out (`frozen`, `slots`) or made (`kw_only`), how much a cache holds
  (`maxsize`, `_CACHED`), and whether `zip` looks at lengths that are equal by construction
  (`strict`).
"""

import ast
import copy
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
}
_SQL = (
    (r" and ", " or "),
    (r" or ", " and "),
    (r"<= ", "< "),
    (r"(?<!-)> ", ">= "),
    (r" = ", " <> "),
    (r"is null", "is not null"),
    (r"'public'", "'personal'"),
    (r"'private'", "'group'"),
)
_LAYOUT = {"frozen", "slots", "kw_only", "maxsize", "strict"}
_CONDITIONS = (ast.If, ast.IfExp, ast.While)


class Change(NamedTuple):
    """A mutant of a module: its number in the order of the text, the line, and what is done."""

    number: int
    line: int
    what: str


def changes(source: str, *, sql: bool = False) -> list[Change]:
    """Every mutant of a module."""
    made = _made(ast.parse(source), sql=sql)
    return [Change(number, line, what) for number, (line, what) in enumerate(made)]


def changed(source: str, number: int, *, sql: bool = False) -> str:
    """The whole text of a module's mutant."""
    tree = ast.parse(source)
    next(islice(_made(tree, sql=sql), number, None))
    return ast.unparse(ast.fix_missing_locations(tree))


def _made(parent: ast.AST, *, sql: bool) -> Iterator[tuple[int, str]]:
    """Change a tree in one way after the other, and yield the line and what was done."""
    for name, value in ast.iter_fields(parent):
        children = value if isinstance(value, list) else [value]
        for at, child in enumerate(children):
            if not isinstance(child, ast.AST) or _is_without_behaviour(parent, name, child):
                continue
            for what, other in _changed(parent, name, child, sql=sql):
                _put(parent, name, at, other)
                yield getattr(child, "lineno", 0), what
                _put(parent, name, at, child)
            yield from _made(child, sql=sql)


def _put(parent: ast.AST, name: str, at: int, node: ast.AST) -> None:
    held = getattr(parent, name)
    if isinstance(held, list):
        held[at] = node
    else:
        setattr(parent, name, node)


def _is_without_behaviour(parent: ast.AST, name: str, node: ast.AST) -> bool:
    """Return whether the module's docstring leaves this out."""
    if isinstance(node, ast.Assert):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True  # a docstring
    if name in {"annotation", "returns"} and not isinstance(parent, ast.AnnAssign):
        return True
    if isinstance(node, ast.keyword) and node.arg in _LAYOUT:
        return True
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target).startswith("_CACHED")
    if isinstance(parent, ast.Call) and ast.unparse(parent.func) == "cached_by_text":
        return True
    if _is_text(node) and isinstance(parent, ast.Call) and name == "args":
        # The name of a class begins with a capital letter: an error with its wording.
        return ast.unparse(parent.func).rpartition(".")[2][:1].isupper()
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func)
        return called.startswith("log.")
    return False


def _changed(
    parent: ast.AST, name: str, node: ast.AST, *, sql: bool
) -> Iterator[tuple[str, ast.AST]]:
    """Yield every change of a node, in words and as a node."""
    made = copy.deepcopy(node)
    if isinstance(made, ast.Compare):
        before = made.ops[0]
        made.ops[0] = _COMPARED[type(before)]()
        yield f"{type(before).__name__} → {type(made.ops[0]).__name__}", made
    elif isinstance(made, ast.BoolOp):
        made.op = ast.Or() if isinstance(made.op, ast.And) else ast.And()
        yield f"→ {type(made.op).__name__}", made
    elif isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Not):
        yield "not removed", made.operand
    elif isinstance(made, ast.BinOp) and type(made.op) in _COMPUTED and _is_sum(made):
        before = made.op
        made.op = _COMPUTED[type(before)]()
        yield f"{type(before).__name__} → {type(made.op).__name__}", made
    elif isinstance(made, ast.Constant) and isinstance(made.value, bool):
        made.value = not made.value
        yield f"→ {made.value}", made
    elif isinstance(made, ast.Constant) and isinstance(made.value, int):
        made.value += 1
        yield "+ 1", made
    elif isinstance(made, ast.Expr) and _is_call(made.value):
        yield "call removed", ast.Pass()
    elif isinstance(made, ast.Raise):
        yield "raise removed", ast.Pass()
    elif isinstance(made, ast.With | ast.AsyncWith) and not any(
        item.optional_vars for item in made.items
    ):
        yield "with removed", ast.If(ast.Constant(True), made.body, [])
    elif sql and isinstance(node, ast.Constant) and isinstance(node.value, str):
        for pattern, other in _SQL:
            for place in re.finditer(pattern, node.value):
                text = node.value[: place.start()] + other + node.value[place.end() :]
                yield f"{place.group()!r} → {other!r}", ast.Constant(text)
    if (
        name == "test"
        and isinstance(parent, _CONDITIONS)
        and isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.NamedExpr)
    ):
        yield "negated", ast.UnaryOp(ast.Not(), copy.deepcopy(node))


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _is_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) or (isinstance(node, ast.Await) and _is_call(node.value))


def _is_sum(node: ast.BinOp) -> bool:
    """Return whether no side is a text, a tuple or a list."""
    texts = ast.JoinedStr | ast.Tuple | ast.List | ast.ListComp
    return not any(
        isinstance(side, texts) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def read(path: Path) -> str:
    """The text of a module."""
    return path.read_text(encoding="utf-8")
