package editor

import (
	"context"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// maxEdits bounds what an adapter may want to change at once.
const maxEdits = 20_000

// plan works out what an adapter wants to change. Whatever it answers, nothing is planned that the Root would refuse.
func (t *transaction) plan(ctx context.Context, edits []adapter.FileEdit) error {
	n := 0
	for _, edit := range edits {
		if n += 1 + len(edit.Edits); n > maxEdits {
			return invalid("do it in parts", "more than %d edits at once are not made", maxEdits)
		}
		if err := absolute(edit.Path); err != nil {
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
			err = fmt.Errorf("an editor has answered a change of an unknown kind, %d", edit.Op)
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
	if err := t.current(p, edit); err != nil {
		return err
	}
	splices, err := p.now().splices(edit.Edits)
	if err != nil {
		return fmt.Errorf("the edits of %s do not fit: %w", quote(p.path), err)
	}
	return p.edit(splices, t.e.limits.MaxFile)
}

// current refuses edits that were made for another content than the file has: those of an editor that has not noticed what is on
// the disk, and those of others for a file with changes that they cannot know.
func (t *transaction) current(p *pending, edit adapter.FileEdit) error {
	b := p.buffer()
	switch {
	case b != nil && edit.Version != 0 && edit.Version != b.version:
		return &security.Error{Code: security.StaleFile, AttemptedPath: p.path, Message: quote(p.path) + " has changed in " + b.Name() + " meanwhile.", Next: "Call again."}
	case b != nil && b.dirty && t.by.adapter != "" && t.by.adapter != b.Name() && t.by.given != p.was.abs:
		return &security.Error{Code: security.FileBusy, AttemptedPath: p.path,
			Message: quote(p.path) + " has changes in " + b.Name() + " that are not saved, and that " + t.by.adapter + " does not know.", Next: "Ask the user to save it, and call again."}
	case p.was != nil && slices.Contains(p.was.passed, t.by.adapter) && t.by.given != p.was.abs:
		return &security.Error{Code: security.StaleFile, AttemptedPath: p.path,
			Message: t.by.adapter + " has another content of " + quote(p.path) + " than the disk.", Next: "Ask the user to reload it in " + t.by.adapter + ", and call again."}
	}
	return nil
}

// buffer is where an editor has the file, or nil.
func (p *pending) buffer() *buffer {
	if p.was == nil {
		return nil
	}
	return p.was.buffer
}

// now is the document as it is in the transaction so far.
func (p *pending) now() *document {
	if p.was != nil && p.edits == nil {
		return p.was
	}
	text, err := textfile.Decode([]byte(p.content), textfile.UTF8)
	if err != nil {
		text = new(textfile.Text)
	}
	return &document{place: p.place, text: text}
}

func (t *transaction) planCreate(ctx context.Context, edit adapter.FileEdit) error {
	if _, known := t.at[edit.Path]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.Path))
	}
	p := &pending{}
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
	p.place = t.e.placeOf(done.Location)
	return t.add(p, edit.Path)
}

func (t *transaction) planMove(ctx context.Context, edit adapter.FileEdit) error {
	if err := absolute(edit.NewPath); err != nil {
		return err
	}
	p, err := t.loadWhole(ctx, edit.Path)
	if err != nil {
		return err
	}
	if _, known := t.at[edit.NewPath]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.NewPath))
	}
	done, err := t.e.root.Move(ctx, p.was.path, edit.NewPath, security.MoveOptions{DryRun: true})
	if err != nil {
		return err
	}
	to := t.e.placeOf(done.To)
	if _, known := t.at[to.abs]; known {
		return invalid("make the changes one after another", "%s is made after the same change has used it", quote(edit.NewPath))
	}
	p.place, p.moved = to, true
	t.at[edit.NewPath], t.at[to.abs], t.at[to.nominal] = p, p, p
	return nil
}

func (t *transaction) planRemove(ctx context.Context, edit adapter.FileEdit) error {
	p, err := t.loadWhole(ctx, edit.Path)
	if err != nil {
		return err
	}
	if p.moved || p.changed() {
		return invalid("make the changes one after another", "%s is removed after the same change has changed it", quote(edit.Path))
	}
	if _, err := t.e.root.Trash(ctx, p.was.path, security.TrashOptions{DryRun: true, ExpectedSHA256: p.was.disk}); err != nil {
		return err
	}
	p.removed = true
	return nil
}

// loadWhole is load for a file that is moved or removed, which it can only be with all that is in it.
func (t *transaction) loadWhole(ctx context.Context, path string) (*pending, error) {
	p, err := t.load(ctx, path)
	switch {
	case err != nil:
		return nil, err
	case p.was == nil || p.moved:
		return nil, invalid("make the changes one after another", "%s is moved after the same change has made it", quote(path))
	case p.was.buffer != nil && p.was.buffer.dirty:
		return nil, &security.Error{Code: security.FileBusy, AttemptedPath: p.path, Message: quote(p.path) + " has changes in " + p.editor() + " that are not saved.", Next: "Ask the user to save it, and call again."}
	}
	return p, nil
}
