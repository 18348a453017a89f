package source_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestParsers_IsComment(t *testing.T) {
	parsers := source.NewParsers()
	for _, test := range []struct {
		lang source.Language
		text string
		want bool
	}{
		{source.Go, "// a", true}, {source.Go, "/* a */", true}, {source.Go, "# a", false},
		{source.Python, "# a", true}, {source.Python, "// a", false},
		{source.PHP, "# a", true}, {source.PHP, "#[A]", false}, {source.PHP, "// a", true},
	} {
		if got := parsers.IsComment(test.lang, []byte(test.text)); got != test.want {
			t.Errorf("%s %q: %t", test.lang, test.text, got)
		}
	}
}
