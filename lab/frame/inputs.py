# SPDX-License-Identifier: Apache-2.0
"""What can change a number: the code that is measured and the row's own program, without comments.

Sources rather than dist/, because the check needs no build then, and another compiler is no change.
"""
import ast
import functools
import hashlib
import re
from pathlib import Path

from .lab import ROOT

STRING = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
# A comment, or a string, in which nothing is one.
COMMENTS = {
    **dict.fromkeys((".c", ".h", ".java", ".bt"), re.compile(rf"({STRING})|//[^\n]*|/\*.*?\*/", re.S)),
    ".xml": re.compile(r"(\A\Z)|<!--.*?-->", re.S)}
HEADER = re.compile(r'^#include "(\w+)\.h"', re.M)
LEFT_OUT = {"target", "test", "results", "__pycache__"}


def without_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            node.body = node.body[1:]
    return tree


def named(node):
    """The names that a statement of a module gives."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def reached(source, name):
    """The source of a function and of all that it uses, in this module and in the lab's others; not what
    judges or shows its result."""
    statements = without_docstrings(ast.parse(source)).body
    wanted, kept = {name}, []
    while found := [node for node in statements if node not in kept and named(node) & wanted]:
        kept += found
        wanted |= {one.id for node in found for one in ast.walk(node) if isinstance(one, ast.Name)}
    modules = {alias.name: ROOT / "lab" / node.module.replace(".", "/") / f"{alias.name}.py"
               for node in statements if isinstance(node, ast.ImportFrom) and node.module
               for alias in node.names}
    others = sorted({(one.value.id, one.attr) for node in kept for one in ast.walk(node)
                     if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
                     and modules.get(one.value.id, ROOT / "none").exists()})
    return " ".join([*(ast.dump(node) for node in statements if node in kept),
                     *(reached(modules[module].read_text(), function) for module, function in others)])


def meaning(name, text):
    """A source without what changes no number."""
    suffix = "." + name.rpartition(".")[2]
    if suffix == ".py":
        return ast.dump(without_docstrings(ast.parse(text)))
    if suffix in COMMENTS:
        text = COMMENTS[suffix].sub(lambda found: found[1] or " ", text)
    return " ".join(text.split())


def files(path):
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.is_file() and file.suffix != ".md"
                  and not LEFT_OUT.intersection(file.relative_to(ROOT).parts))


@functools.cache
def digest(path):
    """Of a file, a folder, or FILE:FUNCTION of Python; '' if there is no such thing."""
    name, _, function = path.partition(":")
    found = hashlib.sha256()
    for file in files(ROOT / name):
        text = file.read_text(errors="replace")
        text = reached(text, function) if function else meaning(file.name, text)
        found.update(f"{file.relative_to(ROOT)}\0{text}\0".encode())
    return found.hexdigest()[:12] if files(ROOT / name) else ""


@functools.cache
def followed(path):
    """A C file of the core or the lab, with the headers it includes and their .c files, recursively. Files of
    agent/ and jvm/ are not followed: experiments name those that matter."""
    found, new = set(), {path}
    while new:
        found.add(file := new.pop())
        if file.startswith(("native/core/", "lab/programs/")) and file.endswith((".c", ".h")):
            new |= {one for name in HEADER.findall((ROOT / file).read_text())
                    for folder in (Path(file).parent, "native/test")
                    for one in (f"{folder}/{name}.h", f"{folder}/{name}.c") if (ROOT / one).exists()} - found
    return found


def of(experiment):
    paths = sorted(set().union(*map(followed, experiment.CODE)))
    return {path: digest(path) for path in (*paths, *experiment.OWN)}
