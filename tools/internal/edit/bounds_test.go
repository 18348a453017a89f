package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// thueMorse returns a text for which sums modulo a power of two collide, for example those of strings.Index.
func thueMorse(n int) string {
	s := []byte{'a'}
	for len(s) < n {
		for _, c := range s[:len(s):len(s)] {
			s = append(s, 'a'+'b'-c)
		}
	}
	return string(s[:n])
}

// The planner looks at a number of bytes that is proportional to the length of content and edits. The factor is the number of
// interpretations of an edit, times the passes of each. Short tests have a 64th of the size, at which
// quadratic work still exceeds the limit.
func TestPlan_LinearWork(t *testing.T) {
	t.Parallel()
	scale := 1
	if testing.Short() {
		scale = 64
	}
	mega, part, thousand := 1<<20/scale, 1<<17/scale, 1000/scale
	near := func(s string) string { return s[:len(s)-1] + "!" }
	lines := func(n int, line string) string { return strings.Repeat(line+"\n", n) }
	periodic := strings.Repeat("abcdefghijklmnopq", part/17)
	for name, c := range map[string]struct {
		content string
		e       edit.Edit
	}{
		"one long line":                  {strings.Repeat("x", 5*mega), edit.Edit{Old: "xy", New: "z"}},
		"one long line, nearly":          {strings.Repeat("x", 5*mega), edit.Edit{Old: near(strings.Repeat("x", mega)), New: "z"}},
		"a long line of words":           {strings.Repeat("word word ", part), edit.Edit{Old: near(strings.Repeat("word word ", 1000)), New: "z"}},
		"a period":                       {strings.Repeat(periodic, 4), edit.Edit{Old: near(periodic), New: "z"}},
		"Thue-Morse":                     {thueMorse(4 * part), edit.Edit{Old: near(thueMorse(part)), New: "z"}},
		"equal lines":                    {lines(100*thousand, "\treturn nil"), edit.Edit{Old: near(lines(1000, "return nil")), New: "z"}},
		"equal lines, other indentation": {lines(100*thousand, "\treturn nil"), edit.Edit{Old: lines(50*thousand, "    return nil"), New: "z"}},
		"equal lines, no common shift":   {lines(100*thousand, "\treturn nil"), edit.Edit{Old: lines(50*thousand, "    return nil") + "  return nil\n", New: "z"}},
		"equal lines, one of them":       {lines(100*thousand, "\treturn nil"), edit.Edit{Old: "  return nil", New: "z"}},
		"equal lines, near one of them":  {lines(100*thousand, "\treturn nil"), edit.Edit{Old: "return nil", New: "z", NearLine: 50 * thousand}},
		"all of the equal lines":         {lines(100*thousand, "\treturn nil"), edit.Edit{Old: "return nil", New: "return err", ReplaceAll: true}},
		"all of them, indented":          {lines(100*thousand, "\treturn nil"), edit.Edit{Old: "  return nil\n", New: "  return err\n", ReplaceAll: true}},
		"a long old text":                {lines(100*thousand, "some line of text"), edit.Edit{Old: lines(60*thousand, "other line of text"), New: "z"}},
		"escapes":                        {lines(30*thousand, `some \"line\" of text`), edit.Edit{Old: strings.Repeat(`some \\\"line\\\" of\n`, 5*thousand), New: "z"}},
		"blanks":                         {strings.Repeat(" ", 4*part), edit.Edit{Old: "x" + strings.Repeat(" ", part) + "y", New: "z"}},
		"blank lines":                    {strings.Repeat(" \n", 2*part), edit.Edit{Old: "a b" + strings.Repeat("\n", part) + "c d", New: "z"}},
		"line ends":                      {strings.Repeat("\r\n", 2*part), edit.Edit{Old: "a b" + strings.Repeat("\n", part), New: "z"}},
		"marks without letters":          {strings.Repeat("\u0301", part), edit.Edit{Old: "e" + strings.Repeat("\u0301", 1000), New: "z"}},
		"typographic quotes":             {strings.Repeat("“x” ", part), edit.Edit{Old: strings.Repeat(`"x" `, 1000) + "!!xx", New: "z"}},
		"numbers":                        {lines(100*thousand, "a line"), edit.Edit{Old: numbered(20*thousand, "another line"), New: "z"}},
	} {
		size := len(c.content) + len(c.e.Old)
		work, _, err := edit.Work(c.content, []edit.Edit{c.e})
		const most = 90
		if work > most*size {
			t.Errorf("%s: %d bytes were looked at, %d times the size: %.200v", name, work, work/size, err)
		}
		if err != nil && len(err.Error()) > 10_000 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
}

func numbered(n int, line string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%6d→%s\n", i+1, line)
	}
	return b.String()
}

// Each of the edits changes many places. Work that is quadratic in the places would exceed the limit six times.
func TestPlan_ManyEditsOfManyPlaces(t *testing.T) {
	t.Parallel()
	const lines = 500
	content := strings.Repeat("a b c d\n", lines)
	var edits []edit.Edit
	for i := range 100 {
		edits = append(edits, edit.Edit{Old: string(rune('a' + i%4)), New: string(rune('a' + i%4)), ReplaceAll: true})
		edits[i].New = fmt.Sprintf("%c", 'a'+(i+1)%4)
		if i%2 == 1 {
			edits[i].Old, edits[i].New = edits[i-1].New, edits[i-1].Old
		}
	}
	work, result, err := edit.Work(content, edits)
	if err != nil {
		t.Fatal(err)
	}
	if most := 10 * len(content) * len(edits); work > most {
		t.Errorf("%d bytes were looked at", work)
	}
	if got := strings.Count(result.Apply(content), "\n"); got != lines {
		t.Errorf("%d lines are left", got)
	}
}

func TestPlan_TooLarge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		edits   []edit.Edit
	}{
		"too many edits":  {"a", make([]edit.Edit, 1001)},
		"too many places": {strings.Repeat("a", 300_000), []edit.Edit{{Old: "a", New: "b", ReplaceAll: true}}},
		"too much text":   {strings.Repeat("a", 1000), []edit.Edit{{Old: "a", New: strings.Repeat("b", 1<<20), ReplaceAll: true}}},
		"too much text in steps": {strings.Repeat("a", 100), []edit.Edit{
			{Old: "a", New: strings.Repeat("b", 1000), ReplaceAll: true}, {Old: "b", New: strings.Repeat("c", 1000), ReplaceAll: true}}},
	} {
		_, err := edit.Plan(c.content, c.edits)
		large, ok := err.(*edit.TooLargeError)
		if !ok || large.ErrorCode() != "FILE_TOO_LARGE" || large.NextStep() == "" || large.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPlan_ManyPlaces(t *testing.T) {
	t.Parallel()
	lines := 100_000
	if testing.Short() {
		lines = 10_000
	}
	content := strings.Repeat("x\n", lines)
	result, err := edit.Plan(content, []edit.Edit{{Old: "x", New: "y", ReplaceAll: true}})
	if err != nil || result.Applied[0].Count != lines || result.Apply(content) != strings.Repeat("y\n", lines) {
		t.Errorf("%v", err)
	}
	_, err = edit.Plan(content, []edit.Edit{{Old: "x", New: "y"}})
	if ambiguous, ok := err.(*edit.AmbiguousError); !ok || ambiguous.Count != lines || len(ambiguous.Lines) != 20 || ambiguous.Lines[19] != 20 {
		t.Errorf("%v", err)
	}
	result, err = edit.Plan(content, []edit.Edit{{Old: "x\n", New: "y\n", NearLine: 7_777}})
	if err != nil || result.Applied[0].Line != 7_777 {
		t.Errorf("%v, %v", result, err)
	}
}
