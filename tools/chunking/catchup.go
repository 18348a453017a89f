package chunking

import (
	"context"
	"time"
)

// maxCatchUp limits the time of a comparison of the index with the files before a search answers that it finds nothing.
const maxCatchUp = 2 * time.Second

// noteBehind is the note of an answer for which the comparison was not finished.
const noteBehind = "files that changed lately may be missing: call again in a while"

// catchUp compares the analyzed directories with the files, because a watcher reports changes with a delay. changed reports
// whether the index has changed, and behind whether the comparison was not finished.
func (c *Chunks) catchUp(ctx context.Context) (changed, behind bool) {
	if !c.index.Compared() {
		return false, false // answers say so
	}
	limited, cancel := context.WithTimeout(ctx, maxCatchUp)
	defer cancel()
	before := c.index.Snapshot()
	err := c.index.CatchUp(limited)
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "the index was not compared with the files", "error", err)
	}
	return c.index.Snapshot() != before, err != nil
}
