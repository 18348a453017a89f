package emacs

import (
	"strings"
	"testing"
)

// A quoted argument has no blank, line end or leading dash, and unquoting returns the original.
func FuzzQuotedArguments(f *testing.F) {
	for _, s := range []string{"", "-eval", "a b\nc", "&", "&&_n", "(message \"-x & y\")"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := quoteArg(s)
		if strings.ContainsAny(quoted, " \n") || strings.HasPrefix(quoted, "-") || unquoteArg(quoted) != s {
			t.Errorf("%q is quoted as %q, which is %q", s, quoted, unquoteArg(quoted))
		}
	})
}

// A change leads from one text to the other and replaces a minimal range.
func FuzzChange(f *testing.F) {
	f.Add("one\ntwo\n", "one\n2\n", "\n")
	f.Add("😀é\r\n日本\r\n", "😀è\r\n本\r\n", "\r\n")
	f.Add("", "a", "\r")
	f.Fuzz(func(t *testing.T, was, now, ending string) {
		if ending != "\n" && ending != "\r\n" && ending != "\r" || strings.ToValidUTF8(was+now, "") != was+now {
			t.Skip()
		}
		d := document{Text: strings.ReplaceAll(was, ending, "\n"), Ending: ending}
		c, err := d.change(now)
		if err != nil {
			return
		}
		text := []rune(d.Text)
		for i := len(c.Parts) - 1; i >= 0; i-- {
			p := c.Parts[i]
			text = append(text[:p.Start:p.Start], append([]rune(p.Text), text[p.End:]...)...)
		}
		if got := (document{Text: string(text), Ending: ending}).content(); got != now {
			t.Errorf("%q to %q by %+v is %q", was, now, c.Parts, got)
		}
	})
}
