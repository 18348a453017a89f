package edit_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// bare returns a text without the differences that any step ignores. It is computed in another way than in the package.
func bare(s string) string {
	s = norm.NFC.String(s)
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsSpace(r) || strings.ContainsRune("\u200b\u200c\u2060\ufeff\u00ad", r):
		case strings.ContainsRune("‘’‚‛′‵ʼ'", r):
			b.WriteRune('\'')
		case strings.ContainsRune(`“”„‟″‶"`, r):
			b.WriteRune('"')
		case strings.ContainsRune("‐‑‒–—―−－﹣-", r):
			b.WriteRune('-')
		case r == '…':
			b.WriteString("...")
		case strings.ContainsRune("〜～", r):
			b.WriteRune('~' + 1)
		case strings.ContainsRune("¥￥", r):
			b.WriteRune('¥')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// checkPlan checks the properties of every edit of every content. It returns whether the edit was applied.
func checkPlan(t interface{ Fatalf(string, ...any) }, content string, e edit.Edit) bool {
	result, err := edit.Plan(content, []edit.Edit{e})
	if err != nil {
		checkError(t, err)
		return false
	}
	if e.Old == "" {
		if content != "" || result.Apply("") != e.New {
			t.Fatalf("an empty old text changed %q", content)
		}
		return true
	}
	spans, by, err := edit.Find(content, e)
	if err != nil || len(spans) != result.Applied[0].Count || by != result.Applied[0].By || by.String() == "" {
		t.Fatalf("%q, %+v: planned %+v, found %v, %v", content, e, result, spans, err)
	}
	if !e.ReplaceAll && e.ExpectedCount < 2 && len(spans) != 1 || e.ExpectedCount > 0 && len(spans) != e.ExpectedCount {
		t.Fatalf("%q, %+v: %d places", content, e, len(spans))
	}
	checkSpans(t, content, e, spans, by)
	checkChanges(t, content, result.Changes, spans)

	// Apart from ignored differences, the result is the content with New in place of Old.
	var want strings.Builder
	at := 0
	for _, s := range spans {
		want.WriteString(content[at:s.Start] + s.New)
		at = s.End
	}
	want.WriteString(content[at:])
	if got := result.Apply(content); bare(got) != bare(want.String()) {
		t.Fatalf("%q, %+v by %v: made %q, want %q but for white space and punctuation", content, e, by, got, want.String())
	}
	return true
}

func checkError(t interface{ Fatalf(string, ...any) }, err error) {
	coded, ok := err.(interface {
		ErrorCode() string
		NextStep() string
	})
	if !ok || coded.ErrorCode() == "" || coded.NextStep() == "" || len(err.Error()) > 8000 {
		t.Fatalf("the error is %T %.300v", err, err)
	}
}

// checkSpans checks that each place has the text of the edit.
func checkSpans(t interface{ Fatalf(string, ...any) }, content string, e edit.Edit, spans []edit.Span, by edit.Step) {
	end := 0
	for _, s := range spans {
		if s.Start < end || s.End < s.Start || s.End > len(content) {
			t.Fatalf("%q, %+v: the places %v are not apart", content, e, spans)
		}
		end = s.End
		text := content[s.Start:s.End]
		if bare(text) != bare(s.Old) {
			t.Fatalf("%q, %+v: %q is not %q", content, e, text, s.Old)
		}
		if by == edit.Exact && text != e.Old {
			t.Fatalf("%q, %+v: %q is not exact", content, e, text)
		}
		if by&(edit.Escapes|edit.LineNumbers) == 0 && bare(s.Old) != bare(e.Old) {
			t.Fatalf("%q, %+v: is taken for %q", content, e, s.Old)
		}
	}
	if by == edit.Exact && len(spans) == 1 && e.NearLine == 0 && !e.ReplaceAll && strings.Contains(content[spans[0].Start+1:], e.Old) {
		t.Fatalf("%q, %+v: there is another place", content, e)
	}
}

// windows counts the lines of a text at which lines similar to those of another text begin, compared with trim.
func windows(content, old string, trim func(string) string) int {
	lines := func(s string) []string {
		all := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
		for i := range all {
			all[i] = trim(all[i])
		}
		return all
	}
	text, want := lines(content), lines(strings.TrimSuffix(strings.TrimSuffix(old, "\n"), "\r"))
	n := 0
	for i := range text {
		if i+len(want) <= len(text) && slices.Equal(text[i:i+len(want)], want) {
			n++
		}
	}
	return n
}

// checkChanges checks that nothing outside of the places is changed.
func checkChanges(t interface{ Fatalf(string, ...any) }, content string, changes []edit.Change, spans []edit.Span) {
	end := 0
	for _, c := range changes {
		if c.Start < end || c.End < c.Start || c.End > len(content) {
			t.Fatalf("%q: the changes %v are not apart", content, changes)
		}
		end = c.End
		inside := false
		for _, s := range spans {
			inside = inside || s.Start <= c.Start && c.End <= s.End
		}
		if !inside {
			t.Fatalf("%q: the change %v is outside of %v", content, c, spans)
		}
		for _, at := range []int{c.Start, c.End} {
			if at > 0 && at < len(content) && content[at-1] == '\r' && content[at] == '\n' {
				t.Fatalf("%q: the change %v is inside of a CRLF", content, c)
			}
		}
	}
}

// code is text that looks like a program, with few different lines so that many are alike.
var code = rapid.Custom(func(t *rapid.T) string {
	end := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line end")
	unit := rapid.SampledFrom([]string{"\t", "  ", "    "}).Draw(t, "unit")
	var b strings.Builder
	for range rapid.IntRange(1, 12).Draw(t, "lines") {
		depth := rapid.IntRange(0, 3).Draw(t, "depth")
		text := rapid.SampledFrom([]string{"", "}", "run(one)", "run(two)", "return nil", `say("a\n")`, "it’s – “so”…", "caf\u00e9", "値を返す", "1: one"}).Draw(t, "text")
		if text != "" {
			b.WriteString(strings.Repeat(unit, depth))
		}
		b.WriteString(text + rapid.SampledFrom([]string{"", "", " ", "\t "}).Draw(t, "blanks") + end)
	}
	return strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", end}).Draw(t, "last"))
})

// mangle changes a text in a way that models do.
func mangle(t *rapid.T, s string) string {
	switch rapid.IntRange(0, 9).Draw(t, "mangle") {
	case 0:
		return strings.ReplaceAll(s, "\r\n", "\n")
	case 1:
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " \t\r")
		}
		return strings.Join(lines, "\n")
	case 2:
		return strings.ReplaceAll(s, "\t", rapid.SampledFrom([]string{"  ", "    "}).Draw(t, "tab"))
	case 3:
		return strings.ReplaceAll(s, "    ", "\t")
	case 4:
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = "  " + lines[i]
		}
		return strings.Join(lines, "\n")
	case 5:
		return strings.NewReplacer(`"`, `\"`, "\n", `\n`, "\t", `\t`, `\`, `\\`).Replace(s)
	case 6:
		return strings.NewReplacer("’", "'", "“", `"`, "”", `"`, "–", "-", "…", "...").Replace(s)
	case 7:
		return norm.NFD.String(s)
	case 8:
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = string(rune('1'+i%9)) + "→" + lines[i]
		}
		return strings.Join(lines, "\n")
	}
	return s
}

// Edits of something that is in the text, as a model remembers it.
func TestMangledEdits(t *testing.T) {
	t.Parallel()
	made := 0
	property := func(t *rapid.T) {
		content := code.Draw(t, "content")
		lines := strings.SplitAfter(content, "\n")
		from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
		old := strings.Join(lines[from:to], "")
		if rapid.Bool().Draw(t, "open") {
			old = strings.TrimRight(old, "\r\n")
		}
		old = mangle(t, mangle(t, old))
		parts := []string{"run(one)", "nil", "\n", "“so”", ")"}
		replaced := rapid.SampledFrom(append(parts, strings.Fields(old)...)).Draw(t, "replaced")
		by := rapid.SampledFrom([]string{"run(two)", "", "a\n  b\n", `"c"`, "値"}).Draw(t, "by")
		e := edit.Edit{
			Old: old, New: strings.Replace(old, replaced, by, 1), ReplaceAll: rapid.IntRange(0, 4).Draw(t, "all") == 0,
			NearLine: rapid.SampledFrom([]int{0, 0, from + 1}).Draw(t, "near"),
		}
		if checkPlan(t, content, e) {
			made++
			_, by, _ := edit.Find(content, e)
			trim := func(s string) string { return strings.TrimRight(s, " \t") }
			if one := !e.ReplaceAll && e.NearLine == 0; one && by == edit.TrailingSpace && windows(content, old, trim) > 1 {
				t.Fatalf("%q is in %q more than once", old, content)
			}
		}
	}
	for range 5 { // about a third of the edits are applied
		rapid.Check(t, property)
	}
	if made == 0 {
		t.Error("no edit was made")
	}
}

// Several edits have the same result as one after the other.
func TestPlan_EditsInOrder(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a", "b", "ab", "ba", "\n", "a\nb", "c"})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "\n"}), 0, 20).Draw(t, "content"), "")
		want := content
		var edits []edit.Edit
		for range rapid.IntRange(1, 5).Draw(t, "count") {
			e := edit.Edit{Old: word.Draw(t, "old"), New: word.Draw(t, "new"), ReplaceAll: rapid.Bool().Draw(t, "all")}
			one, err := edit.Plan(want, []edit.Edit{e})
			if err != nil {
				_, err := edit.Plan(content, append(edits, e))
				if err == nil {
					t.Fatalf("%q, %v: the last edit was made among others, but not alone", content, append(edits, e))
				}
				checkError(t, err)
				return
			}
			edits = append(edits, e)
			want = one.Apply(want)
			together, err := edit.Plan(content, edits)
			if err != nil {
				t.Fatalf("%q, %v: %v", content, edits, err)
			}
			if got := together.Apply(content); got != want {
				t.Fatalf("%q, %v: made %q, one after the other %q", content, edits, got, want)
			}
		}
	})
}

// Changes of changes are changes.
func TestCompose(t *testing.T) {
	t.Parallel()
	changesOf := func(t *rapid.T, length int) []edit.Change {
		var all []edit.Change
		at := 0
		for range rapid.IntRange(0, 4).Draw(t, "count") {
			start := rapid.IntRange(at, length).Draw(t, "start")
			end := rapid.IntRange(start, length).Draw(t, "end")
			all = append(all, edit.Change{Start: start, End: end, New: rapid.SampledFrom([]string{"", "x", "yy", "zzz"}).Draw(t, "new")})
			at = end
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		content := "0123456789"[:rapid.IntRange(0, 10).Draw(t, "length")]
		a := changesOf(t, len(content))
		middle := (&edit.Result{Changes: a}).Apply(content)
		b := changesOf(t, len(middle))
		want := (&edit.Result{Changes: b}).Apply(middle)
		both := edit.Compose(a, b)
		at := 0
		for _, c := range both {
			if c.Start < at || c.End < c.Start || c.End > len(content) {
				t.Fatalf("%v and %v are %v", a, b, both)
			}
			at = c.End
		}
		if got := (&edit.Result{Changes: both}).Apply(content); got != want {
			t.Fatalf("%v and %v are %v, which makes %q and not %q", a, b, both, got, want)
		}
	})
}
