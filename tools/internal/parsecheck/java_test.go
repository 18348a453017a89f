package parsecheck_test

import (
	"archive/zip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// The packages of npm that come with the Java of their Android half.
var javaPackages = []struct{ name, version, integrity string }{
	{"react-native", "0.76.5", "sha512-op2p2kB+lqMF1D7AdX4+wvaR0OPFbvWYs+VBE7bwsb99Cn9xISrLRLAgFflZedQsa5HvnOGrULhtnmItbIKVVw=="},
	{"@capacitor/android", "6.2.0", "sha512-3YIDPylV0Q2adEQ/H568p496QdYG0jK/XGMdx7OGSqdBZen92ciAsYdyhLtyl91UVsN1lBhDi5H6j3T2KS6aJg=="},
	{"cordova-android", "13.0.0", "sha512-uQG+cSyrB1NMi2aIzihldIupHB9WGpZVvrMMMAAtnyc6tDlEk7gweSSaFsEONyGAnteRYpIvrzg/YwDW08PcUg=="},
	{"expo-modules-core", "2.1.4", "sha512-gfsbTPSaocgcQQDy4Z4ztg1hcOofwODctAA+yoNcrUQr/hRaDc6ndIJQwGPjoGXnEbXVxFfzGGSAkNiqK1I7lQ=="},
	{"react-native-reanimated", "3.16.6", "sha512-jPbAfLF5t8+UCKFTO+LeOY+OmAcDP5SsAfqINvNQz5GFGvoO7UebxujjtY58CmpZNH6c3SQ514FF9//mZDpo/g=="},
}

// javaCorpora returns 30 MB of Java: the listed packages, the compiler and the HTTP client of the
// JDK, which use newer Java, and half of its java packages.
func javaCorpora(t testing.TB) []project {
	var all []project
	for _, p := range javaPackages {
		all = append(all, sources(t, p.name, corpus.NPM(t, p.name, p.version, p.integrity), nil, ".java"))
	}
	archive := filepath.Join(corpus.Debian(t, "openjdk-17-source"), "usr/lib/jvm/openjdk-17/lib/src.zip")
	jdk := unzip(t, archive, func(path string) bool {
		for _, part := range []string{"java.base/java/util/", "java.base/java/lang/", "java.base/java/time/", "java.net.http/", "jdk.compiler/", "jdk.jshell/"} {
			if strings.HasPrefix(path, part) {
				return true
			}
		}
		return strings.HasSuffix(path, "/module-info.java")
	})
	return append(all, sources(t, "jdk", jdk, nil, ".java"))
}

// unzip unpacks some files of an archive.
func unzip(t testing.TB, archive string, wanted func(path string) bool) (dir string) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir = t.TempDir()
	for _, file := range z.File {
		if !wanted(file.Name) || !filepath.IsLocal(file.Name) || file.FileInfo().IsDir() {
			continue
		}
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// javac asks the parser of the Java compiler.
func javac(t testing.TB, corpora []project) parsecheck.Found {
	t.Helper()
	internals := []string{"--add-exports", "jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED", "--add-exports", "jdk.compiler/com.sun.tools.javac.code=ALL-UNNAMED"}
	classes := t.TempDir()
	compile := exec.Command(program(t, "javac", "openjdk-17-jdk-headless"), append(internals, "-d", classes, "oracles/JavaOracle.java")...)
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, "java", append(internals, "-cp", classes, "JavaOracle")...)
	})
}

// isValue says that an oracle means a value by a kind.
func isValue(d parsecheck.Decl) bool {
	return d.Kind == "property" || d.Kind == "enumCase" || d.Kind == "variable"
}

// part returns the values among the declarations of an oracle, or all others.
func part(all parsecheck.Found, values bool) parsecheck.Found {
	found := parsecheck.Found{}
	for path, decls := range all {
		found[path] = []parsecheck.Decl{}
		for _, d := range decls {
			if isValue(d) == values {
				found[path] = append(found[path], d)
			}
		}
	}
	return found
}

func valueChunk(_ *source.File, c *source.Chunk) bool { return c.Kind.IsValue() }

// Callables and types, local and anonymous ones included, and values: fields,
// constants of enums. The compiler makes fields of a record's components, too.
func TestJava(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the compiler takes 15 s")
	}
	corpora := javaCorpora(t)
	oracle := javac(t, corpora)
	t.Run("callables and types", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Java, corpora, parsecheck.Want{})
		parsecheck.Compare(part(oracle, false), got).Require(t, 99.5)
	})
	t.Run("values", func(t *testing.T) {
		got := parsed(t, outline.Parser{}, source.Java, corpora, parsecheck.Want{Chunk: valueChunk})
		parsecheck.Compare(part(oracle, true), got).Require(t, 99.5)
	})
}
