package headless

import (
	"context"
	"encoding/json"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// For tests of what reads foreign values.
var Difference = difference

// PlanEdits converts what a server wants to be changed, as if it knew no document.
func PlanEdits(ctx context.Context, h *Headless, raw json.RawMessage, given adapter.Document) ([]adapter.FileEdit, error) {
	i := &instance{h: h, server: Server{Name: "fake"}}
	return i.planEdits(ctx, func(string) int { return 0 }, raw, given)
}
