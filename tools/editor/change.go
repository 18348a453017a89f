package editor

import (
	"context"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// Change is what an answer tells of a file that was changed, or would be.
type Change struct {
	Path string `json:"path"` // relative to the project root, or absolute in its other directories
	// SHA256 is that of the file now, for ExpectedSHA256 of the next call: of its bytes on the disk, or of its text if it is not
	// saved. A dry run does not change it.
	SHA256 string `json:"sha256"`
	// Saved is false for a document that has changes in the editor which are not on the disk.
	Saved bool `json:"saved"`
	// Editor is the one that has the file open and has made the change; empty for the disk.
	Editor string `json:"editor,omitempty"`
	// Diff is the unified diff; of a large one the beginning.
	Diff string `json:"diff,omitempty"`
}

// Feedback is what an answer tells of the errors that a change has brought.
type Feedback struct {
	// NewErrors are at most 5 errors that were not there before.
	NewErrors []Diagnostic `json:"newErrors,omitempty"`
	// Diagnostics is checked, unchecked or stale; empty if no file has changed. Only with checked does an answer without NewErrors
	// mean that the change has brought no errors.
	Diagnostics string `json:"diagnostics,omitempty"`
	// CheckedBy is the program that has looked at the files.
	CheckedBy string `json:"checkedBy,omitempty"`
	// Reason is the reason why they are not checked, and Next the step that would change it.
	Reason string `json:"reason,omitempty"`
	Next   string `json:"next,omitempty"`
	// Notes say what else is to be known.
	Notes []string `json:"notes,omitempty"`
}

// request is a change of one file.
type request struct {
	path     string
	expected string // the sha256 that the file must have; "" for any
	dryRun   bool
	// first and last are the lines that the caller names, which are only right for the content that it has seen; 0 for none.
	first, last int
	// edits works out the change, with the number of lines by which those that the caller names have moved meanwhile. It is called
	// again if the file has changed before the change is made.
	edits func(d *document, moved int) ([]textfile.Edit, error)
}

// mostAttempts is how often a change is worked out anew because somebody else changes the same file at the same time.
const mostAttempts = 3

// change changes one file.
func (e *Editor) change(ctx context.Context, r request) (*pending, Feedback, error) {
	for attempt := 1; ; attempt++ {
		p, again, f, err := e.try(ctx, r)
		if !again || attempt == mostAttempts {
			return p, f, err
		}
	}
}

// try works a change out and makes it. again says that it failed because the file has changed in between.
func (e *Editor) try(ctx context.Context, r request) (p *pending, again bool, f Feedback, err error) {
	release, err := e.take(ctx, r.path)
	if err != nil {
		return nil, false, f, err
	}
	defer release()
	t := e.begin()
	if p, err = t.load(ctx, r.path); err != nil {
		return nil, false, f, err
	}
	edits, err := e.workOut(ctx, r, p)
	if err == nil {
		err = p.edit(edits, e.limits.MaxFile)
	}
	if err != nil || r.dryRun || !p.changed() {
		p.saved = p.was.buffer == nil || !p.was.buffer.dirty
		return p, false, Feedback{Notes: p.notes}, err
	}
	before, err := e.commit(ctx, t)
	if err != nil {
		return nil, errStale(err), f, err
	}
	release()
	return p, false, e.after(ctx, before, t), nil
}

// commit makes a change, and remembers what it means for later ones. It answers the errors before it, for after.
func (e *Editor) commit(ctx context.Context, t *transaction) (before map[string]knownErrors, err error) {
	before = e.before(ctx, t)
	knew := make(map[*pending]bool)
	for _, p := range t.files {
		knew[p] = e.knew(ctx, p)
	}
	if err := t.commit(ctx); err != nil {
		return nil, err
	}
	e.known.clear() // what is wrong in other files may be so because of this one
	for _, p := range t.files {
		if knew[p] && !p.removed {
			e.seen.Saw(ctx, p.path, p.sha256)
		}
		e.remember(p)
	}
	return before, nil
}

// workOut checks that the document is what the caller takes it for, and works out the edits.
func (e *Editor) workOut(ctx context.Context, r request, p *pending) ([]textfile.Edit, error) {
	d, base := p.was, r.expected
	if base == "" && r.first > 0 && e.seen != nil {
		base, _ = e.seen.Seen(ctx, d.path)
	}
	moved := 0
	if err := d.expect(base); err != nil {
		var ok bool
		if r.first > 0 {
			moved, ok = e.follow(d.path, base, d.sha256, r.first, r.last)
		}
		if !ok {
			return nil, err
		}
		p.notes = append(p.notes, "the file has changed since; the lines meant are now those from "+number(r.first+moved)+" on")
	}
	return r.edits(d, moved)
}

// knew tells whether the caller knows all of a file that is about to be changed, so that it does afterwards.
func (e *Editor) knew(ctx context.Context, p *pending) bool {
	if e.seen == nil || p.was == nil {
		return false
	}
	seen, _ := e.seen.Seen(ctx, p.was.path)
	return seen != "" && seen == p.was.sha256
}

// tell tells the adapters that want to know it what has changed on the disk.
func (t *transaction) tell() {
	var paths []string
	for _, p := range t.files {
		if p.was != nil && (p.was.buffer == nil || p.moved || p.removed || p.saved) {
			paths = append(paths, p.was.abs)
		}
		if p.was == nil || p.moved {
			paths = append(paths, p.abs)
		}
	}
	for _, a := range t.e.options.Adapters {
		l, ok := a.(adapter.Listener)
		if !ok || len(paths) == 0 {
			continue
		}
		// The change is made, whatever becomes of the news of it.
		_, err := ask(context.Background(), a, t.e.options.ToolPatience, func(context.Context) (struct{}, error) {
			l.FilesChanged(paths)
			return struct{}{}, nil
		})
		if err != nil {
			t.e.log.Warn("an adapter was not told what has changed", "error", err)
		}
	}
}

// shows is what an answer tells of the file.
func (p *pending) shows(budget int) Change {
	return Change{Path: p.path, SHA256: p.sha256, Saved: p.saved, Editor: p.editor(), Diff: p.diff(budget)}
}
