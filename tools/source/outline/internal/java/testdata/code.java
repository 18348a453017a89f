class Code {
    Runnable field = () -> { go(); };
    final Function<Integer, Function<Integer, Integer>> curried = x -> y -> x + y, plain = null, third = (a) -> a;
    Object cast = (Runnable & java.io.Serializable) () -> helper();
    Runnable chosen = flag ? () -> one() : () -> two();
    Runnable anonymous = new Runnable() {
        int count = 0;
        public void run() {
            Runnable inner = () -> count++;
        }
    };
    List<Runnable> list = List.of(() -> one(), new Runnable() { public void run() { } });

    void locals(int x) {
        final Comparator<String> byLength = (String a, String b) -> a.length() - b.length();
        var broken = f(y -> y);
        String text = x < 3 ? "{" : "}";
        int shifted = x >>> 2 >> 1, d = '{' + '"' + '\'';
        @SuppressWarnings("rawtypes") Supplier<Map<String, int[]>> s = HashMap::new, t = () -> {
            return new HashMap<>();
        };
        Runnable r;
        r = () -> one();
        for (IntSupplier i = () -> 1; i.getAsInt() > 0; ) { }
        try (Resource a = open(); Resource b = () -> close()) { }
        /** Local. */
        @Deprecated final class Local<T> extends Base<T> implements A, B {
            Local() { super(new Object() { void hidden() { } }); }
        }
        record Pair(int a, int b) { }
        enum Color { RED, GREEN }
        interface Shape { void draw(); }
        Class<?> c = Local.class; Object o = x.new Inner() { void in() { } };
        record.add(x); record = null;
        int record = record(1);
        label: while (true) { break label; }
        switch (x) {
            case 1: class InCase { }
            case 2: Runnable q = () -> { };
            default: break;
        }
        int y = switch (x) {
            case 1, 2 -> 3;
            case 4 -> { Runnable z = () -> one(); yield 5; }
            default -> throw new Error();
        };
        if (x instanceof String str && str.length() > 2) this.<A, B>call(x);
        Object generic = (Map<String, Integer> & Foo) List.<String>of();
    }

    String text() {
        return """
            void no() { "quotes" \""" }
            class Neither { }
            """ + "class /* x */ {" + '\u007b' + "\"";
    }

    /* void commented() { */ int real() { return 1; /* } */ } // }

    abstract void /* odd */ spaced /* ( */ (
        int a // first )
        , String b
    )
        throws Exception
    ;
}
