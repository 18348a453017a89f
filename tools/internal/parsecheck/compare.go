package parsecheck

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// Decl is a declaration with its range of lines, from 1. Start is the line of the declaration or of
// its name; an oracle and its test must agree on one.
type Decl struct {
	Kind, Name string
	Start, End int
}

// Found maps the path of a file, relative to the corpus, to its declarations. A file without
// declarations has an entry; an unreadable file has none.
type Found map[string][]Decl

// HeldOut reports whether a file belongs to the held-out half, which the tests require scores of. A
// hash of the path decides.
func HeldOut(path string) bool {
	sum := sha256.Sum256([]byte(path))
	return sum[0]&1 == 1
}

// Tally counts the declarations of a comparison: Right in both results, Missed by the parser, Extra
// in the parser's result only. Files is the number of compared files.
type Tally struct {
	Files, Right, Missed, Extra int
}

// Recall returns the percentage of the oracle's declarations that the parser found.
func (t Tally) Recall() float64 { return percent(t.Right, t.Right+t.Missed) }

// Precision returns the percentage of the parser's declarations that the oracle found.
func (t Tally) Precision() float64 { return percent(t.Right, t.Right+t.Extra) }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// String returns the counts with recall and precision in per cent.
func (t Tally) String() string {
	return fmt.Sprintf("%d files, %d declarations: recall %.3f %%, precision %.3f %% (%d missed, %d extra)",
		t.Files, t.Right+t.Missed, t.Recall(), t.Precision(), t.Missed, t.Extra)
}

// Score is the result of a comparison, with a Tally for each half of the corpus.
type Score struct {
	HeldOut, Tuning Tally
	LeftOut         int      // files that the oracle or the parser could not read
	Differences     []string // in the tuning half, at most maxDifferences
}

// maxDifferences is the maximum length of Score.Differences.
const maxDifferences = 200

// Compare matches declarations by file, start line and end line. Files that the
// oracle does not have are left out.
func Compare(oracle, got Found) Score {
	var s Score
	for _, path := range slices.Sorted(maps.Keys(got)) {
		want, ok := oracle[path]
		if !ok {
			s.LeftOut++
			continue
		}
		tally := &s.Tuning
		if HeldOut(path) {
			tally = &s.HeldOut
		}
		tally.Files++
		missed, extra := differ(want, got[path])
		tally.Right += len(want) - len(missed)
		tally.Missed += len(missed)
		tally.Extra += len(extra)
		if !HeldOut(path) {
			s.note("missed", path, missed)
			s.note("extra", path, extra)
		}
	}
	return s
}

func (s *Score) note(what, path string, decls []Decl) {
	for _, d := range decls {
		if len(s.Differences) < maxDifferences {
			s.Differences = append(s.Differences, fmt.Sprintf("%s %s:%d-%d %s %s", what, path, d.Start, d.End, d.Kind, d.Name))
		}
	}
}

// differ returns the declarations that only one of the two lists contains, as multisets of line
// ranges.
func differ(want, got []Decl) (missed, extra []Decl) {
	type lines struct{ start, end int }
	count := map[lines]int{}
	for _, d := range want {
		count[lines{d.Start, d.End}]++
	}
	for _, d := range got {
		if at := (lines{d.Start, d.End}); count[at] > 0 {
			count[at]--
		} else {
			extra = append(extra, d)
		}
	}
	for _, d := range slices.Backward(want) {
		if at := (lines{d.Start, d.End}); count[at] > 0 {
			count[at]--
			missed = append(missed, d)
		}
	}
	slices.Reverse(missed)
	return missed, extra
}

// Require fails the test if recall or precision on the held-out half is under a
// bar in per cent, or if the corpus is too small to say anything.
func (s Score) Require(t testing.TB, bar float64) {
	t.Helper()
	t.Logf("held out: %v", s.HeldOut)
	t.Logf("tuning:   %v", s.Tuning)
	if s.LeftOut > 0 {
		t.Logf("left out: %d files that the oracle could not read", s.LeftOut)
	}
	if total := s.HeldOut.Right + s.HeldOut.Missed; total < 500 {
		t.Errorf("only %d declarations in the held-out half: the corpus is not what it was", total)
	}
	if s.HeldOut.Recall() < bar || s.HeldOut.Precision() < bar {
		t.Errorf("under the bar of %.1f %%", bar)
		for _, line := range s.Differences[:min(len(s.Differences), 40)] {
			t.Log(line)
		}
	}
}
