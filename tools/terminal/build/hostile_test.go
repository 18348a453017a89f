package build_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/terminal/build"
)

// checkSound checks the properties of all problems, for any output.
func checkSound(t *testing.T, m *build.Matcher) {
	t.Helper()
	all := m.Problems()
	seen := map[build.Problem]bool{}
	for _, p := range all {
		p.Source = ""
		switch {
		case seen[p] && !strings.Contains(p.Message, "\n"): // notes may make two the same
			t.Errorf("twice: %+v", p)
		case p.Severity != build.Error && p.Severity != build.Warning, p.Message == "" && p.Code == "":
			t.Errorf("incomplete: %+v", p)
		case p.Line < 0, p.Column < 0, p.EndLine < 0, p.EndColumn < 0:
			t.Errorf("a negative number: %+v", p)
		case len(p.Message) > 2100, len(p.File) > 1100, len(p.Code) > 300:
			t.Errorf("too long: %+v", p)
		case !utf8.ValidString(p.Message + p.File + p.Code), strings.ContainsAny(p.Message+p.File+p.Code, "\x1b\x00\r"):
			t.Errorf("not text: %+v", p)
		}
		seen[p] = true
	}
	if len(all) > 1000 {
		t.Errorf("%d problems", len(all))
	}
}

// The time to read hostile output is proportional to its length. Short tests read less of it.
func TestMatcher_HostileOutput(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size = 1 << 16
	}
	for _, c := range []struct{ name, unit string }{
		{"one line", "x"}, {"colons", ":1"}, {"places", "a.c:1:2: "}, {"brackets", "a.c(1,2): ("}, {"opened escapes", "\x1b["}, {"opened links", "\x1b]8;;x"},
		{"carriage returns", "a\r"}, {"empty lines", "\n"}, {"levels", "[ERROR] "}, {"errors in one line", "error: "}, {"spaces", " "},
		{"the same error", "a.c:1:2: error: x\n"}, {"notes", "a.c:1:2: note: x\n"}, {"an endless block of cmake", "CMake Error at a:1 (x):\n  y\n"},
		{"an endless message", "CMake Error at a:1 (x):\n" + strings.Repeat("  y\n", 3000)}, {"an endless traceback", "Traceback (most recent call last):\n" + strings.Repeat("  File \"a.py\", line 3, in x\n", 3000)},
		{"tests of Go", "--- FAIL: TestX (0.0s)\n    a_test.go:1: x\n"}, {"tests of Go that run", "=== RUN TestX\n    a_test.go:1: x\n"}, {"directories of make", "make[1]: Entering directory '/x'\n"},
		{"packages of Go", "--- FAIL: TestX (0.0s)\n    a_test.go:1: x\nFAIL\ta/b/c/d\t0.1s\n"}, {"javac without carets", "A.java:1: error: x\nx\n"}, {"JSON", `{"reason":"compiler-message","message":{"spans":[`},
		{"frames", "Error: x\n    at a (b.js:1:2)\n"}, {"jest", "  ● x\n    at a (b.js:1:2)\n"}, {"rust", "error[E0001]: x\n --> a.rs:1:2\n"}, {"npm", "npm error x\n"}, {"webpack", "ERROR in a.js 1:2\nx\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := build.NewMatcher(build.Go, "/p")
			m.Exists = func(string) bool { return true }
			begun := time.Now()
			for range size / len(c.unit) / 64 {
				m.Write([]byte(strings.Repeat(c.unit, 64)))
			}
			m.Close()
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("took %v", took)
			}
			checkSound(t, m)
		})
	}
}

// However many problems there are, a bounded number is kept, and the rest is counted.
func TestManyProblems(t *testing.T) {
	m := build.NewMatcher(build.Make, "/p")
	var log strings.Builder
	for i := range 700 {
		log.WriteString("a.c:" + strings.Repeat("1", 1+i%7) + ":" + strings.Repeat("2", 1+i/100) + ": error: x" + strings.Repeat("y", i) + "\n")
	}
	m.Write([]byte(log.String() + "b.c:1:1: warning: late\n"))
	m.Close()
	all := m.Problems()
	if len(all) != 501 || m.Omitted() != 200 || all[500].Message != "late" {
		t.Errorf("%d problems and %d more", len(all), m.Omitted())
	}
}

// Lines of two streams stay separate, and their problems are collected together.
func TestStreams(t *testing.T) {
	m := build.NewMatcher(build.Make, "/p")
	out, err := m.Stream(), m.Stream()
	out.Write([]byte("make[1]: Entering directory '/p/sub'\ngcc -c"))
	err.Write([]byte("a.c:1:2: er"))
	out.Write([]byte(" a.c\n"))
	err.Write([]byte("ror: x"))
	m.Close()
	if got, want := show(m), "error sub/a.c:1:2 [] <cc>\n    x\n"; got != want {
		t.Errorf("got %s", got)
	}
}

// Files are named relative to the root of the project, where they are known to be.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		root, dir, there, log, want string
	}{
		{"/p", "/p/web", "", "src/a.ts(1,2): error TS1: x", "web/src/a.ts"},
		{"/p", "/p/web", "", "/p/lib/a.c:1:2: error: x", "lib/a.c"},
		{"/p", "/p/web", "", "../lib/a.c:1:2: error: x", "lib/a.c"},
		{"/p", "/p/web", "", "../../a.c:1:2: error: x", "/a.c"},
		{"/p", "/p", "", "/usr/include/a.h:1:2: error: x", "/usr/include/a.h"},
		{"/p", "/p", "", "/pp/a.h:1:2: error: x", "/pp/a.h"},
		{"", "", "", "./a.c:1:2: error: x", "a.c"},
		{`C:\p`, `C:\p\sub`, "", `c:\P\src\a.cs(1,2): error CS1: x`, "src/a.cs"},
		{"/p", "/p/web", "lib/a.c", "lib/a.c:1:2: error: x", "lib/a.c"},
		{"/p", "/p", "sub/b_test.go", "--- FAIL: TestX (0.0s)\n    b_test.go:3: x\nFAIL\texample.com/m/sub\t0.1s", "sub/b_test.go"},
		{"/p", "/p", "src/test/java/com/x/ATest.java", "[ERROR] adds(com.x.ATest)  Time elapsed: 0.01 s  <<< FAILURE!\njava.lang.AssertionError: no\n\tat com.x.ATest.adds(ATest.java:10)", "src/test/java/com/x/ATest.java"},
	} {
		m := build.NewMatcher(build.Go, c.dir)
		m.Root = c.root
		if c.there != "" {
			m.Exists = func(name string) bool { return name == c.there }
		}
		m.Write([]byte(c.log + "\n"))
		m.Close()
		if all := m.Problems(); len(all) != 1 || all[0].File != c.want {
			t.Errorf("%s: got %v", c.log, all)
		}
	}
}

// A matcher that has seen nothing has no problems.
func TestNothingYet(t *testing.T) {
	m := build.NewMatcher(build.Go, "/p")
	if m.Problems() != nil || m.Omitted() != 0 || m.Close() != nil {
		t.Error("something")
	}
	m.Write([]byte("a.c:1:2: error: x"))
	if len(m.Problems()) != 0 {
		t.Error("a line has not ended")
	}
	m.Close()
	m.Close()
	if len(m.Problems()) != 1 {
		t.Error("it has")
	}
}

func FuzzMatcher(f *testing.F) {
	for _, l := range logs {
		log, err := os.ReadFile("testdata/" + l.name + ".log")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(log[:min(len(log), 4000)], uint8(0), uint16(100))
	}
	for _, w := range written {
		f.Add([]byte(w.log), uint8(1), uint16(7))
	}
	systems := build.Systems()
	f.Fuzz(func(t *testing.T, log []byte, system uint8, cut uint16) {
		s := systems[int(system)%len(systems)]
		whole := build.NewMatcher(s, "/p")
		whole.Write(log)
		whole.Close()
		checkSound(t, whole)
		parts := build.NewMatcher(s, "/p")
		at := min(int(cut), len(log))
		parts.Write(log[:at])
		parts.Write(log[at:])
		parts.Close()
		if show(whole) != show(parts) {
			t.Errorf("whole\n%s\nin two parts\n%s", show(whole), show(parts))
		}
	})
}

// BenchmarkMatcher reads all logs, as a build would print them.
func BenchmarkMatcher(b *testing.B) {
	var all []byte
	for _, l := range logs {
		log, err := os.ReadFile("testdata/" + l.name + ".log")
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, log...)
	}
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		m := build.NewMatcher(build.Make, "/p")
		m.Write(all)
		m.Close()
	}
}
