package headless

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Difference is exported for tests.
var Difference = difference

// WithCoverDelay returns options with another time between the first two looks for languages of the project.
func WithCoverDelay(o Options, d time.Duration) Options {
	o.coverDelay = d
	return o
}

// PlanEdits converts the workspace edit of a server that has opened no document.
func PlanEdits(ctx context.Context, h *Headless, raw json.RawMessage, given adapter.Document) ([]adapter.FileEdit, error) {
	i := &instance{h: h, server: Server{Name: "fake"}}
	return i.planEdits(ctx, func(string) int { return 0 }, raw, given)
}

// WithMemoryInterval returns options with another time between two measurements of memory.
func WithMemoryInterval(o Options, d time.Duration) Options {
	o.memoryInterval = d
	return o
}

// ExpandData is exported for tests.
var ExpandData = expandData

// Partial returns a server that may publish several times for one version.
func Partial(s Server) Server {
	s.partial = true
	return s
}
