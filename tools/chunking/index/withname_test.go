package index_test

import (
	"slices"
	"testing"
)

func TestSnapshot_WithName(t *testing.T) {
	x := searched(t, "b.go: push", "a.go: Stack.push", "a.go: Push", "a.go: pushAll", "a_test.go: push", "é.go: été")
	all := x.Snapshot().WithNames([]string{"push", "été", "push", "", "pus"})
	for name, want := range map[string][]string{
		"push": {"a.go: Stack.push", "b.go: push", "a_test.go: push"},
		"été":  {"é.go: été"},
		"":     {},
		"pus":  {},
	} {
		if got := show(x.Snapshot().WithName(name)); !slices.Equal(got, want) || !slices.Equal(show(all[name]), want) {
			t.Errorf("%q: %q, of several names %q, want %q", name, got, show(all[name]), want)
		}
	}
}
