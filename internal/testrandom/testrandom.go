// Package testrandom runs tests of properties with random values.
package testrandom

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// variable names a seed with which a property is tested alone, for example after a failure.
const variable = "DOUGU_TEST_SEED"

// Rand is a source of random values.
type Rand struct{ *rand.Rand }

// Check tests a property with 100 different seeds, each in a subtest that is named after its seed. The environment variable
// DOUGU_TEST_SEED repeats one seed.
func Check(t *testing.T, property func(t *testing.T, r Rand)) {
	t.Helper()
	if seed, err := strconv.ParseUint(os.Getenv(variable), 10, 64); err == nil {
		property(t, Rand{rand.New(rand.NewPCG(seed, 0))})
		return
	}
	for range 100 {
		seed := rand.Uint64()
		if !t.Run(variable+"="+strconv.FormatUint(seed, 10), func(t *testing.T) { property(t, Rand{rand.New(rand.NewPCG(seed, 0))}) }) {
			return
		}
	}
}

// Bool returns true in half of the calls.
func (r Rand) Bool() bool { return r.IntN(2) == 0 }

// Between returns a number from least to most.
func (r Rand) Between(least, most int) int { return least + r.IntN(most-least+1) }

// String returns between least and most characters of an alphabet.
func (r Rand) String(alphabet string, least, most int) string {
	runes := []rune(alphabet)
	var text strings.Builder
	for range r.Between(least, most) {
		text.WriteRune(runes[r.IntN(len(runes))])
	}
	return text.String()
}

// Pick returns one of some values.
func Pick[T any](r Rand, values ...T) T { return values[r.IntN(len(values))] }
