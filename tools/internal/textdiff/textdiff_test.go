package textdiff_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/internal/textdiff"
)

func Example() {
	fmt.Print(textdiff.Unified("a.go", "b.go", "package a\nvar x = 1\n", "package a\nvar x = 2\n", textdiff.Options{Context: 1}))
	// Output:
	// --- a.go
	// +++ b.go
	// @@ -1,2 +1,2 @@
	//  package a
	// -var x = 1
	// +var x = 2
}

func TestUnified(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, new, want string }{
		{"nothing", "a\nb\n", "a\nb\n", ""},
		{"both empty", "", "", ""},
		{"from nothing", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"to nothing", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a line in between", "1\n2\n3\n4\n5\n", "1\n2\nx\n4\n5\n", "@@ -2,3 +2,3 @@\n 2\n-3\n+x\n 4\n"},
		{"a line more", "1\n2\n", "1\nx\n2\n", "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n"},
		{"a line fewer", "1\n2\n3\n", "1\n3\n", "@@ -1,3 +1,2 @@\n 1\n-2\n 3\n"},
		{"no final line end", "1\n2", "1\n3", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+3\n\\ No newline at end of file\n"},
		{"a final line end", "1", "1\n", "@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n"},
		{"far apart", "1\n2\n3\n4\n5\n6\n", "x\n2\n3\n4\n5\ny\n", "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -5,2 +5,2 @@\n 5\n-6\n+y\n"},
		{"near", "1\n2\n3\n4\n", "x\n2\n3\ny\n", "@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n-4\n+y\n"},
		{"CRLF stays", "1\r\n2\r\n", "1\r\n3\r\n", "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+3\r\n"},
		{"CR alone ends lines", "1\r2\r3\r4\r", "1\r2\r3\rx\r", "@@ -3,2 +3,2 @@\n 3\n-4\n+x\n"},
		{"CR becomes LF", "1\r2", "1\n2", "@@ -1 +1,2 @@\n-1\r2\n\\ No newline at end of file\n+1\n+2\n\\ No newline at end of file\n"},
	} {
		want := tt.want
		if want != "" {
			want = "--- old\n+++ new\n" + want
		}
		if got := textdiff.Unified("old", "new", tt.old, tt.new, textdiff.Options{Context: 1}); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	old := "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for context, want := range map[int]string{
		0:  "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
		2:  "@@ -3,5 +3,5 @@\n 3\n 4\n-5\n+x\n 6\n 7\n",
		-1: "@@ -5 +5 @@\n-5\n+x\n",
	} {
		got := textdiff.Unified("a", "b", old, strings.Replace(old, "5", "x", 1), textdiff.Options{Context: context})
		if got != "--- a\n+++ b\n"+want {
			t.Errorf("context %d:\n%s", context, got)
		}
	}
}

func TestUnified_FirstLineNumbers(t *testing.T) {
	t.Parallel()
	got := textdiff.Unified("a", "b", "1\n2\n", "1\nx\n", textdiff.Options{OldFirst: 10, NewFirst: 200, Context: -1})
	if want := "--- a\n+++ b\n@@ -11 +201 @@\n-2\n+x\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestEdits_SeparateHunks checks that known edits need no comparison and stay separate hunks, even
// where a comparison would give up.
func TestEdits_SeparateHunks(t *testing.T) {
	t.Parallel()
	var old strings.Builder
	var edits []textdiff.Edit
	for i := range 1000 {
		edits = append(edits, textdiff.Edit{Start: old.Len(), End: old.Len() + 1, New: "b"})
		fmt.Fprintf(&old, "a%d\n%d\n%d\n", i, i, i)
	}
	got := textdiff.Edits("f", "f", old.String(), edits, textdiff.Options{Context: -1})
	if hunks := strings.Count(got, "@@ -"); hunks != 1000 || !strings.Contains(got, "\n@@ -1501 +1501 @@\n-a500\n+b500\n") {
		t.Errorf("%d hunks", hunks)
	}
}

func TestEdits_SameLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old   string
		edits []textdiff.Edit
		want  string
	}{
		{"one two three\nx\n", []textdiff.Edit{{0, 3, "1"}, {4, 7, "2"}, {8, 13, "3"}}, "@@ -1 +1 @@\n-one two three\n+1 2 3\n"},
		{"a\nb\nc\n", []textdiff.Edit{{1, 2, ""}, {3, 4, ""}}, "@@ -1,3 +1 @@\n-a\n-b\n-c\n+abc\n"},
		{"a\nb\nc\n", []textdiff.Edit{{0, 2, ""}, {2, 2, "x\n"}}, "@@ -1 +1 @@\n-a\n+x\n"},
		{"a\nb\n", []textdiff.Edit{{1, 2, "!"}, {2, 2, "x\n"}}, "@@ -1 +1 @@\n-a\n+a!x\n"},
		{"a\nb\n", []textdiff.Edit{{0, 1, "a"}}, ""},
		{"a\nb\n", []textdiff.Edit{{0, 4, "a\nx\n"}}, "@@ -2 +2 @@\n-b\n+x\n"},
	} {
		got := textdiff.Edits("f", "f", tt.old, tt.edits, textdiff.Options{Context: -1})
		if got != tt.want && got != "--- f\n+++ f\n"+tt.want {
			t.Errorf("%q %v:\n%s", tt.old, tt.edits, got)
		}
	}
}

func TestUnified_MaxBytes(t *testing.T) {
	t.Parallel()
	var old, replaced strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&old, "old line %d\n", i)
		fmt.Fprintf(&replaced, "new line %d\n", i)
	}
	long := strings.Repeat("x", 256<<10)
	for _, tt := range []struct{ name, old, new, says string }{
		{"everything", old.String(), replaced.String(), "more lines removed, "},
		{"much was added", "a\n", replaced.String(), "added]"},
		{"much was removed", old.String(), "a\n", "more lines removed, 0 added]"},
		{"a long line", long + "a" + long, long + "b" + long, "more bytes]"},
		{"a line that became longer", "short", long, "more bytes]"},
	} {
		got := textdiff.Unified("old", "new", tt.old, tt.new, textdiff.Options{MaxBytes: 2000})
		if len(got) > 2000+1200 || !strings.Contains(got, tt.says) {
			t.Errorf("%s: %d bytes:\n%s", tt.name, len(got), got)
		}
		if !strings.Contains(got, "\n-") || !strings.Contains(got, "\n+") {
			t.Errorf("%s: only one side is shown:\n%s", tt.name, got)
		}
	}
	got := textdiff.Unified("old", "new", long+"a"+long, long+"b"+long, textdiff.Options{MaxLine: 100})
	if !strings.Contains(got, "xa") || !strings.Contains(got, "xb") || len(got) > 500 {
		t.Errorf("the place that differs is not shown:\n%.3000s", got)
	}
	wide := textdiff.Unified("old", "new", strings.Repeat("値", 100)+"a", strings.Repeat("値", 100)+"b", textdiff.Options{MaxLine: 41})
	if strings.ToValidUTF8(wide, "") != wide {
		t.Errorf("a character was cut: %q", wide)
	}
}

// texts share many lines, so that there is something to find out.
var texts = rapid.Custom(func(t *rapid.T) string {
	lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "c", "}", "\r", "値"})).Draw(t, "lines")
	text := strings.Join(lines, "\n")
	if rapid.Bool().Draw(t, "ended") {
		text += "\n"
	}
	return text
})

// A diff that was not cut, applied to the old text, gives the new one.
func TestUnified_Apply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, new := texts.Draw(t, "old"), texts.Draw(t, "new")
		diff := textdiff.Unified("a", "b", old, new, textdiff.Options{Context: rapid.IntRange(-1, 4).Draw(t, "context")})
		if strings.Contains(old, "\r") && !strings.Contains(old+new, "\n") { // the lines of the text end with CR
			old, new = strings.ReplaceAll(old, "\r", "\n"), strings.ReplaceAll(new, "\r", "\n")
		}
		if (diff == "") != (old == new) {
			t.Fatalf("the diff is %q", diff)
		}
		if got := apply(t, old, diff); got != new {
			t.Fatalf("applying\n%s\ngives %q, not %q", diff, got, new)
		}
	})
}

// TestEdits_Apply checks that the diff of Edits produces the edited text.
func TestEdits_Apply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := strings.ReplaceAll(texts.Draw(t, "old"), "\r", "x")
		var edits []textdiff.Edit
		var new strings.Builder
		at := 0
		for range rapid.IntRange(0, 4).Draw(t, "count") {
			start := rapid.IntRange(at, len(old)).Draw(t, "start")
			end := rapid.IntRange(start, len(old)).Draw(t, "end")
			e := textdiff.Edit{Start: start, End: end, New: rapid.SampledFrom([]string{"", "a", "\n", "b\n", "\nc", "a\nb\n"}).Draw(t, "new")}
			edits = append(edits, e)
			new.WriteString(old[at:start] + e.New)
			at = end
		}
		new.WriteString(old[at:])
		diff := textdiff.Edits("a", "b", old, edits, textdiff.Options{Context: rapid.IntRange(-1, 2).Draw(t, "context")})
		if got := apply(t, old, diff); got != new.String() {
			t.Fatalf("%q %v: applying\n%s\ngives %q, not %q", old, edits, diff, got, new.String())
		}
	})
}

// apply applies a diff as patch(1) does, and checks that its numbers are right.
func apply(t interface{ Fatalf(string, ...any) }, old, diff string) string {
	var out strings.Builder
	lines := strings.SplitAfter(diff, "\n")
	rest, number, made := old, 1, 1
	take := func(line string) {
		if !strings.HasPrefix(rest, line) {
			t.Fatalf("%q is not at line %d:\n%s", line, number, diff)
		}
		rest, number = rest[len(line):], number+1
	}
	for i, line := range lines {
		if i < 2 || line == "" || line[0] == '\\' {
			continue
		}
		text := line[1:]
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
			text = strings.TrimSuffix(text, "\n")
		}
		switch line[0] {
		case '@':
			from, to := starts(t, line)
			for number < from {
				n := strings.IndexByte(rest, '\n') + 1
				out.WriteString(rest[:n])
				take(rest[:n])
				made++
			}
			if made != to {
				t.Fatalf("%q, but that is line %d of the new text:\n%s", line, made, diff)
			}
		case ' ':
			take(text)
			out.WriteString(text)
			made++
		case '-':
			take(text)
		case '+':
			out.WriteString(text)
			made++
		}
	}
	return out.String() + rest
}

// starts reads where a hunk begins in both texts.
func starts(t interface{ Fatalf(string, ...any) }, header string) (from, to int) {
	fields := strings.Fields(header)
	read := func(s string) int {
		start, count, found := strings.Cut(s[1:], ",")
		n, err := strconv.Atoi(start)
		if err != nil {
			t.Fatalf("the header %q: %v", header, err)
		}
		if found && count == "0" {
			n++ // nothing of this side is shown, and the line before is named
		}
		return n
	}
	return read(fields[1]), read(fields[2])
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want string
	}{
		{"", "", "[]"},
		{"a b", "a b", "[]"},
		{"a", "", "[{0 1 0 0}]"},
		{"a b c", "a x c", "[{1 2 1 2}]"},
		{"a b c d e", "a x c e", "[{1 2 1 2} {3 4 3 3}]"},
	} {
		if got := fmt.Sprint(textdiff.Compare(strings.Fields(tt.a), strings.Fields(tt.b))); got != tt.want {
			t.Errorf("%s to %s: %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}

// Lists of any length and likeness are compared in bounded work, and the answer is right even then.
func TestCompare_HostileLists(t *testing.T) {
	t.Parallel()
	shuffled := func(n, step int) []string {
		s := make([]string, n)
		for i := range s {
			s[i] = strconv.Itoa(i * step % n)
		}
		return s
	}
	for name, lists := range map[string][2][]string{
		"shuffled":         {shuffled(19_997, 1), shuffled(19_997, 7919)},
		"too long":         {shuffled(200_000, 1), shuffled(200_000, 77_777)},
		"all equal, fewer": {strings.Fields(strings.Repeat("a ", 19_000)), strings.Fields(strings.Repeat("a ", 9_000))},
		"two kinds":        {strings.Fields(strings.Repeat("a b ", 9_000)), strings.Fields(strings.Repeat("b b a ", 6_000))},
	} {
		a, b := lists[0], lists[1]
		at, made := 0, []string{}
		for _, s := range textdiff.Compare(a, b) {
			made = append(append(made, a[at:s.A0]...), b[s.B0:s.B1]...)
			at = s.A1
		}
		if made = append(made, a[at:]...); strings.Join(made, " ") != strings.Join(b, " ") {
			t.Errorf("%s: the spans do not lead from one list to the other", name)
		}
	}
}

func FuzzUnified(f *testing.F) {
	f.Add("a\nb\n", "a\nc", 1, 100)
	f.Add("\r\r", "\n", 0, 0)
	f.Fuzz(func(t *testing.T, old, new string, context, budget int) {
		full := textdiff.Unified("a", "b", old, new, textdiff.Options{Context: context % 100})
		cr := func(s string) bool { return strings.Contains(s, "\r") }
		if !cr(old) && !cr(new) {
			if got := apply(t, old, full); got != new {
				t.Fatalf("applying\n%s\ngives %q", full, got)
			}
		}
		budget = max(budget, 1) % 5000
		if cut := textdiff.Unified("a", "b", old, new, textdiff.Options{Context: context % 100, MaxBytes: budget}); len(cut) > 2*budget+1000 {
			t.Fatalf("%d bytes of a budget of %d", len(cut), budget)
		}
	})
}

// Of many changes in neighbouring lines each takes its room, and none has more than
// is there.
func TestUnified_MaxBytes_ManyChanges(t *testing.T) {
	var old strings.Builder
	var edits []textdiff.Edit
	for i := range 2000 {
		edits = append(edits, textdiff.Edit{Start: old.Len(), End: old.Len() + 1, New: "X"})
		fmt.Fprintf(&old, "%d line\n", i%10)
	}
	for _, most := range []int{200, 1000, 8000} {
		got := textdiff.Edits("a", "a", old.String(), edits, textdiff.Options{MaxBytes: most})
		if len(got) > most+100 || !strings.Contains(got, "diff cut") {
			t.Errorf("with %d bytes it has %d and ends %q", most, len(got), got[max(0, len(got)-80):])
		}
	}
}
