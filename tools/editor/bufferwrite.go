package editor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// bufferParams are the parameters of an audit log entry for a change in an editor.
type bufferParams struct {
	Path    string `json:"path"`
	Editor  string `json:"editor"`
	Version int    `json:"version"`
	Edits   int    `json:"edits"`
	Save    bool   `json:"save"`
}

// writeBuffer changes a document that is open in an editor and returns the undo function. The outcome is verified: an editor
// can report an error after it made the change, and only the disk shows whether the file is saved.
func (t *transaction) writeBuffer(ctx context.Context, p *pendingFile) (func(context.Context) error, error) {
	b := p.original.buffer
	after, err := t.change(ctx, p, b.version, textEdits(p.original.text.Content, p.edits))
	if err != nil {
		return t.recoverFailure(ctx, p, err)
	}
	return t.undoBuffer(p), t.verifyOutcome(ctx, p, after)
}

// change applies edits to one version of a buffer and writes an audit log entry.
func (t *transaction) change(ctx context.Context, p *pendingFile, version int, edits []adapter.TextEdit) (adapter.Document, error) {
	b := p.original.buffer
	call, err := t.e.audit.Begin(ctx, audit.Entry{Operation: "edit in editor",
		Params: bufferParams{p.original.path, b.Name(), version, len(edits), !b.dirty}})
	if err != nil {
		return adapter.Document{}, err
	}
	after, err := callAdapter(ctx, b, t.e.options.ToolTimeout, func(ctx context.Context) (adapter.Document, error) {
		return b.Edit(ctx, p.original.abs, version, edits, !b.dirty)
	})
	if end := call.End(err); end != nil {
		t.e.log.Error("the audit log lacks an outcome", "file", p.original.path, "error", end)
	}
	return after, err
}

// verifyOutcome compares the buffer and the file with the intended content. after is the document that the editor returned. A
// formatter of the editor may change more when it saves; then the diff includes that.
func (t *transaction) verifyOutcome(ctx context.Context, p *pendingFile, after adapter.Document) error {
	b, text := p.original.buffer, after.Text
	var onDisk *textfile.Text
	if !b.dirty {
		raw, _, err := t.e.root.ReadFile(security.OnDisk(ctx), p.original.path, t.e.limits.MaxFile)
		if err == nil {
			onDisk, err = textfile.Decode(raw, p.original.text.Encoding)
		}
		if err != nil {
			return fmt.Errorf("read the file saved by %s: %w", b.Name(), err)
		}
		p.sha256, p.saved = digest(raw), true
		if onDisk.Content == p.content {
			return nil
		}
	}
	if now, open, err := bufferDocument(ctx, t.e, b, b.Buffers, p.original.abs); err == nil && open {
		text = now.Text
	}
	switch {
	case onDisk != nil && onDisk.Content == text && p.sha256 != p.original.disk:
		p.notes = append(p.notes, b.Name()+" made further changes when it saved the file; the diff includes them")
		p.content, p.edits = text, []textfile.Edit{singleEdit(p.original.text.Content, text)}
		return nil
	case text != p.content:
		return failed(string(security.InternalError), "changing "+quote(p.path), fmt.Errorf("%s did not make the requested change", b.Name()))
	}
	p.sha256, p.saved = digest([]byte(text)), false
	if !b.dirty {
		note := b.Name() + " has not saved the file"
		if after.SaveError != "" {
			note += ": " + truncateText(after.SaveError)
		}
		p.notes = append(p.notes, note)
	}
	return nil
}

// recoverFailure handles an error of an editor. The change may be complete, missing, or overtaken by other edits. A closed
// document is changed on the disk instead.
func (t *transaction) recoverFailure(ctx context.Context, p *pendingFile, cause error) (func(context.Context) error, error) {
	b := p.original.buffer
	if hasCode(cause, security.AuditFailed) {
		return nil, cause
	}
	now, open, err := bufferDocument(ctx, t.e, b, b.Buffers, p.original.abs)
	switch {
	case err == nil && open && now.Text == p.content:
		return t.undoBuffer(p), t.verifyOutcome(ctx, p, now)
	case err == nil && open && now.Text == p.original.text.Content && !errors.Is(cause, adapter.ErrStale):
		return nil, failed(string(security.InternalError), "changing "+quote(p.path), cause)
	case err == nil && open:
		return nil, &security.Error{Code: security.StaleFile, AttemptedPath: p.path, Message: quote(p.path) + " has changed in " + b.Name() + " meanwhile.", Next: "Read it again, and base the change on its present content.", Err: cause}
	case b.dirty:
		return nil, problem(codeNotRunning, "Ask the user whether the text is still there.", "%s has unsaved changes, and its editor no longer responds: %s", quote(p.path), truncateText(cause.Error()))
	}
	// The editor has ended or closed the document, so only the file on the disk is left.
	raw, _, err := t.e.root.ReadFile(security.OnDisk(ctx), p.original.path, t.e.limits.MaxFile)
	if err != nil {
		return nil, err
	}
	p.notes = append(p.notes, b.Name()+" no longer has the file open; the file on the disk was changed")
	if is := digest(raw); is == digest(p.raw) {
		p.sha256, p.saved = is, true
		return func(ctx context.Context) error {
			_, err := t.e.overwrite(ctx, p.original.path, p.original.text.Bytes(), is)
			return wrapUndoError(p, err)
		}, nil
	}
	return t.writeFile(ctx, p)
}

// undoBuffer returns a function that restores the former text in the editor, and in the file if it was saved.
func (t *transaction) undoBuffer(p *pendingFile) func(context.Context) error {
	former := p.original.text.Content
	return func(ctx context.Context) error {
		b := p.original.buffer
		p.saved = false
		now, open, err := bufferDocument(ctx, t.e, b, b.Buffers, p.original.abs)
		switch {
		case err != nil:
			return wrapUndoError(p, err)
		case !open:
			return wrapUndoError(p, fmt.Errorf("%s has closed it", b.Name()))
		case now.Text == former:
			return nil
		case now.Text != p.content:
			return wrapUndoError(p, fmt.Errorf("it has changed in %s", b.Name()))
		}
		edits := textEdits(now.Text, []textfile.Edit{singleEdit(now.Text, former)})
		_, err = t.change(ctx, p, now.Version, edits)
		return wrapUndoError(p, err)
	}
}

// minimalEdits returns the edits that turn one text into another and leave equal lines alone, so that marks and cursors in them stay.
func minimalEdits(from, to string) []textfile.Edit {
	old, now := strings.SplitAfter(from, "\n"), strings.SplitAfter(to, "\n")
	var edits []textfile.Edit
	oldAt, newAt, oldLine, newLine := 0, 0, 0, 0
	skip := func(lines []string, at, line *int, until int) (start int) {
		for ; *line < until; *line++ {
			*at += len(lines[*line])
		}
		return *at
	}
	for _, s := range textdiff.Compare(old, now) {
		a0, b0 := skip(old, &oldAt, &oldLine, s.A0), skip(now, &newAt, &newLine, s.B0)
		a1, b1 := skip(old, &oldAt, &oldLine, s.A1), skip(now, &newAt, &newLine, s.B1)
		one := singleEdit(from[a0:a1], to[b0:b1])
		edits = append(edits, textfile.Edit{Start: a0 + one.Start, End: a0 + one.End, New: one.New})
	}
	return edits
}

// singleEdit returns the one edit that turns one text into another. It does not split characters or CRLF.
func singleEdit(from, to string) textfile.Edit {
	start := 0
	for start < len(from) && start < len(to) && from[start] == to[start] {
		start++
	}
	for start > 0 && !isBoundary(from, start) {
		start--
	}
	end := 0
	for end < len(from)-start && end < len(to)-start && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	for end > 0 && !isBoundary(from, len(from)-end) {
		end--
	}
	return textfile.Edit{Start: start, End: len(from) - end, New: to[start : len(to)-end]}
}

// isBoundary reports whether an offset is between two characters. CRLF counts as one character.
func isBoundary(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return true
	}
	return s[at]&0xC0 != 0x80 && !(s[at-1] == '\r' && s[at] == '\n')
}
