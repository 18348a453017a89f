void main() {
    println(greeting());
}

String greeting() { return "top level"; }

int counter = 0;

class Patterns {
    int area(Object o) {
        return switch (o) {
            case Circle(double r) when r > 0 -> { class Nested { void m() { } } yield 1; }
            case Square(var side) -> 2;
            case null, default -> 3;
        };
    }
    void unnamed() {
        try { int _ = 1; } catch (Exception _) { }
        Function<String, Integer> f = _ -> 1;
    }
}
