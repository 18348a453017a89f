package parsecheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// npmPackage is a package of npm with a selection of its files: hand-written code, or code that
// agents meet in node_modules.
type npmPackage struct {
	name, version, integrity string
	skip                     func(path string) bool
}

func (p npmPackage) sources(t testing.TB, suffixes ...string) project {
	return sources(t, p.name, corpus.NPM(t, p.name, p.version, p.integrity), p.skip, suffixes...)
}

func elsewhere(dir string) func(path string) bool {
	return func(path string) bool { return !strings.HasPrefix(path, dir) }
}

// typeScriptCorpora has sources and, in mobx and typescript itself, declaration
// files: 1,480 files, 31 MB.
func typeScriptCorpora(t testing.TB) []project {
	var all []project
	for _, p := range []npmPackage{
		{"effect", "4.1.0", "sha512-lGx2MJJyrXA8RZb2UpQ/0Nkb5Utaimby7oD92+18noBxLPE85IFOvptdzau8dvcxAOwfwHo9iqapbKeFzqQM/Q==", elsewhere("src/")},
		{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==", elsewhere("src/")},
		{"zod", "4.6.7", "sha512-g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg==", elsewhere("src/")},
		{"@reduxjs/toolkit", "2.14.0", "sha512-m/PxMwRe0xLL6XUsAgy0YjInklHcfi9uMwFhJk+QINqjxqPvyc89T5cMjszA5bDmTE0gwGc7zr9LRO4gL+mhaw==", nil},
		{"mobx", "7.1.3", "sha512-H2NcS5ylMsqYn7v4WpSdzv5YWPmw5XTV6pG2NvY0qYbh95FXbswZJ7pn7wU0rOtUvRzk+3t4AOX2eircoN+vBg==", nil},
		{"typescript", "5.9.3", "sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==", nil},
	} {
		all = append(all, p.sources(t, ".ts", ".mts", ".cts"))
	}
	return all
}

// tsxCorpora has 1,041 files, 3.8 MB.
func tsxCorpora(t testing.TB) []project {
	var all []project
	for _, p := range []npmPackage{
		{"@wordpress/components", "41.0.0", "sha512-phVMPF/vfxOX6LZKXb7HUPRrEwVIWqAkuKoaIjRPB1JL5Pdj4c1DGBOb4EAD9VjEF3Bio79V28vw0L8mx0a2Kw==", nil},
		{"native-base", "3.4.28", "sha512-EDg9UFDNmfYXPInpRbxce+4oWFEIGaM7aG6ey4hVllcvMC3PkgCvkiXEB+7EemgC7Qr8CuFjgMTx7P0vvnwZeQ==", nil},
		{"react-native-paper", "5.15.3", "sha512-GEyNTmWElIZgnYw09AjjCNupRYzCmP79uAAyGSyCEUZz7KBz1wtJcC0wVUkozR1Rn3PK/td/9LlR6+F1hzmYvA==", nil},
		{"react-native-gesture-handler", "2.33.0", "sha512-aFMjweXGrsDKwxjAiH7Kl+nc7qAudl0MF6Bqlxf9QQEUNDWBpsQ5WXA7sF6eLFaeRQGEq4ERKr6iuD+GfmunFA==", nil},
		{"@tanstack/react-router", "1.170.46", "sha512-ez1iNIhsPjGlaDHg3BXWs67EWVIYzB2tbopEHYDESdkO7owgkGb5de52+5Kv2v1fxdkggcNzo35bdk4arTVGQw==", nil},
		{"@reduxjs/toolkit", "2.14.0", "sha512-m/PxMwRe0xLL6XUsAgy0YjInklHcfi9uMwFhJk+QINqjxqPvyc89T5cMjszA5bDmTE0gwGc7zr9LRO4gL+mhaw==", nil},
	} {
		all = append(all, p.sources(t, ".tsx"))
	}
	return all
}

// compiled are the declarations that the compiler of TypeScript sees.
func compiled(t testing.TB, corpora []project) parsecheck.Found {
	t.Helper()
	compiler := corpus.NPM(t, "typescript", "5.9.3", "sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==")
	node, script := program(t, "node", "nodejs"), oracle(t, "typescript.mjs")
	return several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, node, script, compiler)
	})
}

// ofKinds keeps the declarations of some kinds.
func ofKinds(all parsecheck.Found, is func(source.Kind) bool) parsecheck.Found {
	some := parsecheck.Found{}
	for path, decls := range all {
		some[path] = []parsecheck.Decl{}
		for _, d := range decls {
			if kind, ok := source.KindNamed(d.Kind); ok && is(kind) {
				some[path] = append(some[path], d)
			}
		}
	}
	return some
}

// againstCompiler compares callables and types, then values and namespaces, with the compiler. The
// scanner may be unsure of one file in fifty.
func againstCompiler(t *testing.T, lang source.Language, corpora []project) {
	want := compiled(t, corpora)
	for name, is := range map[string]func(source.Kind) bool{
		"callables and types": func(k source.Kind) bool { return k.IsCallable() || k.IsType() },
		"values":              func(k source.Kind) bool { return k.IsValue() || k == source.Module },
	} {
		t.Run(name, func(t *testing.T) {
			got := parsed(t, outline.Parser{}, lang, corpora, parsecheck.Want{
				Chunk: func(_ *source.File, c *source.Chunk) bool { return is(c.Kind) },
			})
			require(t, parsecheck.Compare(ofKinds(want, is), got), 99.5)
		})
	}
	t.Run("invariants", func(t *testing.T) { scriptInvariants(t, lang, corpora) })
}

func scriptInvariants(t *testing.T, lang source.Language, corpora []project) {
	files, unsure := 0, 0
	for _, c := range corpora {
		for _, path := range c.files {
			src, err := os.ReadFile(filepath.Join(c.dir, path))
			if err != nil {
				t.Fatal(err)
			}
			f, err := outline.Parser{}.Parse(t.Context(), src, lang, source.Options{Calls: true})
			if files++; err != nil {
				unsure++
			}
			if f == nil {
				t.Errorf("%s/%s: %v", c.name, path, err)
			} else if err := parsertest.Invariants(src, f); err != nil {
				t.Errorf("%s/%s: %v", c.name, path, err)
			}
		}
	}
	if unsure*50 > files {
		t.Errorf("unsure of %d of %d files", unsure, files)
	}
}

func TestTypeScript(t *testing.T) {
	t.Parallel()
	againstCompiler(t, source.TypeScript, typeScriptCorpora(t))
}

func TestTSX(t *testing.T) {
	t.Parallel()
	againstCompiler(t, source.TSX, tsxCorpora(t))
}
