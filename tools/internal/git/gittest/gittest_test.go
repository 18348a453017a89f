package gittest_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/git/gittest"
)

// A kind is hostile: the git of a careless user runs the canary.
func TestKinds_Spring(t *testing.T) {
	if testing.Short() {
		t.Skip("the table changes seldom")
	}
	m := gittest.New(t)
	names := make(map[string]bool)
	for _, k := range gittest.Kinds() {
		if names[k.Name] {
			t.Errorf("there are two kinds %q", k.Name)
		}
		names[k.Name] = true
		if len(k.Spring) == 0 {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			r := m.Build(t, k)
			out := r.Spring(k)
			if _, ran := r.Ran(); !ran {
				t.Errorf("git %q does not run the canary:\n%s", k.Spring, out)
			}
		})
	}
	if len(names) < 20 {
		t.Errorf("there are %d kinds", len(names))
	}
}
