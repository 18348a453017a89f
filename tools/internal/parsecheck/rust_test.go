package parsecheck_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// crates are the Debian packages of Rust on which the grammar is compared.
var crates = []string{
	"tokio", "serde", "serde-derive", "syn", "regex", "regex-syntax", "clap", "hyper", "rayon", "rustls", "nom", "image",
	"futures-util", "nix", "bstr", "gimli", "object", "rustix", "hashbrown", "itertools",
}

// TestRust compares the grammar with ctags, which reads Rust independently of
// it, and with the layout of the code, which shows where a declaration ends.
func TestRust(t *testing.T) {
	t.Parallel()
	p := grammarOf(t)
	var total parsecheck.Score
	for _, name := range crates {
		dir := corpus.Debian(t, "librust-"+name+"-dev")
		files := corpus.Files(t, dir, ".rs")
		want := ctags(t, source.Rust, dir, files, "function", "method", "struct", "enum", "interface", "implementation", "typedef")
		got, _ := parsecheck.Parse(t, p, source.Rust, dir, files, parsecheck.Want{Name: true, Chunk: func(_ *source.File, c *source.Chunk) bool {
			return c.Kind.IsCallable() && c.Kind != source.Lambda || c.Kind.IsType() && c.Kind != source.Macro
		}})
		add(&total, parsecheck.Compare(want, got))
	}
	slices.Sort(total.Differences)
	total.Require(t, 99)
}
