// Package builtin puts the parsers of this module together.
package builtin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// Options say how the parsers are put together. The zero value is that of the
// servers.
type Options struct {
	// CacheDir is the directory of compiled grammars, which later processes reuse. If it is empty,
	// grammars are compiled in each process. Only the user of the process may have write access:
	// its files are run as machine code.
	CacheDir string
	// First are asked before all others: a parser of your own, or
	// sourcekitten.Parser.
	First []source.Parser
	// Precise leaves out the scanners, so that go/parser reads Go and grammars the rest.
	Precise bool
}

// Parsers are the parsers of all languages: a scanner where there is one, and
// where it is unsure or there is none go/parser for Go and a grammar for others.
func Parsers(o Options) *source.Parsers {
	all := o.First[:len(o.First):len(o.First)]
	if !o.Precise {
		all = append(all, outline.Parser{})
	}
	return source.NewParsers(append(all, golang.Parser{}, treesitter.New(treesitter.Options{CacheDir: o.CacheDir}))...)
}
