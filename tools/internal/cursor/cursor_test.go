package cursor_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/cursor"
)

func TestCursor(t *testing.T) {
	q := cursor.NewListID("list", "a b", "")
	given := q.Cursor("src/x.go")
	if place, ok := q.Position(given); !ok || place != "src/x.go" {
		t.Errorf("the place is %q, %v", place, ok)
	}
	if place, ok := q.Position(""); !ok || place != "" {
		t.Errorf("without a cursor the place is %q, %v", place, ok)
	}
	for _, other := range []cursor.ListID{cursor.NewListID("list", "a", "b", ""), cursor.NewListID("list", "a b"), cursor.NewListID()} {
		if place, ok := other.Position(given); ok {
			t.Errorf("the cursor of another question is taken: %q", place)
		}
	}
	for _, bad := range []string{"!", "AAAA", given[:3]} {
		if place, ok := q.Position(bad); ok {
			t.Errorf("%q is taken: %q", bad, place)
		}
	}
}
