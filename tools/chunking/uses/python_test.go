package uses_test

import "testing"

func TestFind_PythonMethod(t *testing.T) {
	checkUses(t, "add", texts{
		"shop/__init__.py": "from .cart import Cart as Basket, make\nfrom . import cart\n",
		"shop/cart.py": `
from __future__ import annotations
from typing import Optional, List, Dict
import contextlib

class Base:
    def add(self, name):
        pass
    def run(self):
        self.add(1)  #P

class Cart(Base):
    shared: Optional["Cart"] = None

    def __init__(self, other: "Cart | None" = None, many: Dict[str, List[Cart]] = {}):
        self.other = other
        self.many = many
        self.log = Log()

    def add(self, name):  #T
        super().add(name)
        self.log.add(name)
        return self

    @classmethod
    def create(cls) -> Cart:
        return cls()

    @property
    def next(self) -> Cart:
        self.other.add(1)  #R
        for name, carts in self.many.items():
            for one in carts:
                one.add(name)  #R
        self.many["a"][0].add(2)  #R
        return self.other

    def __enter__(self):
        return self

class Log:
    def add(self, name):
        pass

def make():
    return Cart()
`,
		"main.py": `
import shop
from shop import Basket, make, cart
from shop.cart import Log
from shop.cart import *
from elsewhere import thing

def main(given: Basket, log: Log, base: cart.Base, anything):
    given.add(1)  #R
    log.add(1)
    base.add(1)  #P
    make().add(1)  #R
    cart.Cart.create().next.add(1)  #R
    Cart().add(1).add(2)  #R
    shop.cart.Cart.add(given, 1)  #R
    with Basket() as c:
        c.add(1)  #R
    if (w := make()):
        w.add(1)  #R
    x = [c.add(1) for c in [given]]  #R
    def inner(given: Log):
        given.add(1)
    thing.add(1)
    anything.add(1)  #U
    callback(given.add)  #R
    call(add=1)
    y = None
    y = given
    y.add(1)  #R
`,
	})
}

func TestFind_PythonFunction(t *testing.T) {
	checkUses(t, "load", texts{
		"app/__init__.py":      "",
		"app/files.py":         "def load():  #T\n    pass\n\nload()  #R\n",
		"app/main.py":          "from .files import load\nfrom . import files\nimport app.files\nimport json\nload()  #R\nfiles.load()  #R\napp.files.load()  #R\njson.load()\n\nclass A:\n    def load(self):\n        load()  #R\n        self.load()\n",
		"app/other.py":         "def load():\n    pass\n\nload()\n",
		"app/deep/__init__.py": "from ..files import load as start\nstart()  #R\n",
	}, "start")
}

func TestFind_PythonTypes(t *testing.T) {
	checkUses(t, "go", texts{"a.py": `
from typing import Callable, Dict, Generic, Iterator, Tuple, Type, TypeVar, Union
from contextlib import contextmanager
T = TypeVar("T")

class Car:
    made: "Car"
    def go(self): pass  #T
    def __iter__(self) -> Iterator["Car"]: ...
    def __call__(self) -> "Car": ...
    def __getitem__(self, key) -> "Car": ...
    @staticmethod
    def build(): return Car()
    @classmethod
    def create(cls): return cls()

class Box(Generic[T]):
    def __init__(self, content: T):
        self.content: T = content
        self.car, self.other = Car(), 1
    def get(self) -> T: return self.content

def pick(x) -> Tuple[int, Car]: ...
async def later() -> Car: ...
def generate():
    yield Car()
@contextmanager
def opened() -> Iterator[Car]:
    yield Car()

async def use(a: Union[Car, None], d: Dict[str, Car], k: Type[Car], box: Box[Car], *cars: Car, f: Callable = None):
    a.go()  #R
    d["x"].go()  #R
    d.get("x").go()  #R
    for key, car in d.items(): car.go()  #R
    for car in d.values():
        car.go()  #R
    k().go()  #R
    box.get().go()  #R
    n, car = pick(1)
    car.go()  #R
    (await later()).go()  #R
    for one in generate():
        one.go()  #R
    with opened() as two:
        two.go()  #R
    for one in a:
        one.go()  #R
    a().go()  #R
    a[1].go()  #R
    Car.build().go()  #R
    Car.made.go()  #R
    many = [Car(), Car()]
    many[0].go()  #R
    many[1:][0].go()  #R
    table = {"a": Car()}
    table["a"].go()  #R
    (Car() if a else None).go()  #R
    (None or Car()).go()  #R
    x = y = Car()
    y.go()  #R
    lambda: a.go()  #R
    print(f"{a.go()!r:>{n}} {{a.go()}}")  #R
    try:
        a.go()  #R
    except (KeyError, ValueError) as a:
        pass
    match n:
        case 1:
            box.get().go()  #R
    "text".go()
    n.go()
`})
}

// Names in nested brackets and after a star are variables, and hide a function of this name.
func TestFind_PythonNestedTargets(t *testing.T) {
	checkUses(t, "part", texts{"a.py": `
def part():  #T
    pass

def direct():
    part()  #R

def nested(x):
    for i, (part, b) in x:
        part()

def pairs(x):
    (part, b), c = x
    part()

def starred(x):
    first, *part = x
    part()

def stars(x):
    [(a, *part), *rest] = x
    part()

def comprehension(x):
    y = [part() for i, (part, *b) in x]

def returned(x):
    return [part() for i, (part, *b) in x]
`})
}
