package filesystem

import (
	"context"
	"crypto/sha256"
)

// maxFollowedFiles limits the files that isFollower reads.
const maxFollowedFiles = 1000

// isFollower reports whether the index already contains the current files although another process is its writer. It compares
// the selected files by content; only their recorded times may differ.
func (w *work) isFollower(ctx context.Context) bool {
	if w.full || len(w.removed) > 0 || len(w.targets) > maxFollowedFiles {
		return false
	}
	var buf []byte
	for _, t := range w.targets {
		if !t.indexed || !w.f.cutter.isCurrent(t.known) {
			return false
		}
		got, err := w.f.readFile(ctx, t.path, buf)
		if err != nil || got.info.Path != t.path || sha256.Sum256(got.content) != t.known.Hash {
			return false
		}
		buf = got.content
	}
	w.report.Unchanged += len(w.targets)
	w.summarize()
	return true
}
