// Package skips summarizes the documents that a plugin of the search tools does not index.
package skips

import (
	"cmp"
	"iter"
	"slices"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// maxExamples is the maximum length of plugin.Skipped.Examples.
const maxExamples = 3

// Summary counts documents by reason, most frequent first. named iterates over names and reasons, in any order; uncounted has the
// numbers of further documents, by reason. The examples of a reason are its first names in alphabetical order.
func Summary(named iter.Seq2[string, string], uncounted map[string]int) []plugin.Skipped {
	byReason := make(map[string]*plugin.Skipped)
	at := func(reason string) *plugin.Skipped {
		if byReason[reason] == nil {
			byReason[reason] = &plugin.Skipped{Reason: reason}
		}
		return byReason[reason]
	}
	for name, reason := range named {
		one := at(reason)
		one.Files++
		one.Examples = WithExample(one.Examples, name)
	}
	for reason, n := range uncounted {
		at(reason).Files += n
	}
	var all []plugin.Skipped
	for _, one := range byReason {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b plugin.Skipped) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// WithExample inserts name into sorted examples, of which the first three are kept.
func WithExample(names []string, name string) []string {
	if len(names) == maxExamples && name > names[maxExamples-1] {
		return names
	}
	at, _ := slices.BinarySearch(names, name)
	names = slices.Insert(names, at, name)
	return names[:min(len(names), maxExamples)]
}
