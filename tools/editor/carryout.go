package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Changes is what an answer tells of a change of several files.
type Changes struct {
	FilesModified []string `json:"filesModified"`
	Files         []Change `json:"files"` // without their diffs
	// Diff is that of all files; of a large one the beginning.
	Diff string `json:"diff,omitempty"`
	// Truncated tells that the answer does not name all files, or not all of the diff.
	Truncated bool `json:"truncated,omitempty"`
	// DryRun tells that nothing was written.
	DryRun bool `json:"dryRun,omitempty"`
	Feedback

	total int // files, also those that do not fit into Files
}

// carryOut makes a change that an adapter has worked out. check looks at the files before anything is written.
func (e *Editor) carryOut(ctx context.Context, by origin, edits []adapter.FileEdit, dryRun bool, check func(t *transaction) error) (Changes, error) {
	release, err := e.take(ctx, everything)
	if err != nil {
		return Changes{}, err
	}
	defer release()
	t := e.begin()
	t.by = by
	if err := t.plan(ctx, edits); err != nil {
		return Changes{}, err
	}
	if err := check(t); err != nil {
		return Changes{}, err
	}
	if dryRun {
		for _, p := range t.files {
			p.saved = p.buffer() == nil || !p.buffer().dirty
		}
		return e.changes(t, Feedback{Notes: t.notes()}, true), nil
	}
	before, err := e.commit(ctx, t)
	if err != nil {
		return Changes{}, err
	}
	release()
	return e.changes(t, e.after(ctx, before, t), false), nil
}

// changes tells of a change, within the budget of an answer.
func (e *Editor) changes(t *transaction, f Feedback, dryRun bool) Changes {
	c := Changes{FilesModified: []string{}, Files: []Change{}, DryRun: dryRun, Feedback: f}
	c.Diff, c.Truncated = t.diff(min(2*mostDiff, e.limits.Answer/2))
	room := e.limits.Answer / 3
	for _, p := range t.files {
		if !p.changed() && !p.moved && !p.removed {
			continue
		}
		c.total++
		path := p.path
		if p.removed {
			path = p.was.path
		}
		if room -= 200 + 2*len(path); room < 0 && len(c.Files) > 0 {
			c.Truncated = true
			continue
		}
		c.FilesModified = append(c.FilesModified, path)
		c.Files = append(c.Files, Change{Path: path, SHA256: p.sha256, Saved: p.saved, Editor: p.editor()})
	}
	return c
}

// text is what a model reads.
func (c Changes) text(what string) string {
	var b strings.Builder
	did := "changed "
	if c.DryRun {
		did = "dry run, nothing was written: would change "
	}
	fmt.Fprintf(&b, "[%s: %s%s]\n", what, did, count(c.total, "file"))
	if !c.DryRun {
		for _, f := range c.Files {
			b.WriteString(f.text("changed"))
		}
	}
	b.WriteString(c.Diff)
	if c.Truncated {
		b.WriteString("[cut here]\n")
	}
	return b.String() + c.Feedback.text()
}
