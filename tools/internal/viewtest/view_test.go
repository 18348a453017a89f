package viewtest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// firstSeed returns the seed in the environment variable DOUGU_TEST_SEED, with which a failed sequence is repeated alone.
func firstSeed() (seed uint64, alone bool) {
	if seed, err := strconv.ParseUint(os.Getenv("DOUGU_TEST_SEED"), 10, 64); err == nil {
		return seed, true
	}
	return rand.Uint64(), false
}

// sequences makes sequences of steps in one project.
func sequences(t *testing.T, w *world, number, steps int) {
	t.Helper()
	seed, alone := firstSeed()
	if alone {
		number = 1
	}
	for n := range number {
		if !t.Run(strconv.FormatUint(seed+uint64(n), 10), func(t *testing.T) {
			outer := w.t
			defer func() { w.t = outer }()
			w.t = t
			w.sequence(seed+uint64(n), steps)
		}) {
			return
		}
	}
}

func TestTools_AgreeWithMemory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory()
	sequences(t, newWorld(t, dir, m, m), 60, 10)
}

// count returns the number of sequences for an editor that runs for real. The environment variable DOUGU_TEST_SEQUENCES replaces it.
func count(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("DOUGU_TEST_SEQUENCES")); err == nil {
		return n
	}
	return usual
}
