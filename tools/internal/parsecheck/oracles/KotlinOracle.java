import com.intellij.openapi.Disposable;
import com.intellij.openapi.util.Disposer;
import com.intellij.psi.PsiComment;
import com.intellij.psi.PsiElement;
import com.intellij.psi.PsiErrorElement;
import com.intellij.psi.PsiWhiteSpace;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jetbrains.kotlin.cli.CompilerConfigurationCreationKt;
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles;
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment;
import org.jetbrains.kotlin.config.CompilerConfiguration;
import org.jetbrains.kotlin.psi.*;

/**
 * Prints the declarations of Kotlin files as the compiler's own parser sees them, one JSON object a line. The files' paths come on
 * the standard input, relative to the directory in which it runs.
 */
public final class KotlinOracle {
    private static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    public static void main(String[] args) throws Exception {
        Disposable life = Disposer.newDisposable();
        CompilerConfiguration configuration = CompilerConfigurationCreationKt.create(CompilerConfiguration.Companion);
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(life, configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        KtPsiFactory factory = new KtPsiFactory(environment.getProject(), false);
        BufferedReader paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String path; (path = paths.readLine()) != null; ) {
            String text = Files.readString(Path.of(path), StandardCharsets.UTF_8);
            if (text.startsWith("\ufeff")) text = text.substring(1);
            text = text.replace("\r\n", "\n").replace("\r", "\n");
            KtFile file = factory.createFile(path.endsWith(".kts") ? "file.kts" : "file.kt", text);
            new KotlinOracle(path, text).all(file);
        }
        out.flush();
        System.exit(0); // the compiler keeps threads
    }

    private final String path;
    private final int[] lines;
    private final StringBuilder found = new StringBuilder();
    private boolean error;

    private KotlinOracle(String path, String text) {
        this.path = path;
        lines = IntStream.concat(IntStream.of(0), IntStream.range(0, text.length()).filter(i -> text.charAt(i) == '\n').map(i -> i + 1)).toArray();
    }

    private void all(KtFile file) {
        visit(file);
        if (error) {
            out.println("{\"file\":" + quoted(path) + ",\"error\":true}");
        } else {
            out.print(found);
        }
    }

    private void visit(PsiElement element) {
        if (element instanceof PsiErrorElement) error = true;
        if (element instanceof KtDeclaration declaration) declare(declaration);
        for (PsiElement child = element.getFirstChild(); child != null; child = child.getNextSibling()) visit(child);
    }

    private void declare(KtDeclaration d) {
        String kind = null;
        String name = d instanceof KtNamedDeclaration named ? named.getName() : null;
        if (d instanceof KtNamedFunction) {
            kind = name == null ? null : "function";
        } else if (d instanceof KtConstructor<?> constructor) {
            kind = constructor instanceof KtSecondaryConstructor || constructor.hasConstructorKeyword() ? "initializer" : null;
            name = "constructor";
        } else if (d instanceof KtClassInitializer) {
            kind = "initializer";
            name = "init";
        } else if (d instanceof KtPropertyAccessor accessor) {
            kind = accessor.hasBody() ? "accessor" : null;
            name = accessor.isGetter() ? "get" : "set";
        } else if (d instanceof KtProperty property) {
            kind = lambda(property.getInitializer()) ? "lambda" : property.isLocal() ? null : "property";
        } else if (d instanceof KtParameter parameter) {
            kind = parameter.hasValOrVar() && parameter.getParent().getParent() instanceof KtPrimaryConstructor ? "property" : null;
        } else if (d instanceof KtEnumEntry) {
            kind = "enumCase";
        } else if (d instanceof KtClass type) {
            kind = type.isEnum() ? "enum" : type.isInterface() || type.isAnnotation() ? "interface" : "class";
        } else if (d instanceof KtObjectDeclaration object) {
            kind = object.isObjectLiteral() ? null : "object";
        } else if (d instanceof KtTypeAlias) {
            kind = "typeAlias";
        }
        if (kind == null || name == null) return;
        found.append("{\"file\":").append(quoted(path)).append(",\"kind\":\"").append(kind).append("\",\"name\":").append(quoted(name))
                .append(",\"start\":").append(line(first(d).getTextRange().getStartOffset()))
                .append(",\"end\":").append(line(last(d).getTextRange().getEndOffset() - 1)).append("}\n");
    }

    /** A property is a lambda if a function literal is all of its value. */
    private static boolean lambda(KtExpression value) {
        while (value instanceof KtLabeledExpression || value instanceof KtAnnotatedExpression) {
            value = value instanceof KtLabeledExpression labeled ? labeled.getBaseExpression() : ((KtAnnotatedExpression) value).getBaseExpression();
        }
        return value instanceof KtLambdaExpression || value instanceof KtNamedFunction;
    }

    /** The compiler's tree counts comments before and after a declaration as its own; the declaration begins and ends between them. */
    private static PsiElement first(PsiElement element) {
        PsiElement child = element.getFirstChild();
        while (child != null && (trivial(child) || child.getTextLength() == 0)) child = child.getNextSibling();
        return child == null ? element : first(child);
    }

    private static PsiElement last(PsiElement element) {
        PsiElement child = element.getLastChild();
        while (child != null && (trivial(child) || child.getTextLength() == 0 || element instanceof KtEnumEntry && child.getText().matches("[,;]"))) {
            child = child.getPrevSibling();
        }
        return child == null ? element : last(child);
    }

    private static boolean trivial(PsiElement element) {
        return element instanceof PsiWhiteSpace || element instanceof PsiComment;
    }

    private int line(int offset) {
        int i = Arrays.binarySearch(lines, offset);
        return i >= 0 ? i + 1 : -i - 1;
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
