package treesitter_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// some is the parser with some of its languages, because the kit needs some minutes for all.
type some struct {
	*treesitter.Parser
	languages []source.Language
}

func (s some) Languages() []source.Language { return s.languages }

func (s some) Definitions() []source.Definition {
	return slices.DeleteFunc(s.Parser.Definitions(), func(d source.Definition) bool { return !slices.Contains(s.languages, d.Language) })
}

func TestParser(t *testing.T) {
	p := grammarsOf(t)
	languages := []source.Language{source.Go, source.Python, "lua"}
	for _, lang := range languages {
		if !slices.Contains(p.Languages(), lang) {
			t.Errorf("no grammar of %s", lang)
		}
	}
	parsertest.Run(t, some{p, languages}, []parsertest.Sample{
		{Language: source.Go, Source: "package p\n\nfunc f(a int) int { return g(a) }\n", Want: []string{"p", "f"}},
		{Language: source.Python, Source: "class K:\n    def m(self, a):\n        return g(a)\n", Want: []string{"K", "K.m"}},
		{Language: "lua", Source: "local M = {}\nfunction M.push(x) return g(x) end\n", Want: []string{"M", "M.push"}},
		{Name: "broken", Language: source.Go, Source: "package p\n\nfunc f( {\n", Broken: true},
	})
}
