package parsecheck_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// TestRuby compares methods, classes, modules and functions bound to names with
// the interpreter's own syntax trees.
func TestRuby(t *testing.T) {
	ruby := program(t, "ruby", "ruby")
	corpora := []corpus{
		sources(t, "stdlib", parsecheck.Debian(t, "libruby3.1")+"/usr/lib/ruby", nil, ".rb"),
		sources(t, "activerecord", parsecheck.Debian(t, "ruby-activerecord"), nil, ".rb"),
		sources(t, "actionpack", parsecheck.Debian(t, "ruby-actionpack"), nil, ".rb"),
		sources(t, "activesupport", parsecheck.Debian(t, "ruby-activesupport"), nil, ".rb"),
		sources(t, "rubocop", parsecheck.Debian(t, "rubocop"), nil, ".rb"),
		sources(t, "sequel", parsecheck.Debian(t, "ruby-sequel"), nil, ".rb"),
		sources(t, "puppet", parsecheck.Debian(t, "puppet-agent"), nil, ".rb"),
	}
	want := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, ruby, "-W0", oracle(t, "ruby.rb"))
	})
	got := parsed(t, grammarOf(t), parse.Ruby, corpora, parsecheck.Want{Chunk: func(_ *parse.File, c *parse.Chunk) bool {
		return c.Kind.Callable() || c.Kind.Type() || c.Kind == parse.Module
	}})
	require(t, parsecheck.Compare(want, got), 99)
}
