package main

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/tools/source"
)

// editProject is a project whose functions are edited.
type editProject struct {
	language source.Language
	name     string
	open     func(b *bench) (fs.FS, error)
	within   string
}

// editCorpora returns the projects of the part edits.
func editCorpora() []editProject {
	goroot := func(b *bench) (fs.FS, error) { return os.DirFS(filepath.Join(b.goroot, "src")), nil }
	paper := corpora.Pack{Name: "react-native-paper", Version: "5.15.3", Integrity: "sha512-GEyNTmWElIZgnYw09AjjCNupRYzCmP79uAAyGSyCEUZz7KBz1wtJcC0wVUkozR1Rn3PK/td/9LlR6+F1hzmYvA=="}
	webpack := corpora.Pack{Name: "webpack", Version: "5.112.2", Integrity: "sha512-B2tp1LI9D8GVpPDqprdt12ukTkXXahj9MzqSWJq4faSPgOUM7CdZaGAB6HrL/8E6UwbBpdj4vzWDbKoFnVoU6g=="}
	unirx := corpora.Pack{Name: "com.neuecc.unirx", Version: "7.1.0", Integrity: "sha512-UpgdeFz60ZvD8jR1slG4X+Yuym8gP3FHWXczJbnXYJzSjr57X1Tz6dZee8twU+Qk4ld8QeFjdhj8PlCBsgHx1g=="}
	return []editProject{
		{source.Go, "GOROOT/src", goroot, "."},
		{source.Python, "libpython3.11-stdlib", debian("libpython3.11-stdlib"), "."},
		{source.TypeScript, "effect", npm(effect), "src"},
		{source.TSX, "react-native-paper", npm(paper), "src"},
		{source.JavaScript, "webpack", npm(webpack), "lib"},
		{source.Java, "react-native", npm(olderNative), "."},
		{source.Kotlin, "react-native", npm(reactNative), "."},
		{source.Swift, "expo-modules-core", npm(corpora.Expo), "."},
		{source.CSharp, "unirx", npm(unirx), "."},
		{source.Ruby, "libruby3.1", debian("libruby3.1"), "."},
		{source.PHP, "php-symfony-validator", debian("php-symfony-validator"), "."},
		{source.Rust, "librust-syn-dev", debian("librust-syn-dev"), "."},
		{source.C, "lua5.4", debianSource("lua5.4"), "."},
		{source.CPP, "leveldb", debianSource("leveldb"), "."},
		{source.Scala, "scala", debianSource("scala"), "."},
	}
}
