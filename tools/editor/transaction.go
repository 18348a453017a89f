package editor

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textdiff"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// transaction is a change of some files: worked out and checked as a whole, and then made as a whole.
type transaction struct {
	e     *Editor
	files []*pending
	at    map[string]*pending // by absolute names
	by    origin
}

// origin is who has worked a change out, and for which document. The zero value is nobody but these tools.
type origin struct{ adapter, given string }

// pending is a file on its way to another content, another place, or its end.
type pending struct {
	was   *document // nil for a file that is made
	place           // where it is in the end
	edits []textfile.Edit
	// content is what the edits make of the text, and raw what they make of the bytes.
	content string
	raw     []byte
	moved   bool
	removed bool

	sha256 string // of what is there now, as document.sha256
	saved  bool
	notes  []string
}

// maxFiles bounds the files of one change.
const maxFiles = 500

func (e *Editor) begin() *transaction { return &transaction{e: e, at: make(map[string]*pending)} }

func (t *transaction) add(p *pending, names ...string) error {
	if len(t.files) == maxFiles {
		return invalid("change fewer files at once", "a change of more than %d files is not made", maxFiles)
	}
	t.files = append(t.files, p)
	for _, name := range append(names, p.abs, p.nominal) {
		t.at[name] = p
	}
	return nil
}

// load is a file that is going to be changed, as it is in the transaction so far. The path is one for the Root.
func (t *transaction) load(ctx context.Context, path string) (*pending, error) {
	if p, ok := t.at[filepath.Clean(path)]; ok {
		return p, p.there(path)
	}
	d, err := t.e.write(ctx, path)
	if err != nil {
		return nil, err
	}
	if p, ok := t.at[d.abs]; ok { // by another name
		return p, p.there(path)
	}
	p := &pending{was: d, place: d.place, content: d.text.Content, sha256: d.sha256, notes: d.notes}
	return p, t.add(p)
}

// there refuses a name that the file has no more.
func (p *pending) there(path string) error {
	if path = filepath.Clean(path); p.removed || p.moved && path != p.abs && path != p.nominal {
		return invalid("make the changes one after another", "%s is changed after the same change has removed it", quote(path))
	}
	return nil
}

// edit changes the text that a file has so far. The edits are in order and apart.
func (p *pending) edit(edits []textfile.Edit, most int64) error {
	if len(edits) == 0 {
		return nil
	}
	content := textfile.Splice(p.content, edits)
	switch {
	case p.was == nil:
		edits = nil
	case p.edits != nil: // after another edit
		edits = []textfile.Edit{difference(p.was.text.Content, content)}
	}
	var err error
	if p.raw, err = p.bytes(content, edits); err != nil {
		return fmt.Errorf("changing %s: %w", quote(p.path), err)
	}
	if int64(len(p.raw)) > most {
		return &security.Error{Code: security.FileTooLarge, AttemptedPath: p.path, Message: fmt.Sprintf("%s would have %d bytes; at most %d can be edited.", quote(p.path), len(p.raw), most)}
	}
	p.edits, p.content = edits, content
	return nil
}

func (p *pending) bytes(content string, edits []textfile.Edit) ([]byte, error) {
	if p.was == nil {
		return textfile.Encode(content, textfile.UTF8, false)
	}
	return p.was.text.Apply(edits...)
}

// changed tells whether the file is to have another content.
func (p *pending) changed() bool { return p.was == nil || p.content != p.was.text.Content }

// diff shows what becomes of the file.
func (p *pending) diff(budget int) string {
	o := textdiff.Options{MaxBytes: max(budget, 1), MaxLine: maxDiffLine}
	switch {
	case p.was == nil:
		return textdiff.Unified("/dev/null", p.path, "", p.content, o)
	case p.removed:
		return textdiff.Unified(p.was.path, "/dev/null", p.was.text.Content, "", o)
	}
	edits := make([]textdiff.Edit, len(p.edits))
	for i, edit := range p.edits {
		edits[i] = textdiff.Edit(edit)
	}
	diff := textdiff.Edits(p.was.path, p.path, p.was.text.Content, edits, o)
	if p.moved && diff == "" {
		diff = "--- " + p.was.path + "\n+++ " + p.path + "\n"
	}
	return diff
}

// editor is the name of the editor that has the file, or "".
func (p *pending) editor() string {
	if p.was == nil {
		return ""
	}
	return p.was.editor()
}

const (
	mostDiff    = 8 << 10 // bytes of the diff of an answer: it is there to be looked over
	maxDiffLine = 1000    // bytes of a line of it
)

// diff shows what becomes of all files.
func (t *transaction) diff(budget int) (diff string, cut bool) {
	var b strings.Builder
	for i, p := range t.files {
		if b.Len() >= budget {
			fmt.Fprintf(&b, "[%s not shown]\n", count(len(t.files)-i, "more file"))
			return b.String(), true
		}
		b.WriteString(p.diff(budget - b.Len()))
	}
	return b.String(), false
}

// notes are what is to be said about the files, each once.
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

// commit makes the change: all of it, or nothing.
func (t *transaction) commit(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &security.Error{Code: security.CodeOf(err), Message: "The call has ended before anything was changed.", Err: err}
	}
	err := t.e.root.Batch(ctx, operation(ctx), t.steps()...)
	t.tell()
	return err
}

// operation is the tool that is called.
func operation(ctx context.Context) string {
	if call := mcp.CallFrom(ctx); call != nil {
		return call.Tool
	}
	return "change"
}

// steps are the steps of the change. Moves and deletions come last: until then every file is where it was.
func (t *transaction) steps() []security.Step {
	var steps []security.Step
	for _, p := range t.files {
		switch b := p.buffer(); {
		case p.removed || !p.changed():
			p.saved = b == nil || !b.dirty
		case p.was == nil:
			p.sha256, p.saved = digest(p.raw), true
			steps = append(steps, security.Step{Kind: security.CreateStep, Path: p.path, Content: p.raw})
		case b == nil:
			p.sha256, p.saved = digest(p.raw), true
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: p.was.path, Content: p.raw, ExpectedSHA256: p.was.disk})
		default:
			steps = append(steps, security.Step{Kind: security.WriteStep, Path: p.was.path, Content: p.raw, ExpectedSHA256: p.was.disk, Unsaved: b.dirty,
				Act: func(ctx context.Context) (func(context.Context) error, error) { return t.writeBuffer(ctx, p) }})
		}
	}
	for _, p := range t.files {
		switch {
		case p.removed:
			steps = append(steps, security.Step{Kind: security.TrashStep, Path: p.was.path, ExpectedSHA256: p.was.disk})
		case p.moved:
			steps = append(steps, security.Step{Kind: security.MoveStep, Path: p.was.path, To: p.path})
		}
	}
	return steps
}

// writeFile changes on the disk a file that no editor has open any more.
func (t *transaction) writeFile(ctx context.Context, p *pending) (func(context.Context) error, error) {
	old := p.was.text.Bytes()
	done, err := t.e.overwrite(ctx, p.was.path, p.raw, p.was.disk)
	if err != nil {
		return nil, err
	}
	p.sha256, p.saved = done.SHA256, true
	return func(ctx context.Context) error {
		_, err := t.e.overwrite(ctx, p.was.path, old, done.SHA256)
		return still(p, err)
	}, nil
}

// overwrite replaces a file that has a digest.
func (e *Editor) overwrite(ctx context.Context, path string, content []byte, sha256 string) (security.WriteResult, error) {
	return e.root.Update(ctx, path, security.UpdateOptions{MaxSize: e.limits.MaxFile, ExpectedSHA256: sha256}, func([]byte, security.FileInfo) ([]byte, error) {
		return content, nil
	})
}

// still names the file in the error of taking its change back.
func still(p *pending, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", p.path, err)
}

// errStale tells whether a change can be worked out anew because the file is not any more what it was worked out for.
func errStale(err error) bool {
	known, ok := asSecurity(err)
	return ok && known.Code == security.StaleFile
}
