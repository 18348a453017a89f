package editor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// transaction is a change of several files. It is computed and checked before it is written, and written completely or not at
// all.
type transaction struct {
	e      *Editor
	files  []*pendingFile
	byPath map[string]*pendingFile // by absolute path
	origin origin
}

// origin is the adapter that computed a change and the document that it received. The zero value means these tools.
type origin struct{ adapter, document string }

// pendingFile is a file that a transaction creates, changes, moves or removes.
type pendingFile struct {
	original    *document // nil for a new file
	projectFile           // after the change
	edits       []textfile.Edit
	// content is the new text, and raw the new bytes.
	content string
	raw     []byte
	moved   bool // the path changes
	removed bool // moved into the trash

	sha256 string // as document.sha256, after the change
	saved  bool   // written to the disk; false for a buffer with unsaved changes
	notes  []string
}

// maxFiles limits the files of one change.
const maxFiles = 500

func (e *Editor) newTransaction() *transaction {
	return &transaction{e: e, byPath: make(map[string]*pendingFile)}
}

func (t *transaction) add(p *pendingFile, names ...string) error {
	if len(t.files) == maxFiles {
		return invalid("change fewer files at once", "a change of more than %d files is not made", maxFiles)
	}
	t.files = append(t.files, p)
	for _, name := range append(names, p.abs, p.unresolved) {
		t.byPath[name] = p
	}
	return nil
}

// load returns a file of the transaction. The file is opened for writing on first use.
func (t *transaction) load(ctx context.Context, path string) (*pendingFile, error) {
	if p, ok := t.byPath[filepath.Clean(path)]; ok {
		return p, p.checkExists(path)
	}
	d, err := t.e.openForWrite(ctx, path)
	if err != nil {
		return nil, err
	}
	if p, ok := t.byPath[d.abs]; ok { // by another name
		return p, p.checkExists(path)
	}
	p := &pendingFile{original: d, projectFile: d.projectFile, content: d.text.Content, sha256: d.sha256, notes: d.notes}
	return p, t.add(p)
}

// checkExists refuses a path that the transaction has moved or removed.
func (p *pendingFile) checkExists(path string) error {
	if path = filepath.Clean(path); p.removed || p.moved && path != p.abs && path != p.unresolved {
		return invalid("make the changes one after another", "%s is changed after the same change has removed it", quote(path))
	}
	return nil
}

// edit applies edits to the text so far. The edits are sorted and do not overlap.
func (p *pendingFile) edit(edits []textfile.Edit, most int64) error {
	if len(edits) == 0 {
		return nil
	}
	content := textfile.Splice(p.content, edits)
	switch {
	case p.original == nil:
		edits = nil
	case p.edits != nil: // after another edit
		edits = []textfile.Edit{singleEdit(p.original.text.Content, content)}
	}
	var err error
	if p.raw, err = p.encode(content, edits); err != nil {
		return fmt.Errorf("changing %s: %w", quote(p.path), err)
	}
	if int64(len(p.raw)) > most {
		return &security.Error{Code: security.FileTooLarge, AttemptedPath: p.path, Message: fmt.Sprintf("%s would have %d bytes; at most %d can be edited.", quote(p.path), len(p.raw), most),
			Next: "Insert less text, or put a part of it into another file."}
	}
	p.edits, p.content = edits, content
	return nil
}

func (p *pendingFile) encode(content string, edits []textfile.Edit) ([]byte, error) {
	if p.original == nil {
		return textfile.Encode(content, textfile.UTF8, false)
	}
	return p.original.text.Apply(edits...)
}

// changed reports whether the content differs from the original.
func (p *pendingFile) changed() bool {
	return p.original == nil || p.content != p.original.text.Content
}

// diff returns the unified diff of the file.
func (p *pendingFile) diff(budget int) string {
	o := textdiff.Options{MaxBytes: max(budget, 1), MaxLine: maxDiffLine}
	switch {
	case p.original == nil:
		return textdiff.Unified("/dev/null", p.path, "", p.content, o)
	case p.removed:
		return textdiff.Unified(p.original.path, "/dev/null", p.original.text.Content, "", o)
	}
	edits := make([]textdiff.Edit, len(p.edits))
	for i, edit := range p.edits {
		edits[i] = textdiff.Edit(edit)
	}
	diff := textdiff.Edits(p.original.path, p.path, p.original.text.Content, edits, o)
	if p.moved && diff == "" {
		diff = "--- " + p.original.path + "\n+++ " + p.path + "\n"
	}
	return diff
}

// editor returns the name of the editor that has the file, or "".
func (p *pendingFile) editor() string {
	if p.original == nil {
		return ""
	}
	return p.original.editor()
}

const (
	maxDiff     = 8 << 10 // bytes of a diff in an answer
	maxDiffLine = 1000    // bytes of a line of it
)

// diff returns the diffs of all files, up to budget bytes.
func (t *transaction) diff(budget int) (diff string, cut bool) {
	var b strings.Builder
	for i, p := range t.files {
		if b.Len() >= budget {
			fmt.Fprintf(&b, "[%s not shown]\n", plural.Count(len(t.files)-i, "more file"))
			return b.String(), true
		}
		b.WriteString(p.diff(budget - b.Len()))
	}
	return b.String(), false
}

// notes returns the notes of all files without duplicates.
func (t *transaction) notes() []string {
	var all []string
	seen := make(map[string]bool)
	for _, p := range t.files {
		for _, note := range p.notes {
			if !seen[note] {
				seen[note] = true
				all = append(all, note)
			}
		}
	}
	return all
}

// commit writes the complete change or nothing.
func (t *transaction) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &security.Error{Code: security.CodeOf(err), Message: "The call has ended before anything was changed.", Err: err}
	}
	err := t.e.root.Batch(ctx, operation(ctx), t.steps()...)
	t.notifyAdapters()
	return err
}

// operation returns the name of the called tool, for the journal.
func operation(ctx context.Context) string {
	if call := mcp.CallFrom(ctx); call != nil {
		return call.Tool
	}
	return "change"
}

// steps returns the steps of the change. Moves and deletions come last, so that paths stay valid until then.
func (t *transaction) steps() []security.Step {
	var steps []security.Step
	for _, p := range t.files {
		switch b := p.buffer(); {
		case p.removed || !p.changed():
			p.saved = b == nil || !b.dirty
		case p.original == nil:
			p.sha256, p.saved = digest(p.raw), true
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: p.path, Content: p.raw})
		case b == nil:
			p.sha256, p.saved = digest(p.raw), true
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: p.original.path, Content: p.raw, ExpectedSHA256: p.original.disk})
		default:
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: p.original.path, Content: p.raw, ExpectedSHA256: p.original.disk, Unsaved: b.dirty,
				Act: func(ctx context.Context) (func(context.Context) error, error) { return t.writeBuffer(ctx, p) }})
		}
	}
	for _, p := range t.files {
		switch {
		case p.removed:
			steps = append(steps, security.Step{Kind: security.TrashStep, Path: p.original.path, ExpectedSHA256: p.original.disk})
		case p.moved:
			steps = append(steps, security.Step{Kind: security.MoveStep, Path: p.original.path, To: p.path})
		}
	}
	return steps
}

// writeFile writes a file on the disk after its editor has closed it.
func (t *transaction) writeFile(ctx context.Context, p *pendingFile) (func(context.Context) error, error) {
	old := p.original.text.Bytes()
	done, err := t.e.overwrite(ctx, p.original.path, p.raw, p.original.disk)
	if err != nil {
		return nil, err
	}
	p.sha256, p.saved = done.SHA256, true
	return func(ctx context.Context) error {
		_, err := t.e.overwrite(ctx, p.original.path, old, done.SHA256)
		return wrapUndoError(p, err)
	}, nil
}

// overwrite replaces a file with a known digest.
func (e *Editor) overwrite(ctx context.Context, path string, content []byte, sha256 string) (security.WriteResult, error) {
	return e.root.Update(ctx, path, security.UpdateOptions{MaxSize: e.limits.MaxFile, ExpectedSHA256: sha256}, func([]byte, security.FileInfo) ([]byte, error) {
		return content, nil
	})
}

// wrapUndoError adds the path to an error of an undo.
func wrapUndoError(p *pendingFile, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p.path, err)
}

// isStaleFile reports whether a change failed because the file changed after the edits were computed.
func isStaleFile(err error) bool {
	known, ok := securityError(err)
	return ok && known.Code == security.StaleFile
}
