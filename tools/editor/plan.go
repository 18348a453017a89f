package editor

import (
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// maxEdits limits the edits of one change of an adapter.
const maxEdits = 20_000

// plan adds the edits of an adapter to the transaction. Each path is checked by the rules of the Root.
func (t *transaction) plan(ctx context.Context, edits []adapter.FileEdit) error {
	n := 0
	for _, edit := range edits {
		if n += 1 + len(edit.Edits); n > maxEdits {
			return invalid("do it in parts", "more than %d edits at once are not made", maxEdits)
		}
		if err := checkAbsolute(edit.Path); err != nil {
			return err
		}
		var err error
		switch edit.Op {
		case adapter.ChangeFile:
			err = t.planChange(ctx, edit)
		case adapter.CreateFile:
			err = t.planCreate(ctx, edit)
		case adapter.RenameFile:
			err = t.planMove(ctx, edit)
		case adapter.DeleteFile:
			err = t.planRemove(ctx, edit)
		default:
			err = fmt.Errorf("an editor returned a change of an unknown kind, %d", edit.Op)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) planChange(ctx context.Context, edit adapter.FileEdit) error {
	p, err := t.load(ctx, edit.Path)
	if err != nil {
		return err
	}
	if err := t.checkCurrent(p, edit); err != nil {
		return err
	}
	splices, err := p.currentDocument().byteEdits(edit.Edits)
	if err != nil {
		return fmt.Errorf("the edits of %s do not fit: %w", quote(p.path), err)
	}
	return p.edit(splices, t.e.limits.MaxFile)
}

// checkCurrent refuses edits for an outdated content: those of an editor that has not read the file on the disk yet, and those
// of another adapter for a file with unsaved text.
func (t *transaction) checkCurrent(p *pendingFile, edit adapter.FileEdit) error {
	b := p.buffer()
	switch {
	case b != nil && edit.Version != 0 && edit.Version != b.version:
		return &security.Error{Code: security.StaleFile, AttemptedPath: p.path, Message: quote(p.path) + " has changed in " + b.Name() + " meanwhile.", Next: "Call again."}
	case b != nil && b.dirty && t.origin.adapter != "" && t.origin.adapter != b.Name() && t.origin.document != p.original.abs:
		return &security.Error{Code: security.FileBusy, AttemptedPath: p.path,
			Message: quote(p.path) + " has changes in " + b.Name() + " that are not saved, and that " + t.origin.adapter + " does not know.", Next: "Ask the user to save it, and call again."}
	case p.original != nil && slices.Contains(p.original.differingEditors, t.origin.adapter) && t.origin.document != p.original.abs:
		return &security.Error{Code: security.StaleFile, AttemptedPath: p.path,
			Message: t.origin.adapter + " has another content of " + quote(p.path) + " than the disk.", Next: "Ask the user to reload it in " + t.origin.adapter + ", and call again."}
	}
	return nil
}

// buffer returns the buffer of the file, or nil.
func (p *pendingFile) buffer() *buffer {
	if p.original == nil {
		return nil
	}
	return p.original.buffer
}

// currentDocument returns the document with the edits so far.
func (p *pendingFile) currentDocument() *document {
	if p.original != nil && p.edits == nil {
		return p.original
	}
	text, err := textfile.Decode([]byte(p.content), textfile.UTF8)
	if err != nil {
		text = new(textfile.Text)
	}
	return &document{projectFile: p.projectFile, text: text}
}

func (t *transaction) planCreate(ctx context.Context, edit adapter.FileEdit) error {
	if _, known := t.byPath[edit.Path]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.Path))
	}
	p := &pendingFile{}
	content, err := adapter.Apply("", edit.Edits)
	if err == nil {
		err = p.edit([]textfile.Edit{{New: content}}, t.e.limits.MaxFile)
	}
	if err != nil {
		return fmt.Errorf("the content of %s: %w", quote(edit.Path), err)
	}
	o := security.UpdateOptions{DryRun: true, Create: true, CreateDirs: true, MaxSize: t.e.limits.MaxFile}
	done, err := t.e.root.Update(ctx, edit.Path, o, func(_ []byte, info security.FileInfo) ([]byte, error) {
		if info.Kind != 0 {
			return nil, &security.Error{Code: security.AlreadyExists, AttemptedPath: edit.Path, Message: quote(edit.Path) + " exists already."}
		}
		return p.raw, nil
	})
	if err != nil {
		return err
	}
	p.projectFile = t.e.fileAt(done.Location)
	return t.add(p, edit.Path)
}

func (t *transaction) planMove(ctx context.Context, edit adapter.FileEdit) error {
	if err := checkAbsolute(edit.NewPath); err != nil {
		return err
	}
	p, err := t.loadUnmodified(ctx, edit.Path)
	if err != nil {
		return err
	}
	if _, known := t.byPath[edit.NewPath]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.NewPath))
	}
	done, err := t.e.root.Move(ctx, p.original.path, edit.NewPath, security.MoveOptions{DryRun: true})
	if err != nil {
		return err
	}
	to := t.e.fileAt(done.To)
	if _, known := t.byPath[to.abs]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.NewPath))
	}
	p.projectFile, p.moved = to, true
	t.byPath[edit.NewPath], t.byPath[to.abs], t.byPath[to.unresolved] = p, p, p
	return nil
}

func (t *transaction) planRemove(ctx context.Context, edit adapter.FileEdit) error {
	p, err := t.loadUnmodified(ctx, edit.Path)
	if err != nil {
		return err
	}
	if p.moved || p.changed() {
		return invalid("make the changes one after another", "%s is removed after the same change has changed it", quote(edit.Path))
	}
	if _, err := t.e.root.Trash(ctx, p.original.path, security.TrashOptions{DryRun: true, ExpectedSHA256: p.original.disk}); err != nil {
		return err
	}
	p.removed = true
	return nil
}

// loadUnmodified is load for a file that will be moved or removed. Files with unsaved text are refused.
func (t *transaction) loadUnmodified(ctx context.Context, path string) (*pendingFile, error) {
	p, err := t.load(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case p.original == nil || p.moved:
		return nil, invalid("make the changes one after another", "%s is moved after the same change has made it", quote(path))
	case p.original.buffer != nil && p.original.buffer.dirty:
		return nil, &security.Error{Code: security.FileBusy, AttemptedPath: p.path, Message: quote(p.path) + " has changes in " + p.editor() + " that are not saved.", Next: "Ask the user to save it, and call again."}
	}
	return p, nil
}
