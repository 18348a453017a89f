"""Prints the declarations that the ast module finds in the files named on the
standard input, as lines of JSON.

What is adapted: a declaration begins with its first decorator; an assignment to
names in a module or a class is a value for each name, the first of which begins
with the statement and the others at their name; one whose value is a lambda is a
"lambda" wherever it is.
"""

import ast
import json
import sys
import warnings

warnings.simplefilter("ignore")


class Walk(ast.NodeVisitor):
    def __init__(self, file):
        self.file = file
        self.around = ["module"]

    def say(self, kind, name, start, end):
        print(json.dumps({"file": self.file, "kind": kind, "name": name, "start": start, "end": end}))

    def declaration(self, kind, node):
        start = min([node.lineno] + [d.lineno for d in node.decorator_list])
        self.say(kind, node.name, start, node.end_lineno)
        self.around.append(kind)
        self.generic_visit(node)
        self.around.pop()

    def visit_FunctionDef(self, node):
        self.declaration("function", node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.declaration("class", node)

    def assignment(self, node, targets):
        bound = isinstance(node.value, ast.Lambda)
        if bound or self.around[-1] != "function":
            for n, name in enumerate(names(targets)):
                start = name.lineno if n else node.lineno
                kind = "lambda" if bound else "property" if self.around[-1] == "class" else "variable"
                self.say(kind, name.id, start, node.end_lineno)
        self.generic_visit(node)

    def visit_Assign(self, node):
        self.assignment(node, node.targets)

    def visit_AnnAssign(self, node):
        if node.simple:
            self.assignment(node, [node.target])
        else:
            self.generic_visit(node)

    def visit_TypeAlias(self, node):
        self.say("typeAlias", node.name.id, node.lineno, node.end_lineno)


def names(targets):
    for target in targets:
        if isinstance(target, ast.Name):
            yield target
        elif isinstance(target, (ast.Tuple, ast.List)):
            yield from names(target.elts)
        elif isinstance(target, ast.Starred):
            yield from names([target.value])


def main():
    sys.setrecursionlimit(20000)
    for file in sys.stdin.read().split("\n"):
        if not file:
            continue
        try:
            with open(file, "rb") as f:
                tree = ast.parse(f.read())
        except (SyntaxError, ValueError, RecursionError):
            print(json.dumps({"file": file, "error": True}))
            continue
        Walk(file).visit(tree)


main()
