package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/edit"
)

// thueMorse is a text over which sums modulo a power of two, such as those of strings.Index, collide.
func thueMorse(n int) string {
	s := []byte{'a'}
	for len(s) < n {
		for _, c := range s[:len(s):len(s)] {
			s = append(s, 'a'+'b'-c)
		}
	}
	return string(s[:n])
}

// However content and edits are made, what is looked at is proportional to their length. The factor is the number of ways
// in which an edit can be understood, times the passes of each.
func TestWorkIsLinear(t *testing.T) {
	t.Parallel()
	const mega, part = 1 << 20, 1 << 17
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
		"equal lines":                    {lines(100_000, "\treturn nil"), edit.Edit{Old: near(lines(1000, "return nil")), New: "z"}},
		"equal lines, other indentation": {lines(100_000, "\treturn nil"), edit.Edit{Old: lines(50_000, "    return nil"), New: "z"}},
		"equal lines, no common shift":   {lines(100_000, "\treturn nil"), edit.Edit{Old: lines(50_000, "    return nil") + "  return nil\n", New: "z"}},
		"equal lines, one of them":       {lines(100_000, "\treturn nil"), edit.Edit{Old: "  return nil", New: "z"}},
		"equal lines, near one of them":  {lines(100_000, "\treturn nil"), edit.Edit{Old: "return nil", New: "z", NearLine: 50_000}},
		"all of the equal lines":         {lines(100_000, "\treturn nil"), edit.Edit{Old: "return nil", New: "return err", ReplaceAll: true}},
		"all of them, indented":          {lines(100_000, "\treturn nil"), edit.Edit{Old: "  return nil\n", New: "  return err\n", ReplaceAll: true}},
		"old text of a megabyte":         {lines(100_000, "some line of text"), edit.Edit{Old: lines(60_000, "other line of text"), New: "z"}},
		"escapes":                        {lines(30_000, `some \"line\" of text`), edit.Edit{Old: strings.Repeat(`some \\\"line\\\" of\n`, 5_000), New: "z"}},
		"blanks":                         {strings.Repeat(" ", 4*part), edit.Edit{Old: "x" + strings.Repeat(" ", part) + "y", New: "z"}},
		"blank lines":                    {strings.Repeat(" \n", 2*part), edit.Edit{Old: "a b" + strings.Repeat("\n", part) + "c d", New: "z"}},
		"line ends":                      {strings.Repeat("\r\n", 2*part), edit.Edit{Old: "a b" + strings.Repeat("\n", part), New: "z"}},
		"marks without letters":          {strings.Repeat("\u0301", part), edit.Edit{Old: "e" + strings.Repeat("\u0301", 1000), New: "z"}},
		"typographic quotes":             {strings.Repeat("“x” ", part), edit.Edit{Old: strings.Repeat(`"x" `, 1000) + "!!xx", New: "z"}},
		"numbers":                        {lines(100_000, "a line"), edit.Edit{Old: numbered(20_000, "another line"), New: "z"}},
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

// Many edits of one text, each of which changes many places.
func TestManyEdits(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("a b c d\n", 2_000)
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
	if got := strings.Count(result.Apply(content), "\n"); got != 2_000 {
		t.Errorf("%d lines are left", got)
	}
}

func TestTooMuch(t *testing.T) {
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

func TestAHundredThousandPlaces(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("x\n", 100_000)
	result, err := edit.Plan(content, []edit.Edit{{Old: "x", New: "y", ReplaceAll: true}})
	if err != nil || result.Applied[0].Count != 100_000 || result.Apply(content) != strings.Repeat("y\n", 100_000) {
		t.Errorf("%v", err)
	}
	_, err = edit.Plan(content, []edit.Edit{{Old: "x", New: "y"}})
	if ambiguous, ok := err.(*edit.AmbiguousError); !ok || ambiguous.Count != 100_000 || len(ambiguous.Lines) != 20 || ambiguous.Lines[19] != 20 {
		t.Errorf("%v", err)
	}
	result, err = edit.Plan(content, []edit.Edit{{Old: "x\n", New: "y\n", NearLine: 77_777}})
	if err != nil || result.Applied[0].Line != 77_777 {
		t.Errorf("%v, %v", result, err)
	}
}
