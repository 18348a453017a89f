package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/ledger"
	"pgregory.net/rapid"
)

// TestTheLedgerIsBounded compares the ledger with one that never forgets: what it remembers is right, and it remembers what was
// used last.
func TestTheLedgerIsBounded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const most = 5
		r := ledger.NewRecent()
		all := map[string]string{}
		var order []string // the latest last
		without := func(key string) []string {
			return slices.DeleteFunc(slices.Clone(order), func(k string) bool { return k == key })
		}
		for i := range rapid.IntRange(1, 60).Draw(rt, "steps") {
			key := rapid.SampledFrom(strings.Split("abcdefghij", "")).Draw(rt, "key")
			switch rapid.IntRange(0, 3).Draw(rt, "what") {
			case 0:
				r.Drop(key)
				delete(all, key)
				order = without(key)
			case 1, 2:
				all[key] = fmt.Sprint(i)
				order = append(without(key), key)
				r.Put(key, all[key], most)
			case 3:
				want, ok := all[key]
				remembered := ok && slices.Contains(order, key)
				got, found := r.Get(key)
				if found != remembered || found && got != want {
					rt.Fatalf("%s is %q, %v; want %q, %v", key, got, found, want, remembered)
				}
				if found {
					order = append(without(key), key)
				}
			}
			if len(order) > most {
				delete(all, order[0])
				order = order[1:]
			}
		}
	})
}
