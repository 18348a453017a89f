package editor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// document is the current text of a file: in the editor that has it open, otherwise on the disk.
type document struct {
	projectFile
	text             *textfile.Text
	sha256           string // of the bytes on the disk, or of the text of a dirty buffer
	disk             string // digest of the bytes on the disk
	language         string
	buffer           *buffer  // nil for a document on the disk
	differingEditors []string // editors with an unmodified buffer that differs from the disk
	notes            []string
}

// adapterDocument converts the document for adapters.
func (d *document) adapterDocument() adapter.Document {
	doc := adapter.Document{Path: d.abs, Text: d.text.Content, Language: d.language}
	if d.buffer != nil {
		doc.Version, doc.Dirty = d.buffer.version, d.buffer.dirty
	}
	return doc
}

// editor returns the name of the editor that has the document, or "".
func (d *document) editor() string {
	if d.buffer == nil {
		return ""
	}
	return d.buffer.Name()
}

// openDocument opens a document for reading. If an editor did not answer, a note says so.
func (e *Editor) openDocument(ctx context.Context, path string) (*document, error) {
	raw, info, err := e.root.ReadFile(security.OnDisk(ctx), path, e.limits.MaxFile)
	if err != nil {
		return nil, err
	}
	return e.document(ctx, e.fileAt(info.Location), raw, false)
}

// openForWrite opens a document that will be changed. It refuses files that the rules protect, and files whose unsaved text cannot
// be read.
func (e *Editor) openForWrite(ctx context.Context, path string) (*document, error) {
	var raw []byte
	done, err := e.root.Update(security.OnDisk(ctx), path, security.UpdateOptions{MaxSize: e.limits.MaxFile, DryRun: true}, func(old []byte, _ security.FileInfo) ([]byte, error) {
		raw = old
		return old, nil
	})
	if err != nil {
		return nil, err
	}
	return e.document(ctx, e.fileAt(done.Location), raw, true)
}

// document returns the buffer of an editor that has the file open, or the file with its bytes. Unsaved text comes first.
func (e *Editor) document(ctx context.Context, p projectFile, raw []byte, write bool) (*document, error) {
	d := &document{projectFile: p, disk: digest(raw)}
	var cannot error
	d.text, cannot = textfile.Decode(raw, textfile.Auto)
	d.sha256 = d.disk
	found, err := e.buffers.find(ctx, p)
	switch {
	case ctx.Err() != nil:
		return nil, failed(string(security.InternalError), "asking for "+quote(p.path), ctx.Err())
	case err != nil && write:
		return nil, security.UnknownTextError(p.path, err)
	case err != nil:
		d.notes = append(d.notes, truncateText(err.Error())+"; this may lack unsaved text")
	}
	if err := conflict(p.path, found, write); err != nil && write {
		return nil, err
	} else if err != nil {
		d.notes = append(d.notes, truncateText(punctuation.Clause(err.Error()))+"; this is about the text in "+found[0].Name())
	}
	for _, one := range found {
		ok := d.useBuffer(one, cannot == nil, e.limits.MaxFile)
		switch {
		case ok:
			return d, nil
		case one.dirty && write:
			return nil, &security.Error{Code: security.FileBusy, AttemptedPath: p.path, Next: "Ask the user to save or discard it, and call again.",
				Message: "What " + one.Name() + " has open and not saved as " + quote(p.path) + " is no text that can be edited."}
		}
		d.differingEditors = append(d.differingEditors, one.Name())
	}
	if cannot != nil {
		return nil, notText(p.path, cannot)
	}
	return d, nil
}

// bufferDocument queries an editor for an open document.
func bufferDocument(ctx context.Context, e *Editor, a adapter.Adapter, b adapter.Buffers, path string) (doc adapter.Document, open bool, err error) {
	doc, err = callAdapter(ctx, a, e.options.ToolTimeout, func(ctx context.Context) (doc adapter.Document, err error) {
		doc, open, err = b.Document(ctx, path)
		return doc, err
	})
	return doc, open && err == nil, err
}

// useBuffer takes over the buffer of an editor and reports success. It refuses an unmodified buffer that differs from the disk,
// and a buffer that is not text.
func (d *document) useBuffer(one openBuffer, decoded bool, most int64) bool {
	if !one.dirty {
		if !decoded || one.doc.Text != d.text.Content {
			return false
		}
	} else {
		text, err := textfile.Decode([]byte(one.doc.Text), textfile.UTF8)
		if err != nil || text.BOM || int64(len(one.doc.Text)) > most {
			d.notes = append(d.notes, "what "+one.Name()+" has open is no text that can be edited; this is about the file on the disk")
			return false
		}
		d.text, d.sha256 = text, digest([]byte(one.doc.Text))
	}
	d.language = one.doc.Language
	d.buffer = &one.buffer
	return true
}

// checkDigest refuses a document with another digest than the caller expects. "" accepts all.
func (d *document) checkDigest(sha256 string) error {
	if same, err := security.CheckSHA256(d.sha256, sha256); same || err != nil {
		return err
	}
	err := stale(d.path, d.sha256, sha256)
	if known, ok := errors.AsType[*security.Error](err); ok && d.buffer != nil && d.buffer.dirty {
		known.Message += " It has changes in " + d.editor() + " that are not saved; this is the digest of its text there."
	}
	return err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// byteEdits converts edits of an adapter to byte offsets, with the line ends of the document.
func (d *document) byteEdits(edits []adapter.TextEdit) ([]textfile.Edit, error) {
	all, err := adapter.NewText(d.text.Content).Splices(edits)
	if err != nil {
		return nil, err
	}
	out := make([]textfile.Edit, 0, len(all))
	for _, s := range all {
		text := strings.ToValidUTF8(s.New, "\uFFFD")
		if n := len(out); n > 0 && out[n-1].End == s.Start && out[n-1].Start == s.Start && s.End == s.Start {
			out[n-1].New += d.text.Fit(s.Start, s.End, text, textfile.Keep) // insertions at one offset, in their order
			continue
		}
		out = append(out, textfile.Edit{Start: s.Start, End: s.End, New: d.text.Fit(s.Start, s.End, text, textfile.Keep)})
	}
	return out, nil
}

// textEdits converts edits in bytes to edits for an editor.
func textEdits(content string, edits []textfile.Edit) []adapter.TextEdit {
	text := adapter.NewText(content)
	out := make([]adapter.TextEdit, len(edits))
	for i, s := range edits {
		out[i] = adapter.TextEdit{Range: adapter.Range{Start: text.Position(s.Start), End: text.Position(s.End)}, NewText: s.New}
	}
	return out
}
