package parsecheck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/parsecheck"
)

func TestCompare(t *testing.T) {
	tuning, held := "a.go", "b.go"
	for i := 0; !parsecheck.HeldOut(held) || parsecheck.HeldOut(tuning); i++ {
		tuning, held = tuning+"a", held+"b"
	}
	oracle := parsecheck.Found{
		tuning: {{Kind: "method", Name: "f", Start: 1, End: 3}, {Kind: "method", Name: "g", Start: 5, End: 5}},
		held:   {{Start: 1, End: 1}, {Start: 1, End: 1}},
	}
	got := parsecheck.Found{
		tuning: {{Kind: "method", Name: "f", Start: 1, End: 3}, {Kind: "class", Name: "h", Start: 5, End: 6}},
		held:   {{Start: 1, End: 1}},
		"c.go": {{Start: 1, End: 1}},
	}
	s := parsecheck.Compare(oracle, got)
	if want := (parsecheck.Tally{Files: 1, Right: 1, Missed: 1}); s.HeldOut != want {
		t.Errorf("held out: %+v, want %+v", s.HeldOut, want)
	}
	if want := (parsecheck.Tally{Files: 1, Right: 1, Missed: 1, Extra: 1}); s.Tuning != want || s.LeftOut != 1 {
		t.Errorf("tuning: %+v, want %+v; %d left out", s.Tuning, want, s.LeftOut)
	}
	if all := strings.Join(s.Differences, "\n"); !strings.Contains(all, ":5-5 method g") || !strings.Contains(all, ":5-6 class h") {
		t.Errorf("the differences are %s", all)
	}
	if r, p := s.Tuning.Recall(), s.Tuning.Precision(); r != 50 || p != 50 {
		t.Errorf("recall %v, precision %v", r, p)
	}
}

func TestCompare_HeldOutHalf(t *testing.T) {
	held, files := 0, 0
	err := filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			files++
			if parsecheck.HeldOut(path) {
				held++
			}
		}
		return err
	})
	if err != nil || held < files/3 || held > files*2/3 {
		t.Errorf("%d of %d files are held out: %v", held, files, err)
	}
}
