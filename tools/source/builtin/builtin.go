// Package builtin combines the parsers of this module.
//
// [Parsers] returns a source.Parsers that calls the scanners of package outline first. For a text
// about which a scanner is unsure, and for languages without a scanner, it calls go/parser or a
// grammar of package treesitter. The caller closes the result.
package builtin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/component"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/plain"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// Options configure the combination of parsers. The zero value has the defaults of the servers.
type Options struct {
	// CacheDir is the directory of compiled grammars, which later processes reuse. If it is empty,
	// grammars are compiled in each process. Only the user of the process may have write access:
	// its files are run as machine code.
	CacheDir string
	// First are parsers with precedence over all others, for example a sourcekitten.Parser.
	First []source.Parser
	// Precise omits the scanners: go/parser parses Go, and grammars parse the other languages. It
	// is slower. The scanners of Dart and shell stay: their grammars do not know the present languages.
	Precise bool
}

// Parsers returns the parsers of all languages in order: Options.First, the scanners unless Precise
// is set, go/parser, the grammars, and the parsers of languages without a grammar.
func Parsers(o Options) *source.Parsers {
	all := o.First[:len(o.First):len(o.First)]
	scanners := outline.Parser{}
	if o.Precise {
		scanners.Only = []source.Language{"dart", "shell"}
	}
	all = append(all, scanners)
	grammars := treesitter.New(treesitter.Options{CacheDir: o.CacheDir})
	all = append(all, golang.Parser{}, grammars, plain.Parser{})
	return source.NewParsers(append(all, component.New(source.NewParsers(all...)))...)
}
