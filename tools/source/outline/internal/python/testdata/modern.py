type Point = tuple[float, float]
type Pair[T: (int, str) = int, *Ts, **P] = (
    tuple[T, T]
)
type = 3
type.x = 4
type (x)
print(type, match)

def first[T: Sequence[int]](items: list[T]) -> T: return items[0]

class Stack[T](Generic[T]):
    type Item = T
    match: int = 3
    case = 4
    def match(self, case): match.x = case; return match(self)

match = lambda case: case
match[0] = 1
match, case = 1, 2

def run(command):
    match command:
        case Point(x=0, y=0) if check(command):
            def on_origin(): pass
        case [a, b, *_]: helper = lambda: 0
        case {"key": value, **rest}: pass
        case -1 | "text" | None: pass
        case (1, 2): pass
        case _:
            pass
    match (command): 
        case 1: pass
    match(command)
    case(command)
    match -1
    match [1]: 
        case 1: pass
    if (n := 10) and n > 5: x = y = lambda: n
    while chunk := read(): pass
    if lambda: x: pass
    with (open("a") as a, open("b") as b): pass
    try:
        pass
    except* (ValueError, TypeError) as e: pass
    @(lambda f: f)
    def decorated(): return 1
    return {**a, 'k': [lambda: 1]}[0](b)[
        1]
