package headless

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// javac is the compiler of the JDK for Java. It gets the sources of the project alone, without its libraries, and runs no annotation
// processors, and so no code of the project.
func javac() compiler {
	return compiler{
		Name: "javac", Languages: []string{"java"}, Command: "javac", RootMarkers: []string{"pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"},
		Arguments: javacArguments, Parse: parseJavac,
	}
}

// javacArguments returns the arguments of javac, which reads the names of the sources from a file in dir: their number has no limit
// there. should-stop makes it check everything after an error, and write no classes.
func javacArguments(dir string, paths []string) ([]string, error) {
	var names strings.Builder
	for _, path := range paths {
		names.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + "\"\n")
	}
	file := filepath.Join(dir, "sources")
	if err := os.WriteFile(file, []byte(names.String()), 0o600); err != nil {
		return nil, err
	}
	return []string{
		"-J-Duser.language=en", "-J-Dfile.encoding=UTF-8", "-J-Dstderr.encoding=UTF-8", "-proc:none", "-implicit:none", "-encoding", "UTF-8",
		"--should-stop=ifError=FLOW", "--should-stop=ifNoError=FLOW", "-Xmaxerrs", "2000", "-Xmaxwarns", "2000", "-d", dir, "-classpath", dir, "@" + file,
	}, nil
}

var (
	javacLine = regexp.MustCompile(`^(.+\.java):(\d+): (?:(error|warning): )?(.*)$`)
	// javacMissing matches the messages about classes that are in libraries, and about a set of sources that is no single program.
	javacMissing = regexp.MustCompile(`^(package \S+ does not exist|duplicate class: .*|too many module declarations found|module not found: .*|static import only from classes and interfaces)`)
)

// maxJavaDetails is the number of lines after a message that explain it.
const maxJavaDetails = 4

func parseJavac(folder string, _ time.Time, _, stderr string) compilerOutput {
	var out compilerOutput
	missing := ""
	lines := strings.Split(strings.ReplaceAll(stderr, "\r\n", "\n"), "\n")
	for n := 0; n < len(lines); n++ {
		m := javacLine.FindStringSubmatch(lines[n])
		if m == nil {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		d := adapter.Diagnostic{Path: compilerPath(folder, m[1]), Severity: adapter.Error, Message: m[4], Source: "javac"}
		if m[3] == "warning" {
			d.Severity = adapter.Warning
		}
		if missing == "" && d.Severity == adapter.Error && javacMissing.MatchString(m[4]) {
			missing = m[4]
		}
		column, details := javacContext(lines[n+1:])
		d.Range.Start = compilerPosition(line, column)
		d.Range.End = d.Range.Start
		if len(details) > 0 {
			d.Message += " (" + strings.Join(details, "; ") + ")"
		}
		d.Message = bound(d.Message)
		out.items = append(out.items, d)
	}
	switch {
	case missing != "":
		// Without the libraries, errors are no errors of the project, and files without errors may have some.
		out.items = nil
		out.compiled = func(string) (bool, string, string) {
			return false, "javac has only the sources of the project, not its libraries: " + bound(missing), "Build the project with its own build tool."
		}
	case len(out.items) == 0 && strings.TrimSpace(stderr) != "" && !javacOnlyNotes(lines):
		out.failed = true
		out.compiled = func(string) (bool, string, string) {
			return false, "javac failed: " + errorLine(stderr), "Correct the reported problem, and call again."
		}
	default:
		out.compiled = func(string) (bool, string, string) { return true, "", "" }
	}
	return out
}

// javacSummary matches the last lines of the output.
var javacSummary = regexp.MustCompile(`^\d+ (error|warning)s?$`)

// javacContext returns the column and the details of a message from the lines after it: the line of the source, a line with a caret,
// and details.
func javacContext(lines []string) (column int, details []string) {
	for n, line := range lines {
		if javacLine.MatchString(line) || javacSummary.MatchString(line) {
			break
		}
		if column == 0 && n > 0 && strings.TrimSpace(line) == "^" {
			column = len(utf16.Encode([]rune(line[:strings.IndexByte(line, '^')]))) + 1
			continue
		}
		if column > 0 && strings.TrimSpace(line) != "" && len(details) < maxJavaDetails {
			details = append(details, strings.Join(strings.Fields(line), " "))
		}
	}
	return max(column, 1), details
}

// javacOnlyNotes reports whether an output has only notes, for example about deprecated methods, and variables of the environment
// that the JVM names.
func javacOnlyNotes(lines []string) bool {
	for _, line := range lines {
		if line != "" && !strings.HasPrefix(line, "Note: ") && !strings.HasPrefix(line, "Picked up ") {
			return false
		}
	}
	return true
}
