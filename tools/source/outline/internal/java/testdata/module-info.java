import java.util.function.Supplier;

/** The module. */
@Deprecated(since = "9")
open module com.example.app {
    requires java.base;
    requires static transitive java.desktop;
    requires transitive;
    exports com.example.api to com.example.one, com.example.two;
    opens com.example.impl;
    uses Supplier;
    provides com.example.Service with com.example.impl.A, com.example.impl.B;
}
