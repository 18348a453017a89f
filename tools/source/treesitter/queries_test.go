package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// Every grammar compiles, and its query fits it. Short tests take grammars that were compiled before.
func TestParse_EveryGrammar(t *testing.T) {
	p := grammarsOf(t)
	if !testing.Short() {
		p = treesitter.New(treesitter.Options{CacheDir: t.TempDir()})
		defer p.Close()
	}
	for _, lang := range p.Languages() {
		t.Run(string(lang), func(t *testing.T) {
			if _, err := p.Parse(t.Context(), nil, lang, source.Options{Calls: true}); err != nil {
				t.Error(err)
			}
		})
	}
}
