package edit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

func TestStepNames(t *testing.T) {
	t.Parallel()
	for step, want := range map[edit.Step][2]string{
		edit.Exact:                            {"exact", ""},
		edit.LineEnds:                         {"line-ends", "line ends"},
		edit.TrailingSpace:                    {"trailing-space", "trailing white space"},
		edit.Escapes | edit.Indentation:       {"escapes+indentation", "escapes and indentation"},
		edit.LineNumbers | edit.Punctuation:   {"line-numbers+punctuation", "line numbers and the kind of punctuation"},
		edit.LineNumbers | edit.Indentation:   {"line-numbers+indentation", "line numbers and indentation"},
		edit.Punctuation | edit.Indentation:   {"punctuation+indentation", "the kind of punctuation and indentation"},
		edit.Escapes | edit.TrailingSpace:     {"escapes+trailing-space", "escapes and trailing white space"},
		edit.LineNumbers | edit.LineEnds:      {"line-numbers+line-ends", "line numbers and line ends"},
		edit.LineNumbers | edit.Step(1<<6):    {"line-numbers", "line numbers"},
		edit.TrailingSpace | edit.LineNumbers: {"line-numbers+trailing-space", "line numbers and trailing white space"},
		edit.Escapes | edit.LineEnds:          {"escapes+line-ends", "escapes and line ends"},
	} {
		if step.String() != want[0] || step.Ignored() != want[1] {
			t.Errorf("%d is %q, %q; want %q", step, step, step.Ignored(), want)
		}
	}
}

// Changes refer to the original content, for any number of edits.
func TestPlan_ChangesOfOriginal(t *testing.T) {
	t.Parallel()
	content := "one two three\nfour five six\n"
	result, err := edit.Plan(content, []edit.Edit{
		{Old: "two", New: "2 2"},
		{Old: "2 three", New: "3"},
		{Old: "six", New: "6"},
		{Old: "one", New: "1\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	end := 0
	for _, c := range result.Changes {
		if c.Start < end || c.End < c.Start || strings.Contains(content[c.Start:c.End], "four") {
			t.Errorf("the changes are %+v", result.Changes)
		}
		end = c.End
	}
	if got := result.Apply(content); got != "1\n 2 3\nfour five 6\n" {
		t.Errorf("made %q of %+v", got, result.Changes)
	}
	for i, line := range []int{2, 2, 3, 1} {
		if result.Applied[i].Line != line {
			t.Errorf("edit %d is at line %d, want %d", i+1, result.Applied[i].Line, line)
		}
	}
}

func TestInvalidEdits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		edits   []edit.Edit
		says    string
	}{
		"none":                   {"a", nil, "no edits"},
		"the same":               {"a", []edit.Edit{{Old: "a", New: "a"}}, "the same"},
		"line ends only":         {"a\n", []edit.Edit{{Old: "a\n", New: "a\r\n"}}, "line ends"},
		"a negative count":       {"a", []edit.Edit{{Old: "a", New: "b", ExpectedCount: -1}}, "negative"},
		"a negative line":        {"a", []edit.Edit{{Old: "a", New: "b", NearLine: -1}}, "negative"},
		"a line for all":         {"a", []edit.Edit{{Old: "a", New: "b", NearLine: 1, ReplaceAll: true}}, "nearLine"},
		"a line for several":     {"a", []edit.Edit{{Old: "a", New: "b", NearLine: 1, ExpectedCount: 2}}, "nearLine"},
		"old is no text":         {"a", []edit.Edit{{Old: "\xff", New: "b"}}, "UTF-8"},
		"new is no text":         {"a", []edit.Edit{{Old: "a", New: "\xff"}}, "UTF-8"},
		"the content is no text": {"\xff", []edit.Edit{{Old: "a", New: "b"}}, "UTF-8"},
		"empty":                  {"a", []edit.Edit{{New: "b"}}, "oldText is empty, but the file is not"},
	} {
		_, err := edit.Plan(c.content, c.edits)
		invalid, ok := errors.AsType[*edit.InvalidError](err)
		if !ok || invalid.ErrorCode() != "INVALID_PARAMS" || invalid.NextStep() == "" || !strings.Contains(invalid.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The next step of an edit without match depends on the similar text.
func TestPlan_NoMatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		content string
		edits   []edit.Edit
		next    string
	}{
		"nothing is like it": {"one\n", []edit.Edit{{Old: "seventeen", New: "18"}}, "Read the file again"},
		"a line is like it":  {"a\nseventeen\nb\n", []edit.Edit{{Old: "seventeem", New: "18"}}, "Copy oldText from line 2"},
		"lines are like it":  {"a\nsix\nseven\n", []edit.Edit{{Old: "six\neleven", New: "18"}}, "Copy oldText from lines 2 to 3"},
		"it was made":        {"a\ntwenty\n", []edit.Edit{{Old: "thirty", New: "twenty"}}, "If line 2 is what you want"},
		"it was changed": {"alpha\nbeta\n", []edit.Edit{{Old: "alpha\nbeta", New: "gamma"}, {Old: "beta", New: "delta"}},
			"Edits are made in order"},
		"the file is empty": {"", []edit.Edit{{Old: "one", New: "two"}}, "Read the file again"},
	} {
		_, err := edit.Plan(c.content, c.edits)
		missing, ok := errors.AsType[*edit.NoMatchError](err)
		if !ok || missing.ErrorCode() != "EDIT_NO_MATCH" || !strings.Contains(missing.NextStep(), c.next) || missing.Edit != len(c.edits) {
			t.Errorf("%s: %v; next: %s", name, err, missing.NextStep())
		}
	}
}

func TestNearestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("filler line\n", 3000)
	for name, c := range map[string]struct {
		content, old string
		first, last  int
		diff         string
	}{
		"in the middle of much": {long + "alpha\nbeta\ngamma\n" + long, "alpha\nbeta x\ngamma\n", 3001, 3003, "-beta x\n+beta\n"},
		"a line more":           {"a1\nb2b\nextra\nc3c\n", "a1\nb2b\nc3c\n", 1, 4, "+extra\n"},
		"a line less":           {"a1a\nc3c\nd4d\n", "a1a\nb2b\nc3c\n", 1, 3, "-b2b\n"},
		"the last line only":    {"x\ny\nsomething()\nlast()\n", "other()\nlast()\n", 3, 4, "-other()\n+something()\n"},
		"at the beginning":      {"one()\ntwo()\n", "zero()\nnone()\none()\n", 1, 1, "-zero()\n"},
		"a typing error":        {"x\nfunction computeTotal(items) {\ny\n", "function computeTotals(item) {", 2, 2, "+function computeTotal(items) {\n"},
		"white space":           {"if a:\n\t\tb()\n", "if a:\nb()\n", 1, 2, "-b()\n+→→b()\n"},
		"a no-break space":      {"see: a\u00a0b\n", "see: ab\n", 1, 1, "+see:·a⍽b\n"},
		"a blank line more":     {"a1()\n\nb2()\n", "a1()\nb2()\n", 1, 3, "+\n"},
		"a part of a line":      {"the quick brown fox jumps over the dog\n", "quick brown fix jumps", 1, 1, "-quick brown fix jumps\n"},
	} {
		_, err := edit.Plan(c.content, []edit.Edit{{Old: c.old, New: "new"}})
		missing, ok := errors.AsType[*edit.NoMatchError](err)
		if !ok || missing.First != c.first || missing.Last != c.last || !strings.Contains(missing.Diff, c.diff) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Lines in errors refer to the file, which does not contain the earlier edits.
func TestPlan_ErrorsNameFile(t *testing.T) {
	t.Parallel()
	content := "one\ntwo\nsame\nsame\n"
	_, err := edit.Plan(content, []edit.Edit{{Old: "one\n", New: "1\n1\n1\n"}, {Old: "same", New: "other"}})
	if ambiguous, ok := errors.AsType[*edit.AmbiguousError](err); !ok || ambiguous.Lines[0] != 3 || ambiguous.Lines[1] != 4 {
		t.Errorf("%v", err)
	}
	_, err = edit.Plan(content, []edit.Edit{{Old: "one\n", New: "1\n1\n1\n"}, {Old: "two\nsane", New: "other"}})
	if missing, ok := errors.AsType[*edit.NoMatchError](err); !ok || missing.First != 2 || missing.Last != 3 || !strings.Contains(missing.Diff, "+2,2 @@") {
		t.Errorf("%v", err)
	}
}

func TestPlan_Ambiguous(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		content string
		e       edit.Edit
		says    string
	}{
		{"aa\naa\n", edit.Edit{Old: "aa", New: "b"}, "oldText is at 2 places: lines 1, 2."},
		{"aa bb\n\n\n\naa bb\n", edit.Edit{Old: "aa bb", New: "b", NearLine: 3}, "none is clearly nearest to line 3."},
		{"\taa bb\n\taa bb\n", edit.Edit{Old: "  aa bb\n", New: "  b\n"}, "2 places if indentation is ignored: lines 1, 2."},
		{"aa \naa \n", edit.Edit{Old: "aa\n", New: "b\n"}, "2 places if trailing white space is ignored: lines 1, 2."},
		{"a\r\na\r\n", edit.Edit{Old: "a\n", New: "b\n"}, "2 places if line ends are ignored: lines 1, 2."},
		{"a\nb\na\nb\na\n", edit.Edit{Old: "a", New: "b", ExpectedCount: 2}, "oldText was expected at 2 places, but is at 3: lines 1, 3, 5."},
		{"aa \naa \n", edit.Edit{Old: "aa\n", New: "b\n", ExpectedCount: 3}, "is at 2: lines 1, 2 (ignoring trailing white space)."},
	} {
		_, err := edit.Plan(c.content, []edit.Edit{c.e})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q, %+v: %v", c.content, c.e, err)
		}
		checkError(t, err)
	}
}

func TestNearLine(t *testing.T) {
	t.Parallel()
	// Places at lines 10, 20 and 100.
	lines := make([]string, 120)
	for _, at := range []int{10, 20, 100} {
		lines[at-1] = "x"
	}
	content := strings.Join(lines, "\n")
	for near, want := range map[int]int{
		1: 0, 8: 10, 9: 10, 10: 10, 11: 10, 12: 10, 13: 0, 15: 0, 17: 0, 18: 20, 20: 20, 22: 20, 30: 0, 60: 0, 76: 0, 80: 100, 100: 100, 120: 100, 126: 0, 100_000: 0,
	} {
		result, err := edit.Plan(content, []edit.Edit{{Old: "x", New: "y", NearLine: near}})
		got := 0
		if err == nil {
			got = result.Applied[0].Line
		}
		if got != want {
			t.Errorf("near line %d: line %d, want %d: %v", near, got, want, err)
		}
	}
}
