package parsecheck_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// TestScala compares functions, types and functions bound to names with
// Scalameta.
func TestScala(t *testing.T) {
	t.Parallel()
	node := program(t, "node", "nodejs")
	library := corpus.NPM(t, "scalameta-parsers", "4.14.2", "sha512-KDjIkDfgiZ6DCZMZ/wzddekdh9y9w9+GqMja7DponppuCOJzWEzBaQdwp8UA/BGNJg5TIBZiX0OZOE3B/BuHgA==")
	corpora := []project{
		sources(t, "scala", corpus.DebianSource(t, "scala"), func(path string) bool {
			return strings.Contains(path, "/test/") // among them many that are wrong on purpose
		}, ".scala"),
	}
	want := several(corpora, func(dir string, files []string) parsecheck.Found {
		return parsecheck.Run(t, dir, files, node, oracle(t, "scala.js"), library)
	})
	got := parsed(t, grammarOf(t), source.Scala, corpora, parsecheck.Want{})
	require(t, parsecheck.Compare(want, got), 99)
}
