package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/terminal/build"
)

// logs are the logs in testdata with their tools. They are output of real tools for small faulty projects: Go 1.26, GCC 12,
// Clang and LLD 14, GNU make 4.3, CMake 3.25, Ninja 1.11, Rust 1.95, OpenJDK 17, Maven 3.8, Gradle 4.4, Kotlin 1.3, Scala 2.11,
// Node.js 20 with TypeScript 5.9 and tools of its year, Python 3.11. The table written covers other tools. DOUGU_UPDATE=1
// writes the expected results.
var logs = []struct {
	name   string
	system build.System
	dir    string
}{
	{"go-build", build.Go, "/tmp/p/go"}, {"go-vet", build.Go, "/tmp/p/go"}, {"go-test", build.Go, "/tmp/p/go"}, {"go-test-v", build.Go, "/tmp/p/go"},
	{"go-import", build.Go, "/tmp/p/go"}, {"go-race", build.Go, "/tmp/p/go"}, {"go-mod", build.Go, "/tmp/p/gomod"}, {"go-none", build.Go, "/tmp"},
	{"gcc", build.Make, "/tmp/p/c"}, {"gxx", build.Make, "/tmp/p/c"}, {"clang", build.Make, "/tmp/p/c"}, {"clang-cl", build.MSBuild, "/tmp/p/c"},
	{"ld", build.Make, "/tmp/p/c"}, {"lld", build.Make, "/tmp/p/c"}, {"make", build.Make, "/tmp/p/c"}, {"make-syntax", build.Make, "/tmp/p/c"},
	{"cmake", build.CMake, "/tmp/p/cmake"}, {"cmake-generate", build.CMake, "/tmp/p/cmake"}, {"cmake-warnings", build.CMake, "/tmp/p/cmake"}, {"cmake-none", build.CMake, "/tmp/p/cmake"}, {"cmake-build", build.CMake, "/tmp/p/cmake"}, {"ninja", build.CMake, "/tmp/p/cmake"},
	{"cargo", build.Cargo, "/tmp/p/cargo"}, {"cargo-json", build.Cargo, "/tmp/p/cargo"}, {"cargo-short", build.Cargo, "/tmp/p/cargo"}, {"cargo-test", build.Cargo, "/tmp/p/cargo"},
	{"cargo-manifest", build.Cargo, "/tmp/p/cargo2"}, {"cargo-offline", build.Cargo, "/tmp/p/cargo3"},
	{"javac", build.Make, "/tmp/p/java"}, {"javac-ja", build.Make, "/tmp/p/java"}, {"javac-options", build.Make, "/tmp/p/java"},
	{"maven", build.Maven, "/tmp/p/mvn"}, {"maven-test", build.Maven, "/tmp/p/mvn"}, {"maven-pom", build.Maven, "/tmp/p/mvn"}, {"maven-dependency", build.Maven, "/tmp/p/mvn"}, {"gradle", build.Gradle, "/tmp/p/gradle"}, {"kotlinc", build.Make, "/tmp/p/kt"}, {"scalac", build.Make, "/tmp/p/kt"},
	{"tsc", build.NPM, "/tmp/p/ts"}, {"tsc-pretty", build.NPM, "/tmp/p/ts"}, {"tsc-none", build.NPM, "/tmp/p/ts"},
	{"eslint", build.NPM, "/tmp/p/ts"}, {"eslint-unix", build.NPM, "/tmp/p/ts"}, {"prettier", build.NPM, "/tmp/p/ts"}, {"biome", build.NPM, "/tmp/p/ts"},
	{"webpack", build.NPM, "/tmp/p/pack"}, {"webpack-babel", build.NPM, "/tmp/p/pack"}, {"esbuild", build.NPM, "/tmp/p/pack"}, {"babel", build.NPM, "/tmp/p/pack"},
	{"rollup", build.NPM, "/tmp/p/pack"}, {"rollup-import", build.NPM, "/tmp/p/pack"}, {"rollup-resolve", build.NPM, "/tmp/p/pack"}, {"vite", build.NPM, "/tmp/p/vite"}, {"vite-resolve", build.NPM, "/tmp/p/vite"},
	{"jest", build.NPM, "/tmp/p/jest"}, {"vitest", build.NPM, "/tmp/p/jest"}, {"mocha", build.NPM, "/tmp/p/jest"}, {"node-test", build.NPM, "/tmp/p/jest"}, {"node-spec", build.NPM, "/tmp/p/jest"}, {"node", build.NPM, "/tmp/p/jest"},
	{"npm", build.NPM, "/tmp/p/npm"}, {"npm-ci", build.NPM, "/tmp/p/npm"}, {"yarn", build.Yarn, "/tmp/p/npm"}, {"pnpm", build.PNPM, "/tmp/p/npm"},
	{"python", build.Make, "/tmp/p/py"}, {"pytest", build.Make, "/tmp/p/py"}, {"fine", build.Make, "/tmp/p"}, {"pyright", build.Make, "/tmp/p/py"}, {"black", build.Make, "/tmp/p/py"},
}

// show is how the problems of a log are written down.
func show(m *build.Matcher) string {
	var s strings.Builder
	for _, p := range m.Problems() {
		at := p.File
		if p.Line > 0 {
			at += fmt.Sprintf(":%d", p.Line)
		}
		if p.Column > 0 {
			at += fmt.Sprintf(":%d", p.Column)
		}
		if p.EndLine > 0 || p.EndColumn > 0 {
			at += fmt.Sprintf("-%d:%d", p.EndLine, p.EndColumn)
		}
		if at == "" {
			at = "-"
		}
		fmt.Fprintf(&s, "%s %s [%s] <%s>\n    %s\n", p.Severity, at, p.Code, p.Source, strings.ReplaceAll(p.Message, "\n", "\n    "))
	}
	return s.String()
}

// Every log of testdata has the problems of the file beside it.
func TestLogs(t *testing.T) {
	files, err := filepath.Glob("testdata/*.log")
	if err != nil || len(files) != len(logs) {
		t.Fatalf("there are %d logs in testdata and %d in the table (%v)", len(files), len(logs), err)
	}
	for _, l := range logs {
		t.Run(l.name, func(t *testing.T) {
			log, err := os.ReadFile("testdata/" + l.name + ".log")
			if err != nil {
				t.Fatal(err)
			}
			m := build.NewMatcher(l.system, l.dir)
			m.Write(log)
			m.Close()
			got, file := show(m), "testdata/"+l.name+".want"
			if os.Getenv("DOUGU_UPDATE") == "1" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Where the output is cut into pieces makes no difference.
func TestMatcher_AnyChunkSize(t *testing.T) {
	for _, l := range logs {
		log, err := os.ReadFile("testdata/" + l.name + ".log")
		if err != nil {
			t.Fatal(err)
		}
		whole := build.NewMatcher(l.system, l.dir)
		whole.Write(log)
		whole.Close()
		for _, size := range []int{1, 7, 4096} {
			m := build.NewMatcher(l.system, l.dir)
			for piece := range slices.Chunk(log, size) {
				m.Write(piece)
			}
			m.Close()
			if got, want := show(m), show(whole); got != want {
				t.Errorf("%s in pieces of %d: got\n%s\nwant\n%s", l.name, size, got, want)
			}
		}
	}
}
