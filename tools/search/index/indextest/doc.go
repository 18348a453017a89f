// Package indextest tests implementations of index.Index: results, filters, transactions, concurrency and errors, with fixed
// cases and with random changes that are compared with a simple model.
package indextest

import (
	"testing"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Run tests an implementation. open returns an empty index; each test closes it at its end, possibly a second time.
func Run(t *testing.T, open func(t *testing.T) index.Index) {
	for name, test := range map[string]func(*testing.T, index.Index){
		"empty": empty, "put": put, "replaced": replaced, "removed": removed, "touched": touched, "aborted": aborted,
		"replace": replace, "oneWriter": oneWriter, "refused": refused,
		"words": words, "fields": fields, "terms": terms, "japanese": japanese, "order": order, "limit": limit, "filters": filters, "patterns": patterns,
		"similar": similar, "literals": literals, "conditions": conditions,
		"readers": readers, "writers": writers, "closed": closed, "closedWhileWriting": closedWhileWriting, "canceled": canceled,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
	t.Run("model", func(t *testing.T) { model(t, open) })
}
