package editor

import (
	"context"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Change describes a file that was changed, or would be changed by a dry run.
type Change struct {
	Path string `json:"path"` // relative to the project root, or absolute in its other directories
	// SHA256 is the digest of the file after the change, for ExpectedSHA256 of the next call. It covers the bytes on the disk,
	// or the text if it is not saved. A dry run returns the digest before the change.
	SHA256 string `json:"sha256"`
	// Saved is false if the editor has changes that are not on the disk.
	Saved bool `json:"saved"`
	// Editor is the name of the editor that made the change. It is empty for a change on the disk.
	Editor string `json:"editor,omitempty"`
	// Diff is the unified diff. It is truncated at 8 KiB.
	Diff string `json:"diff,omitempty"`
}

// Feedback reports the errors that a change caused.
type Feedback struct {
	// NewErrors are errors that did not exist before the change, at most 5.
	NewErrors []Diagnostic `json:"newErrors,omitempty"`
	// Diagnostics is checked, unchecked or stale; empty if no file has changed. Only with checked do empty NewErrors mean that
	// the change caused no errors.
	Diagnostics string `json:"diagnostics,omitempty"`
	// CheckedBy is the program that checked the files.
	CheckedBy string `json:"checkedBy,omitempty"`
	// Reason says why the files are not checked. Next is the step that would help.
	Reason string `json:"reason,omitempty"`
	Next   string `json:"next,omitempty"`
	// Notes are further remarks for the caller.
	Notes []string `json:"notes,omitempty"`

	changedLines bool // the errors before the change are unknown: NewErrors are errors in the changed lines
}

// request is a change of one file.
type request struct {
	path     string
	expected string // sha256 that the file must have; "" accepts any content
	dryRun   bool
	// first and last are the lines that the caller names. They are valid only for the content that the caller has read. 0 is
	// none.
	first, last int
	// edits computes the change. moved is the number of lines by which the named lines have moved since the caller read them.
	// It is called again if the file changes before the edits are written.
	edits func(d *document, moved int) ([]textfile.Edit, error)
}

// maxAttempts is the number of attempts to compute and write a change while others change the same file.
const maxAttempts = 3

// change changes one file. It repeats the attempt if the file changes between computation and write.
func (e *Editor) change(ctx context.Context, r request) (*pendingFile, Feedback, error) {
	for attempt := 1; ; attempt++ {
		p, again, f, err := e.attemptChange(ctx, r)
		if !again || attempt == maxAttempts {
			return p, f, err
		}
	}
}

// attemptChange computes a change and writes it. again reports that the file changed in between.
func (e *Editor) attemptChange(ctx context.Context, r request) (p *pendingFile, again bool, f Feedback, err error) {
	release, err := e.lockFile(ctx, r.path)
	if err != nil {
		return nil, false, f, err
	}
	defer release()
	t := e.newTransaction()
	if p, err = t.load(ctx, r.path); err != nil {
		return nil, false, f, err
	}
	edits, err := e.computeEdits(ctx, r, p)
	if err == nil {
		err = p.edit(edits, e.limits.MaxFile)
	}
	if err != nil || r.dryRun || !p.changed() {
		p.saved = p.original.buffer == nil || !p.original.buffer.dirty
		return p, false, Feedback{Notes: p.notes}, err
	}
	before, err := e.commit(ctx, t)
	if err != nil {
		return nil, isStaleFile(err), f, err
	}
	release()
	return p, false, e.checkAfter(ctx, before, t), nil
}

// commit writes a transaction and updates the ledger, the line history and the known errors. It returns the errors before the
// change, for checkAfter.
func (e *Editor) commit(ctx context.Context, t *transaction) (before map[string]knownErrors, err error) {
	before = e.errorsBefore(ctx, t)
	knew := make(map[*pendingFile]bool)
	for _, p := range t.files {
		knew[p] = e.hasReadAll(ctx, p)
	}
	if err := t.commit(ctx); err != nil {
		return nil, err
	}
	e.known.clear() // A change can cause or fix errors in other files.
	for _, p := range t.files {
		if knew[p] && !p.removed {
			e.seen.Record(ctx, p.path, p.sha256)
		}
		e.recordChange(p)
	}
	return before, nil
}

// computeEdits checks the expected digest and computes the edits. Lines of an outdated content are followed through recorded
// changes.
func (e *Editor) computeEdits(ctx context.Context, r request, p *pendingFile) ([]textfile.Edit, error) {
	d, base := p.original, r.expected
	if base == "" && r.first > 0 && e.seen != nil {
		base, _ = e.seen.Seen(ctx, d.path)
	}
	moved := 0
	if err := d.checkDigest(base); err != nil {
		var ok bool
		if r.first > 0 {
			moved, ok = e.followLines(d.path, base, d.sha256, r.first, r.last)
		}
		if !ok {
			return nil, err
		}
		p.notes = append(p.notes, "the file has changed since; the lines now begin at line "+number(r.first+moved))
	}
	return r.edits(d, moved)
}

// hasReadAll reports whether the ledger has the present content of the file. If so, the caller also has the content after the
// change.
func (e *Editor) hasReadAll(ctx context.Context, p *pendingFile) bool {
	if e.seen == nil || p.original == nil {
		return false
	}
	seen, _ := e.seen.Seen(ctx, p.original.path)
	return seen != "" && seen == p.original.sha256
}

// notifyAdapters sends the changed paths on the disk to adapters that implement Listener.
func (t *transaction) notifyAdapters() {
	var paths []string
	for _, p := range t.files {
		if p.original != nil && (p.original.buffer == nil || p.moved || p.removed || p.saved) {
			paths = append(paths, p.original.abs)
		}
		if p.original == nil || p.moved {
			paths = append(paths, p.abs)
		}
	}
	for _, a := range t.e.options.Adapters {
		l, ok := a.(adapter.Listener)
		if !ok || len(paths) == 0 {
			continue
		}
		// The change is complete, so its context does not matter and errors are only logged.
		_, err := callAdapter(context.Background(), a, t.e.options.ToolTimeout, func(context.Context) (struct{}, error) {
			l.FilesChanged(paths)
			return struct{}{}, nil
		})
		if err != nil {
			t.e.log.Warn("an adapter did not receive the changed paths", "error", err)
		}
	}
}

// changeResult returns the Change of the file with a diff of at most budget bytes.
func (p *pendingFile) changeResult(budget int) Change {
	return Change{Path: p.path, SHA256: p.sha256, Saved: p.saved, Editor: p.editor(), Diff: p.diff(budget)}
}
