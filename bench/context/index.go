package main

import (
	"context"
	"fmt"
	"regexp"
	"time"
)

// incomplete matches notes in answers of searchDocuments while the index is being built.
var incomplete = regexp.MustCompile(`index is being built|not indexed yet`)

// indexPoll is the time between two looks at the index.
const indexPoll = 20 * time.Millisecond

// awaitIndex waits until the index of the project is complete, with searches that do not count. Before that, the bytes of an answer
// depend on the speed of the machine.
func (d *dougu) awaitIndex(ctx context.Context) error {
	for {
		answer, _, err := d.session.Ask("tools/call", map[string]any{"name": "searchDocuments", "arguments": map[string]any{"query": "index"}})
		if err != nil {
			return fmt.Errorf("waiting for the index: %w", err)
		}
		if !incomplete.Match(answer) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(indexPoll):
		}
	}
}
