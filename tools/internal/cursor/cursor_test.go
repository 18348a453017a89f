package cursor_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/cursor"
)

func TestCursor(t *testing.T) {
	q := cursor.Of("list", "a b", "")
	given := q.Cursor("src/x.go")
	if place, ok := q.Place(given); !ok || place != "src/x.go" {
		t.Errorf("the place is %q, %v", place, ok)
	}
	if place, ok := q.Place(""); !ok || place != "" {
		t.Errorf("without a cursor the place is %q, %v", place, ok)
	}
	for _, other := range []cursor.Question{cursor.Of("list", "a", "b", ""), cursor.Of("list", "a b"), cursor.Of()} {
		if place, ok := other.Place(given); ok {
			t.Errorf("the cursor of another question is taken: %q", place)
		}
	}
	for _, bad := range []string{"!", "AAAA", given[:3]} {
		if place, ok := q.Place(bad); ok {
			t.Errorf("%q is taken: %q", bad, place)
		}
	}
}
