package editor

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Changes describes a change of several files.
type Changes struct {
	FilesModified []string `json:"filesModified"`
	Files         []Change `json:"files"` // without diffs
	// Diff is the unified diff of all files, truncated at 16 KiB or half of the answer budget.
	Diff string `json:"diff,omitempty"`
	// Truncated means that files or parts of the diff are left out.
	Truncated bool `json:"truncated,omitempty"`
	// DryRun means that nothing was written.
	DryRun bool `json:"dryRun,omitempty"`
	Feedback

	// total is the number of files, including files that Files leaves out.
	total int
}

// applyEdits applies edits that an adapter computed. check can refuse them before anything is written.
func (e *Editor) applyEdits(ctx context.Context, by origin, edits []adapter.FileEdit, dryRun bool, check func(t *transaction) error) (Changes, error) {
	release, err := e.lockFile(ctx, allFiles)
	if err != nil {
		return Changes{}, err
	}
	defer release()
	t := e.newTransaction()
	t.origin = by
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
		return e.summarizeChanges(t, Feedback{Notes: t.notes()}, true), nil
	}
	before, err := e.commit(ctx, t)
	if err != nil {
		return Changes{}, err
	}
	release()
	return e.summarizeChanges(t, e.checkAfter(ctx, before, t), false), nil
}

// summarizeChanges describes a transaction within the answer budget.
func (e *Editor) summarizeChanges(t *transaction, f Feedback, dryRun bool) Changes {
	c := Changes{FilesModified: []string{}, Files: []Change{}, DryRun: dryRun, Feedback: f}
	c.Diff, c.Truncated = t.diff(min(2*maxDiff, e.limits.Answer/2))
	room := e.limits.Answer / 3
	for _, p := range t.files {
		if !p.changed() && !p.moved && !p.removed {
			continue
		}
		c.total++
		path := p.path
		if p.removed {
			path = p.original.path
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

// text returns the changes as text for a model.
func (c Changes) text(what string) string {
	var b strings.Builder
	did := "changed "
	if c.DryRun {
		did = "dry run, nothing was written: would change "
	}
	fmt.Fprintf(&b, "[%s: %s%s]\n", what, did, plural.Count(c.total, "file"))
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
