// A licence, which documents nothing.

@Deprecated
package com.example.shapes; // annotated, as in package-info.java

import java.util.List;
import static java.lang.Math.*;
import java . util . /* spread out */ Map;

/** A shape. */
@SuppressWarnings({"unchecked", "(not { a bracket"})
public sealed interface Shape<T extends Comparable<? super T>> extends Cloneable
    permits Circle, Square {

    double area();

    // Not documentation: a blank line follows.

    default int sides() { return 0; }

    /* one */
    /* and two */
    static <A, B extends List<A>> B of(final A first, @Named(name = "x,y") A... rest) throws @Fatal Error, java.io.IOException {
        return null;
    }

    int f()[];
    int g(int a[], String[]... b) [] [];
    int named @A [] @B(1) [], old @A [];
}

record Circle<T>(@Positive double radius, List<? extends T>... names) implements Shape<T> {
    static int made;

    Circle {
        made++;
    }

    Circle(double radius, int x) { this(radius); }

    public double radius() { return radius; }
}

non-sealed class Square implements Shape<String>{
    private int a = 1, b[] = {2, 3}, c;
    protected volatile Map<String, List<int[]>> map = new HashMap<String, List<int[]>>() {{ put("a", null); }}, other;

    static { System.loadLibrary("x"); }
    { a = 2; }

    Square() {}
    <T> Square(T t) { super(); }
    native int hash(Square this, @A int x);
    synchronized strictfp void record(record r) {}

    class Inner { class Most { void deep() { } } }
}

enum Planet implements Runnable {
    /** The first. */
    @Deprecated MERCURY(1, new int[]{1, 2}) {
        @Override public void run() { helper(); }
        void helper() { }
        int field;
    },
    VENUS,
    EARTH { public void run() {} };

    private final int mass;
    Planet(int... mass) { this.mass = 0; }
    Planet() { this(0); }
}

enum Empty { }
enum Comma { A, B, ; }

@interface Config {
    String name() default "a;b";
    int[] sizes() default {1, 2};
    Class<?> type() default Object.class;
    Config[] nested() default { @Config(name = "}") };
    int LIMIT = 5;
    enum Level { LOW }
}
