package filesystem

import (
	"context"
	"crypto/sha256"
)

// mostFollowed is how many files are read to see that nothing is left to do.
const mostFollowed = 1000

// follows says that the index has what the files have, though another process
// writes to it: what was found to be done would only note times.
func (w *work) follows(ctx context.Context) bool {
	if w.full || len(w.removed) > 0 || len(w.targets) > mostFollowed {
		return false
	}
	var buf []byte
	for _, t := range w.targets {
		if !t.indexed || !w.f.cutter.current(t.known) {
			return false
		}
		got, err := w.f.read(ctx, t.path, buf)
		if err != nil || got.info.Path != t.path || sha256.Sum256(got.content) != t.known.Hash {
			return false
		}
		buf = got.content
	}
	w.report.Unchanged += len(w.targets)
	w.end()
	return true
}
