import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.code.Flags;
import com.sun.tools.javac.tree.JCTree.JCVariableDecl;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.tools.*;

/**
 * Prints the declarations that the compiler's parser finds in the files named on
 * the standard input, as lines of JSON.
 *
 * What is adapted: of several names in one declaration the later ones begin at
 * their name (the compiler lets all begin with the type); a variable whose initial
 * value is a lambda, or a cast of one, is a "lambda" even if it is a local one.
 */
public class JavaOracle {
    static final PrintStream out =
        new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, StandardCharsets.UTF_8);

    public static void main(String[] args) throws Exception {
        BufferedReader files = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        for (String file; (file = files.readLine()) != null; ) {
            DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
            JavacTask task = (JavacTask) compiler.getTask(null, manager, problems, List.of("-proc:none"), null, List.of(new Source(file)));
            Iterator<? extends CompilationUnitTree> units = task.parse().iterator();
            if (!units.hasNext() || problems.getDiagnostics().stream().anyMatch(d -> d.getKind() == Diagnostic.Kind.ERROR)) {
                out.println("{\"file\":" + quote(file) + ",\"error\":true}");
                continue;
            }
            CompilationUnitTree unit = units.next();
            new Walk(file, unit, Trees.instance(task).getSourcePositions()).scan(unit, null);
        }
        out.flush();
    }

    static class Source extends SimpleJavaFileObject {
        final String file;
        Source(String file) {
            super(Paths.get(file).toAbsolutePath().toUri(), Kind.SOURCE);
            this.file = file;
        }
        @Override public CharSequence getCharContent(boolean ignore) throws IOException {
            // Bytes, not characters: only the lines matter.
            return new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8);
        }
    }

    static class Walk extends TreePathScanner<Void, Void> {
        final String file;
        final CompilationUnitTree unit;
        final SourcePositions positions;
        final LineMap lines;

        Walk(String file, CompilationUnitTree unit, SourcePositions positions) {
            this.file = file;
            this.unit = unit;
            this.positions = positions;
            this.lines = unit.getLineMap();
        }

        void say(String kind, String name, long start, long end) {
            out.println("{\"file\":" + quote(file) + ",\"kind\":\"" + kind + "\",\"name\":" + quote(name)
                + ",\"start\":" + lines.getLineNumber(start) + ",\"end\":" + lines.getLineNumber(Math.max(start, end - 1)) + "}");
        }

        void say(String kind, String name, Tree tree) {
            say(kind, name, positions.getStartPosition(unit, tree), positions.getEndPosition(unit, tree));
        }

        @Override public Void visitClass(ClassTree c, Void v) {
            if (c.getSimpleName().length() > 0)
                say(c.getKind() == Tree.Kind.ENUM ? "enum" : c.getKind() == Tree.Kind.CLASS || c.getKind() == Tree.Kind.RECORD ? "class" : "interface",
                    c.getSimpleName().toString(), c);
            return super.visitClass(c, v);
        }

        @Override public Void visitMethod(MethodTree m, Void v) {
            String name = m.getName().toString();
            say(name.equals("<init>") ? "initializer" : "method", name, m);
            return super.visitMethod(m, v);
        }

        @Override public Void visitVariable(VariableTree d, Void v) {
            Tree around = getCurrentPath().getParentPath().getLeaf();
            boolean field = around instanceof ClassTree;
            boolean lambda = lambda(d.getInitializer());
            if (lambda || field) {
                long start = later(d, around) ? name(d) : positions.getStartPosition(unit, d);
                boolean constant = (((JCVariableDecl) d).mods.flags & Flags.ENUM) != 0;
                say(lambda ? "lambda" : constant ? "enumCase" : "property", d.getName().toString(), start, positions.getEndPosition(unit, d));
            }
            return super.visitVariable(d, v);
        }

        boolean lambda(ExpressionTree value) {
            while (value instanceof TypeCastTree cast) value = cast.getExpression();
            return value instanceof LambdaExpressionTree;
        }

        /** Whether the name is not the first that its declaration declares. */
        boolean later(VariableTree d, Tree around) {
            List<? extends Tree> all = around instanceof ClassTree c ? c.getMembers() : around instanceof BlockTree b ? b.getStatements()
                : around instanceof CaseTree c && c.getStatements() != null ? c.getStatements() : around instanceof ForLoopTree f ? f.getInitializer() : List.of();
            int at = all.indexOf(d);
            return at > 0 && all.get(at - 1) instanceof VariableTree before && d.getType() != null && before.getType() != null
                && positions.getStartPosition(unit, before.getType()) == positions.getStartPosition(unit, d.getType());
        }

        long name(VariableTree d) {
            return ((JCVariableDecl) d).pos;
        }
    }

    static String quote(String s) {
        StringBuilder b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            if (c == '"' || c == '\\') b.append('\\').append(c);
            else if (c < ' ' || c > '~') b.append(String.format("\\u%04x", (int) c));
            else b.append(c);
        }
        return b.append('"').toString();
    }
}
