package editor

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// bufferParams is what the audit log tells about a change in an editor.
type bufferParams struct {
	Path    string `json:"path"`
	Editor  string `json:"editor"`
	Version int    `json:"version"`
	Edits   int    `json:"edits"`
	Save    bool   `json:"save"`
}

// writeBuffer changes a document that an editor has open. What the editor says about the outcome is not taken for granted: an
// error may come when the change is made already, and the disk shows whether it is saved.
func (t *transaction) writeBuffer(ctx context.Context, p *pending) (func(context.Context) error, error) {
	b := p.was.buffer
	after, err := t.change(ctx, p, b.version, textEdits(p.was.text.Content, p.edits))
	if err != nil {
		return t.afterFailure(ctx, p, err)
	}
	return t.restore(p), t.settle(ctx, p, after.Text)
}

// change has the editor make edits of a version, with a record of it.
func (t *transaction) change(ctx context.Context, p *pending, version int, edits []adapter.TextEdit) (adapter.Document, error) {
	b := p.was.buffer
	call, err := t.e.audit.Begin(ctx, audit.Entry{Operation: "edit in editor",
		Params: bufferParams{p.was.path, b.Name(), version, len(edits), !b.dirty}})
	if err != nil {
		return adapter.Document{}, err
	}
	after, err := ask(ctx, b, t.e.options.ToolPatience, func(ctx context.Context) (adapter.Document, error) {
		return b.Edit(ctx, p.was.abs, version, edits, !b.dirty)
	})
	if end := call.End(err); end != nil {
		t.e.log.Error("the audit log lacks an outcome", "file", p.was.path, "error", end)
	}
	return after, err
}

// settle finds out what has become of the document. text is what the editor has answered.
func (t *transaction) settle(ctx context.Context, p *pending, text string) error {
	b := p.was.buffer
	var onDisk *textfile.Text
	if !b.dirty {
		raw, _, err := t.e.root.ReadFile(ctx, p.was.path, t.e.limits.MaxFile)
		if err == nil {
			onDisk, err = textfile.Decode(raw, p.was.text.Encoding)
		}
		if err != nil {
			return fmt.Errorf("reading what %s has saved: %w", b.Name(), err)
		}
		p.sha256, p.saved = digest(raw), true
		if onDisk.Content == p.content {
			return nil
		}
	}
	if now, open, err := lookUp(ctx, t.e, b, b.Buffers, p.was.abs); err == nil && open {
		text = now.Text
	}
	switch {
	case onDisk != nil && onDisk.Content == text && p.sha256 != p.was.disk:
		p.notes = append(p.notes, b.Name()+" has changed more when it saved the file; the diff shows all")
		p.content, p.edits = text, []textfile.Edit{difference(p.was.text.Content, text)}
		return nil
	case text != p.content:
		return failed(string(security.InternalError), "changing "+quote(p.path), fmt.Errorf("%s has not made the change that it was told to", b.Name()))
	}
	p.sha256, p.saved = digest([]byte(text)), false
	if !b.dirty {
		p.notes = append(p.notes, b.Name()+" has not saved the file")
	}
	return nil
}

// afterFailure decides what to do when an editor has not said that it made the change.
func (t *transaction) afterFailure(ctx context.Context, p *pending, cause error) (func(context.Context) error, error) {
	b := p.was.buffer
	if hasCode(cause, security.AuditFailed) {
		return nil, cause
	}
	now, open, err := lookUp(ctx, t.e, b, b.Buffers, p.was.abs)
	switch {
	case err == nil && open && now.Text == p.content:
		return t.restore(p), t.settle(ctx, p, now.Text)
	case err == nil && open && now.Text == p.was.text.Content && !errors.Is(cause, adapter.ErrStale):
		return nil, failed(string(security.InternalError), "changing "+quote(p.path), cause)
	case err == nil && open:
		return nil, &security.Error{Code: security.StaleFile, AttemptedPath: p.path, Message: quote(p.path) + " has changed in " + b.Name() + " meanwhile.", Next: "Read it again, and base the change on its present content.", Err: cause}
	case b.dirty:
		return nil, problem(codeNotRunning, "Ask the user what has become of it.", "%s has changes that were not saved, and its editor does not answer any more: %s", quote(p.path), shown(cause.Error()))
	}
	// The editor is gone, or has closed the document: the disk tells how far it came.
	raw, _, err := t.e.root.ReadFile(ctx, p.was.path, t.e.limits.MaxFile)
	if err != nil {
		return nil, err
	}
	p.notes = append(p.notes, b.Name()+" does not have the file open any more; this is about the file on the disk")
	if is := digest(raw); is == digest(p.raw) {
		p.sha256, p.saved = is, true
		return func(ctx context.Context) error {
			_, err := t.e.overwrite(ctx, p.was.path, p.was.text.Bytes(), is)
			return still(p, err)
		}, nil
	}
	return t.writeFile(ctx, p)
}

// restore takes a change in an editor back: the document gets its former text, and so does the file if it was saved.
func (t *transaction) restore(p *pending) func(context.Context) error {
	former := p.was.text.Content
	return func(ctx context.Context) error {
		b := p.was.buffer
		p.saved = false
		now, open, err := lookUp(ctx, t.e, b, b.Buffers, p.was.abs)
		switch {
		case err != nil:
			return still(p, err)
		case !open:
			return still(p, fmt.Errorf("%s has closed it", b.Name()))
		case now.Text == former:
			return nil
		case now.Text != p.content:
			return still(p, fmt.Errorf("it has been changed in %s meanwhile", b.Name()))
		}
		edits := textEdits(now.Text, []textfile.Edit{difference(now.Text, former)})
		_, err = t.change(ctx, p, now.Version, edits)
		return still(p, err)
	}
}

// difference is the one edit that leads from one text to another.
func difference(from, to string) textfile.Edit {
	start := 0
	for start < len(from) && start < len(to) && from[start] == to[start] {
		start++
	}
	for start > 0 && !between(from, start) {
		start--
	}
	end := 0
	for end < len(from)-start && end < len(to)-start && from[len(from)-1-end] == to[len(to)-1-end] {
		end++
	}
	for end > 0 && !between(from, len(from)-end) {
		end--
	}
	return textfile.Edit{Start: start, End: len(from) - end, New: to[start : len(to)-end]}
}

// between tells whether an offset is between two characters, CR LF being one.
func between(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return true
	}
	return s[at]&0xC0 != 0x80 && !(s[at-1] == '\r' && s[at] == '\n')
}
