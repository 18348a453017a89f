// Prints for each line of the input, a JSON list of a language and a text, whether javac reads the text without a syntax error.

import com.sun.source.util.JavacTask;
import java.io.*;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.tools.*;

class Valid {
  public static void main(String[] args) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      var text = text(line);
      var found = new DiagnosticCollector<JavaFileObject>();
      var file = new SimpleJavaFileObject(URI.create("string:///F.java"), JavaFileObject.Kind.SOURCE) {
        @Override public CharSequence getCharContent(boolean ignore) { return text; }
      };
      ((JavacTask) compiler.getTask(null, null, found, List.of(), null, List.of(file))).parse();
      System.out.println(found.getDiagnostics().stream().noneMatch(d -> d.getKind() == Diagnostic.Kind.ERROR));
      System.out.flush();
    }
  }

  // text returns the second string of a JSON list of two strings.
  static String text(String json) {
    var text = new StringBuilder();
    int at = json.indexOf("\",\"") + 3;
    for (; json.charAt(at) != '"'; at++) {
      char c = json.charAt(at);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      c = json.charAt(++at);
      switch (c) {
        case 'n' -> text.append('\n');
        case 't' -> text.append('\t');
        case 'r' -> text.append('\r');
        case 'b' -> text.append('\b');
        case 'f' -> text.append('\f');
        case 'u' -> { text.append((char) Integer.parseInt(json.substring(at + 1, at + 5), 16)); at += 4; }
        default -> text.append(c);
      }
    }
    return text.toString();
  }
}
