#!/usr/bin/env python3
# A comment at the top documents nothing.
"""The module."""
import os, sys as system, xml.dom.minidom
import a.b, \
    c
from typing import (
    Callable,  # with a comment
    TYPE_CHECKING,
)
from . import sibling
from ..up.more import *; import json

if TYPE_CHECKING:
    from nowhere import Thing

    Alias = Thing
else:
    def fallback(): pass

DEFAULT_SIZE = 10
first = second = 1; third: int = 3; declared: "Callable[[int], str]"
left, (right, *rest) = 1, (2, 3)
[x, y.attribute, z[0], call().w] = range(4)
obj.attribute = obj["key"] = 5
total += 1
__all__ = [
    "Shape",
    "DEFAULT_SIZE",
]


# Not documentation for Python: the docstring is.
@decorator
# between the decorators
@package.decorator(
    "def no(): pass",
    key=lambda x: x,
)

class Shape(Base, metaclass=Meta):
    """A shape."""

    sides: int = 0
    name, colour = "none", 'red'
    area = lambda self: self.width * \
        self.height
    class Meta: ordering = ["name"]; verbose = True

    def __init__(self, *args, size: int = DEFAULT_SIZE,
                 **kwargs) -> None:
        self.size = size  # not a value of the class
        local = 1

        # A comment that belongs to no body.

    def __del__(self): ...

    @property
    def width(self): return self._width  # a comment

    @width.setter
    def width(self, value):
        def check(v):
            if v: return v
            else:
                raise ValueError(
                    v
                )
        check(value)
    # Indented like the body, but behind it.
# And at the margin.

    @functools.cached_property
    async def slow(self):
        async with lock:
            async for x in y: await x
        return

    @staticmethod
    def make(): \
        return Shape()

    if sys.platform == "win32":
        def only_there(self):
            pass

        PATH_SEPARATOR = ";"
    else: PATH_SEPARATOR = ":"


def outer(
    a,  # def not_this():
    b=lambda q: {"}": q}, /,
    *, c: "str" = "):"
) -> Dict[str,
          int]:
    """Docstring with def inside:

    def example():
        pass
"""
    class Local(Exception):
        def method(self): pass
    key = lambda item: item[0]
    def inner():
        nonlocal a
        async def innermost(): yield
        return innermost
    return inner
print(outer); value = lambda *a, k=1: (yield)
tupled = lambda: 1, 2
wrapped = (
    # a comment
    lambda a, b: a
)
called = (lambda: 1)()
chosen = lambda: 1 if value else lambda a, b: 2
typed: Callable[[int], int] = lambda n: n
def one(): return 1
def two(): x = 1; y = 2;
try: import fast
except ImportError: fast = None
for i in range(3): loop = i
with open("f") as f: content = f.read()
last = """
the end of the file, without a line feed"""
