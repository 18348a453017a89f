package parsecheck_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// chunkingCorpora are small corpora of 14 languages, parts of the corpora of other comparisons.
func chunkingCorpora(t testing.TB) map[parse.Language][]corpus {
	t.Helper()
	npm := func(name, version, integrity string, skip func(string) bool, suffixes ...string) corpus {
		return npmPackage{name, version, integrity, skip}.sources(t, suffixes...)
	}
	all := map[parse.Language][]corpus{
		parse.Go: {sources(t, "go", parsecheck.GoSources(t), func(path string) bool {
			return strings.Contains(path, "testdata/") || strings.Contains(path, "/_") || strings.HasPrefix(path, "cmd/") || strings.HasPrefix(path, "vendor/")
		}, ".go")},
		parse.Python: {sources(t, "python", parsecheck.Debian(t, "libpython3.11-stdlib"), nil, ".py")},
		parse.TypeScript: {
			npm("rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA==", elsewhere("src/"), ".ts"),
			npm("zod", "4.6.7", "sha512-g8W2D2kU6a8untc053fX1uVBKzM7yqAxW/3zwk83+6RyF2+SKOuV+c0wBDhUwzV1PaGapmZH+rmcUzPf+3CGwg==", elsewhere("src/"), ".ts"),
		},
		parse.TSX: {
			npm("react-native-paper", "5.15.3", "sha512-GEyNTmWElIZgnYw09AjjCNupRYzCmP79uAAyGSyCEUZz7KBz1wtJcC0wVUkozR1Rn3PK/td/9LlR6+F1hzmYvA==", nil, ".tsx"),
		},
		parse.JavaScript: {
			npm("webpack", "5.112.2", "sha512-B2tp1LI9D8GVpPDqprdt12ukTkXXahj9MzqSWJq4faSPgOUM7CdZaGAB6HrL/8E6UwbBpdj4vzWDbKoFnVoU6g==", nil, ".js"),
		},
		parse.CSharp: {
			npm("com.neuecc.unirx", "7.1.0", "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g==", nil, ".cs"),
			npm("com.cysharp.unitask", "2.2.5", "sha512-OEJc4HumXjKXXtr2TUjgA7YOcPOaLyV9kuWcp7SylFfe1Rzes0UPCJI1a4LtV3Mhg7oxf8FHoLGWr/cHIKHWsw==", nil, ".cs"),
		},
		parse.C:     {sources(t, "lua", source(t, "lua5.4"), nil, ".c", ".h")},
		parse.CPP:   {sources(t, "leveldb", source(t, "leveldb"), nil, ".cc", ".h")},
		parse.Ruby:  {sources(t, "ruby", parsecheck.Debian(t, "libruby3.1")+"/usr/lib/ruby", nil, ".rb")},
		parse.Scala: {sources(t, "scala", parsecheck.DebianSource(t, "scala"), func(path string) bool { return strings.Contains(path, "/test/") }, ".scala")},
	}
	for _, i := range []int{1, 2} {
		p := javaPackages[i]
		all[parse.Java] = append(all[parse.Java], npm(p.name, p.version, p.integrity, nil, ".java"))
	}
	for _, i := range []int{2, 7} {
		p := kotlinPackages[i]
		all[parse.Kotlin] = append(all[parse.Kotlin], npm(p.name, p.version, p.integrity, nil, ".kt"))
	}
	for _, i := range []int{0, 1} {
		p := swiftPackages[i]
		all[parse.Swift] = append(all[parse.Swift], npm(p[0], p[1], p[2], nil, ".swift"))
	}
	for _, name := range []string{"regex", "clap", "nom"} {
		all[parse.Rust] = append(all[parse.Rust], sources(t, name, parsecheck.Debian(t, "librust-"+name+"-dev"), nil, ".rs"))
	}
	for _, name := range []string{"php-twig", "phpunit", "php-parser"} {
		all[parse.PHP] = append(all[parse.PHP], sources(t, name, filepath.Join(parsecheck.Debian(t, name), "usr/share"), nil, ".php"))
	}
	return all
}
