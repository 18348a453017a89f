package edit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// partOf returns the range of a part of a text.
func partOf(content, part string) (start, end int) {
	start = strings.Index(content, part)
	return start, start + len(part)
}

func TestPlanPart_UniqueInPart(t *testing.T) {
	t.Parallel()
	const content = "a {\n\treturn 1\n}\n\nb {\n\treturn 1\n}\n\nc {\n\treturn 1\n}\n"
	start, end := partOf(content, "b {\n\treturn 1\n}")
	result, err := edit.PlanPart(content, start, end, "chunk", []edit.Edit{{Old: "return 1", New: "return 2"}, {Old: "b {", New: "b() {"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Apply(content), strings.Replace(content, "b {\n\treturn 1", "b() {\n\treturn 2", 1); got != want {
		t.Errorf("made %q, want %q", got, want)
	}
	if a := result.Applied; a[0].Line != 6 || a[1].Line != 5 {
		t.Errorf("the lines are %+v", a)
	}
}

func TestPlanPart_LineNumbers(t *testing.T) {
	t.Parallel()
	const content = "x\nx\nb {\n\tfoo()\n\ty()\n\tfoo()\n\ty()\n\tfoo()\n}\n"
	start, end := partOf(content, content[4:len(content)-1])
	result, err := edit.PlanPart(content, start, end, "chunk", []edit.Edit{{Old: "6\t\tfoo()", New: "6\t\tbar()"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Apply(content), "x\nx\nb {\n\tfoo()\n\ty()\n\tbar()\n\ty()\n\tfoo()\n}\n"; got != want {
		t.Errorf("made %q, want %q", got, want)
	}
}

func TestPlanPart_Errors(t *testing.T) {
	t.Parallel()
	const content = "one\ntwo\nthree\ntwo\nseventeen\n"
	start, end := partOf(content, "three\ntwo\nseventeen")
	plan := func(old string) error {
		_, err := edit.PlanPart(content, start, end, "chunk", []edit.Edit{{Old: old, New: "five"}})
		return err
	}
	missing, ok := errors.AsType[*edit.NoMatchError](plan("one"))
	if !ok || missing.Error() != "edit 1: oldText is not in the chunk." || missing.NextStep() != "Read the chunk again and copy oldText from it, without line numbers." {
		t.Errorf("%v; next: %s", missing, missing.NextStep())
	}
	if missing, ok = errors.AsType[*edit.NoMatchError](plan("seventeem")); !ok || missing.First != 5 || missing.Last != 5 {
		t.Errorf("%v", missing)
	}
	start, end = partOf(content, content[4:])
	several, ok := errors.AsType[*edit.AmbiguousError](plan("two"))
	if !ok || several.Error() != "edit 1: oldText is at 2 places: lines 2, 4." || strings.Contains(several.NextStep(), "nearLine") {
		t.Errorf("%v; next: %s", several, several.NextStep())
	}
}
