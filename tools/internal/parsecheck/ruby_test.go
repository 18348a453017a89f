package parsecheck_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// TestRuby compares methods, classes, modules and functions bound to names with
// the interpreter's own syntax trees.
func TestRuby(t *testing.T) {
	t.Parallel()
	ruby := program(t, "ruby", "ruby")
	corpora := []project{
		sources(t, "stdlib", corpus.Debian(t, "libruby3.1")+"/usr/lib/ruby", nil, ".rb"),
		sources(t, "activerecord", corpus.Debian(t, "ruby-activerecord"), nil, ".rb"),
		sources(t, "actionpack", corpus.Debian(t, "ruby-actionpack"), nil, ".rb"),
		sources(t, "activesupport", corpus.Debian(t, "ruby-activesupport"), nil, ".rb"),
		sources(t, "rubocop", corpus.Debian(t, "rubocop"), nil, ".rb"),
		sources(t, "sequel", corpus.Debian(t, "ruby-sequel"), nil, ".rb"),
		sources(t, "puppet", corpus.Debian(t, "puppet-agent"), nil, ".rb"),
	}
	want := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, ruby, "-W0", oracle(t, "ruby.rb"))
	})
	got := parsed(t, grammarOf(t), source.Ruby, corpora, parsecheck.Want{Chunk: func(_ *source.File, c *source.Chunk) bool {
		return c.Kind.IsCallable() || c.Kind.IsType() || c.Kind == source.Module
	}})
	require(t, parsecheck.Compare(want, got), 99)
}
