// Package builtin puts the parsers of this module together.
package builtin

import (
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/golang"
	"github.com/dougu-go/dougu/tools/chunking/parse/outline"
	"github.com/dougu-go/dougu/tools/chunking/parse/treesitter"
)

// Options say how the parsers are put together. The zero value is that of the
// servers.
type Options struct {
	// CacheDir is where compiled grammars are kept, so that the next process need
	// not compile them. Empty keeps none. It must be a directory that only its owner
	// can write to: what is in it is run.
	CacheDir string
	// First are asked before all others: a parser of your own, or
	// sourcekitten.Parser.
	First []parse.Parser
	// Precise leaves out the scanners, so that grammars read everything but Go.
	Precise bool
}

// Parsers are the parsers of all languages: go/parser for Go, scanners where
// there is one, and grammars where the scanner is unsure or there is none.
func Parsers(o Options) *parse.Parsers {
	all := append(o.First[:len(o.First):len(o.First)], golang.Parser{})
	if !o.Precise {
		all = append(all, outline.Parser{})
	}
	return parse.NewParsers(append(all, treesitter.New(treesitter.Options{CacheDir: o.CacheDir}))...)
}
