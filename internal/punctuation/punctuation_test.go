package punctuation_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/punctuation"
)

func TestClause(t *testing.T) {
	for text, want := range map[string]string{"": "", "a.": "a", "a. ": "a", "a..": "a", "a": "a", "a?": "a?", "wait...": "wait...", "wait…": "wait…", ".": ""} {
		if got := punctuation.Clause(text); got != want {
			t.Errorf("Clause(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  string
	}{
		{nil, ""},
		{[]string{"It failed", "Call again."}, "It failed. Call again."},
		{[]string{"It failed..", "", " Did you mean a?", "wait…", "Stop!"}, "It failed. Did you mean a? wait… Stop!"},
		{[]string{"and so on..."}, "and so on..."},
	} {
		if got := punctuation.Sentences(c.texts...); got != c.want {
			t.Errorf("Sentences(%q) = %q, want %q", c.texts, got, c.want)
		}
	}
}

func TestDoubled(t *testing.T) {
	for text, want := range map[string]string{
		"It failed.. Call again.": "d.. ", "it is gone.; call again": "e.; ", "not here,. then": "e,. ", "why.: because": "y.: ", "It failed. .": "d. .", `"a.": b`: "",
		`"a".; b`: `".; `, "a/../b and ../c": "", "wait... and so on": "", "e.g. this, etc. That": "", `it says "x.." there`: "", "it is `a..` there": "", "a: ; b": "a: ; ",
		"a..b": "", "": "",
	} {
		if got := punctuation.Doubled(text); got != want {
			t.Errorf("Doubled(%q) = %q, want %q", text, got, want)
		}
	}
}
