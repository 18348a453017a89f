package edit_test

import (
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/edit"
)

// FuzzPlan applies arbitrary edits to arbitrary texts: the change is that of the edit, apart from ignored differences.
func FuzzPlan(f *testing.F) {
	for _, c := range cases(f) {
		e := c.Edits[0]
		f.Add(string(c.Before), e.Old, e.New, e.ReplaceAll, e.ExpectedCount, e.NearLine)
	}
	f.Fuzz(func(t *testing.T, content, old, new string, all bool, count, near int) {
		if len(content)+len(old)+len(new) > 1<<14 || !utf8.ValidString(content) || !utf8.ValidString(old+new) {
			return
		}
		checkPlan(t, content, edit.Edit{Old: old, New: new, ReplaceAll: all, ExpectedCount: count, NearLine: near})
	})
}

// FuzzSeveral makes two edits.
func FuzzSeveral(f *testing.F) {
	for _, c := range cases(f) {
		if len(c.Edits) > 1 {
			f.Add(string(c.Before), c.Edits[0].Old, c.Edits[0].New, c.Edits[1].Old, c.Edits[1].New)
		}
	}
	f.Fuzz(func(t *testing.T, content, old1, new1, old2, new2 string) {
		if len(content)+len(old1)+len(new1)+len(old2)+len(new2) > 1<<14 {
			return
		}
		first, second := edit.Edit{Old: old1, New: new1}, edit.Edit{Old: old2, New: new2}
		both, err := edit.Plan(content, []edit.Edit{first, second})
		if err != nil {
			checkError(t, err)
			return
		}
		one, err := edit.Plan(content, []edit.Edit{first})
		if err != nil {
			t.Fatalf("%q: both %+v and %+v are made, but not the first alone: %v", content, first, second, err)
		}
		middle := one.Apply(content)
		other, err := edit.Plan(middle, []edit.Edit{second})
		if err != nil || other.Apply(middle) != both.Apply(content) {
			t.Fatalf("%q: %+v and %+v make %q, and %v one after the other", content, first, second, both.Apply(content), err)
		}
	})
}
