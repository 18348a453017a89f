// Prints the uses of the methods of a directory as javac resolves them.
//
//	java Uses.java <directory>

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.lang.model.util.*;
import javax.tools.*;

public class Uses {
  static class Method {
    String path, name;
    long offset;
    ExecutableElement element;
    Set<String> resolved = new LinkedHashSet<>(), possible = new LinkedHashSet<>();
  }

  static Path dir;
  static Trees trees;

  public static void main(String[] args) throws Exception {
    dir = Path.of(args[0]);
    List<Path> files;
    try (var walk = Files.walk(dir)) {
      files = walk.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java") && !p.endsWith("package-info.java")).sorted().toList();
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, StandardCharsets.UTF_8);
    List<String> options = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "1000000", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW"));
    for (int i = 1; i < args.length; i++) options.add(args[i]);
    JavacTask task = (JavacTask) compiler.getTask(null, manager, d -> {}, options, null, manager.getJavaFileObjectsFromPaths(files));
    List<CompilationUnitTree> units = new ArrayList<>();
    for (var unit : task.parse()) units.add(unit);
    task.analyze();
    trees = Trees.instance(task);
    Elements elements = task.getElements();
    Map<Element, Method> methods = new LinkedHashMap<>();
    Map<String, List<Method>> byName = new HashMap<>();
    for (var unit : units) {
      String text = unit.getSourceFile().getCharContent(true).toString();
      new TreePathScanner<Void, Void>() {
        @Override public Void visitMethod(MethodTree tree, Void v) {
          Element element = trees.getElement(getCurrentPath());
          String name = tree.getName().toString();
          long at = trees.getSourcePositions().getStartPosition(unit, tree);
          if (element instanceof ExecutableElement e && !name.equals("<init>") && at >= 0) {
            int from = tree.getReturnType() == null ? (int) at : (int) trees.getSourcePositions().getEndPosition(unit, tree.getReturnType());
            var matcher = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b").matcher(text);
            if (from >= 0 && matcher.find(from)) {
              Method m = new Method();
              m.path = relative(unit);
              m.name = name;
              m.offset = text.substring(0, matcher.start()).getBytes(StandardCharsets.UTF_8).length;
              m.element = e;
              methods.put(element, m);
              byName.computeIfAbsent(name, k -> new ArrayList<>()).add(m);
            }
          }
          return super.visitMethod(tree, v);
        }
      }.scan(unit, null);
    }
    for (var unit : units) {
      new TreePathScanner<Void, Void>() {
        void use(Tree tree, String name, Tree qualifier) {
          List<Method> same = byName.get(name);
          if (same == null) return;
          Element element = trees.getElement(getCurrentPath());
          if (!(element instanceof ExecutableElement used)) return;
          long end = trees.getSourcePositions().getEndPosition(unit, tree);
          if (end < 0) return;
          String at = relative(unit) + "\0" + unit.getLineMap().getLineNumber(end - 1);
          Method target = methods.get(used);
          if (target != null) target.resolved.add(at);
          if (qualifier != null && qualifier.toString().endsWith("super")) return;
          for (Method m : same) {
            if (m != target && target != null && elements.overrides(m.element, used, (TypeElement) m.element.getEnclosingElement())) m.possible.add(at);
          }
        }
        @Override public Void visitIdentifier(IdentifierTree tree, Void v) {
          use(tree, tree.getName().toString(), null);
          return super.visitIdentifier(tree, v);
        }
        @Override public Void visitMemberSelect(MemberSelectTree tree, Void v) {
          use(tree, tree.getIdentifier().toString(), tree.getExpression());
          return super.visitMemberSelect(tree, v);
        }
        @Override public Void visitMemberReference(MemberReferenceTree tree, Void v) {
          use(tree, tree.getName().toString(), tree.getQualifierExpression());
          return super.visitMemberReference(tree, v);
        }
        @Override public Void visitImport(ImportTree tree, Void v) { return null; }
      }.scan(unit, null);
    }
    StringBuilder out = new StringBuilder("{\"files\":[");
    String separator = "";
    for (var unit : units) {
      out.append(separator).append(quote(relative(unit)));
      separator = ",";
    }
    out.append("],\"functions\":[");
    separator = "";
    for (Method m : methods.values()) {
      out.append(separator).append("{\"path\":").append(quote(m.path)).append(",\"name\":").append(quote(m.name)).append(",\"offset\":").append(m.offset)
          .append(",\"resolved\":").append(places(m.resolved)).append(",\"possible\":").append(places(m.possible)).append("}");
      separator = ",";
    }
    System.out.println(out.append("]}"));
  }

  static String relative(CompilationUnitTree unit) {
    return dir.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
  }

  static String quote(String s) { return "\"" + s.replace("\\", "\\\\").replace("\"", "\\\"") + "\""; }

  static String places(Set<String> all) {
    StringJoiner joined = new StringJoiner(",", "[", "]");
    for (String at : all) {
      String[] parts = at.split("\0");
      joined.add("{\"path\":" + quote(parts[0]) + ",\"line\":" + parts[1] + "}");
    }
    return joined.toString();
  }
}
