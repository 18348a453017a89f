package uses_test

import "testing"

func TestFind_JavaMethod(t *testing.T) {
	checkUses(t, "add", texts{
		"src/shop/Adder.java": "package shop;\n\npublic interface Adder {\n  void add(String name);\n}\n",
		"src/shop/Base.java": `package shop;
public abstract class Base implements Adder {
  public void add(String name) {}
  void run() {
    add("unqualified"); //P
  }
}
`,
		"src/shop/Cart.java": `package shop;

import java.util.*;

public class Cart extends Base {
  private Cart other;
  final Map<String, List<Cart>> many = new HashMap<>();
  Log log = new Log(), second;
  enum Size { SMALL, BIG; void add(String n) {} }
  record Pair(Cart first, Log second) {}

  @Override public void add(String name) { //T
    super.add(name);
    this.log.add(name);
    add(name, 1);
  }
  void add(String name, int count) { add(name); } //R
  Cart next() {
    other.add("field"); //R
    many.get("x").get(0).add("map"); //R
    for (Cart c : many.get("x")) c.add("loop"); //R
    for (var e : many.entrySet()) {
      e.getValue().forEach(c -> c.add("lambda")); //R
    }
    Size.SMALL.add("enum");
    return new Pair(this, log).first();
  }
  static Cart create() { return new Cart(); }
  <T extends Cart> void generic(T t, Object o) {
    ((Cart) o).add("cast"); //R
    if (o instanceof Cart c && c != null) c.add("pattern"); //R
    Runnable r = () -> { add("in a lambda"); }; //R
    new Base() { void go() { add("anonymous"); } };
    Optional<Cart> maybe = Optional.of(this);
    maybe.ifPresent(c -> c.add("optional")); //R
  }
}
class Log {
  void add(String name) {}
}
`,
		"test/Main.java": `import shop.Cart;
import shop.Adder;
import static shop.Cart.create;

class Main {
  void main(Cart given, Adder a, java.util.List<String> names) {
    given.add("parameter"); //R
    given.add("two", 2);
    create().next().add("chain"); //R
    shop.Cart qualified = null;
    qualified.add("qualified"); //R
    a.add("interface"); //P
    names.add("external");
    unknown().add("unknown");
    names.forEach(given::add); //R
    try (Cart c = Cart.create()) {
      c.add("resource"); //R
    } catch (Exception e) {
      e.add("external");
    }
    Cart[] all = new Cart[1];
    all[0].add("array"); //R
    String text = """
      given.add("text block")
      """;
  }
}
`,
	})
}

// The arguments of a call choose the overload.
func TestFind_JavaOverloads(t *testing.T) {
	checkUses(t, "log", texts{"Log.java": `package a;
import java.util.function.*;
import java.util.*;
class Log {
  void log(Supplier<String> s) {}
  void log(int n) {}
  void log(String s, Throwable t) {}
  void log(String s, Object... all) {}
  void log(char c) {}
  void log(boolean b) {}
  void log(Log l) {}
  void log(int[] l) {}
  void log(String s) {} //T
  void log;
  static <T> T same(T t) { return t; }
  void use(String text, int n, Log other, Exception e, int[] many, Map.Entry<String, Log> entry) {
    log("text"); //R
    log(text); //R
    log(other.toString()); //R
    log(() -> "supplier");
    log(1);
    log('c');
    log(true);
    log(many);
    log(other);
    log("text", e);
    log("text", n, n);
    same(other).log("x"); //R
    entry.getValue().log(text); //R
    Log.this.log(text); //R
    int result = switch (n) { case 1 -> { log(text); yield 1; } default -> 2; }; //R
    for (int i = 0, k = 1; i < n; i++) log(text); //R
    new Log().log(text); //R
    Function<Log, Integer> f = (final Log l) -> { l.log(text); return 1; }; //R
    this.log.toString();
  }
}
`})
}
