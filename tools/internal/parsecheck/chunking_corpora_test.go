package parsecheck_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/source"
)

// chunkingCorpora are small corpora of 14 languages, parts of the corpora of other comparisons.
func chunkingCorpora(t testing.TB) map[source.Language][]project {
	t.Helper()
	npm := func(name, version, integrity string, skip func(string) bool, suffixes ...string) project {
		return npmPackage{name, version, integrity, skip}.sources(t, suffixes...)
	}
	all := map[source.Language][]project{
		source.Go: {sources(t, "go", corpus.GoSources(t), func(path string) bool {
			return strings.Contains(path, "testdata/") || strings.Contains(path, "/_") || strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "vendor/")
		}, ".go")},
		source.Python: {sources(t, "python", corpus.Debian(t, "libpython3.11-stdlib"), nil, ".py")},
		source.TypeScript: {
			npm("rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==", elsewhere("src/"), ".ts"),
			npm("zod", "4.6.7", "sha512-g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg==", elsewhere("src/"), ".ts"),
		},
		source.TSX: {
			npm("react-native-paper", "5.15.3", "sha512-GEyNTmWElIZgnYw09AjjCNupRYzCmP79uAAyGSyCEUZz7KBz1wtJcC0wVUkozR1Rn3PK/td/9LlR6+F1hzmYvA==", nil, ".tsx"),
		},
		source.JavaScript: {
			npm("webpack", "5.112.2", "sha512-B2tp1LI9D8GVpPDqprdt12ukTkXXahj9MzqSWJq4faSPgOUM7CdZaGAB6HrL/8E6UwbBpdj4vzWDbKoFnVoU6g==", nil, ".js"),
		},
		source.CSharp: {
			npm("com.neuecc.unirx", "7.1.0", "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g==", nil, ".cs"),
			npm("com.cysharp.unitask", "2.2.5", "sha512-OEJc4HumXjKXXtr2TUjgA7YOcPOaLyV9kuWcp7SylFfe1Rzes0UPCJI1a4LtV3Mhg7oxf8FHoLGWr/cHIKHWsw==", nil, ".cs"),
		},
		source.C:     {sources(t, "lua", onlyDirectory(t, "lua5.4"), nil, ".c", ".h")},
		source.CPP:   {sources(t, "leveldb", onlyDirectory(t, "leveldb"), nil, ".cc", ".h")},
		source.Ruby:  {sources(t, "ruby", corpus.Debian(t, "libruby3.1")+"/usr/lib/ruby", nil, ".rb")},
		source.Scala: {sources(t, "scala", corpus.DebianSource(t, "scala"), func(path string) bool { return strings.Contains(path, "/test/") }, ".scala")},
	}
	for _, i := range []int{1, 2} {
		p := javaPackages[i]
		all[source.Java] = append(all[source.Java], npm(p.name, p.version, p.integrity, nil, ".java"))
	}
	for _, i := range []int{2, 7} {
		p := kotlinPackages[i]
		all[source.Kotlin] = append(all[source.Kotlin], npm(p.name, p.version, p.integrity, nil, ".kt"))
	}
	for _, i := range []int{0, 1} {
		p := swiftPackages[i]
		all[source.Swift] = append(all[source.Swift], npm(p[0], p[1], p[2], nil, ".swift"))
	}
	for _, name := range []string{"regex", "clap", "nom"} {
		all[source.Rust] = append(all[source.Rust], sources(t, name, corpus.Debian(t, "librust-"+name+"-dev"), nil, ".rs"))
	}
	for _, name := range []string{"php-twig", "phpunit", "php-parser"} {
		all[source.PHP] = append(all[source.PHP], sources(t, name, filepath.Join(corpus.Debian(t, name), "usr/share"), nil, ".php"))
	}
	return all
}
