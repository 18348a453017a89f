package security

import (
	"context"
	"errors"
	"io/fs"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
)

// entryState is the present entry at a path that a journal names.
type entryState struct {
	target
	place *rootfs.Place // closed by the caller
	sum   string        // SHA-256 of a regular file; the kind of another entry; "" if nothing exists
}

// inspect returns the present entry at a path.
func (r *Root) inspect(ctx context.Context, root, final string) (entryState, error) {
	t, err := r.targetOf(root, final)
	if err != nil {
		return entryState{}, err
	}
	place, err := t.tree.Place(t.rel, false)
	if err != nil {
		return entryState{}, r.explain(t, err)
	}
	s := entryState{target: t, place: place}
	switch {
	case place.Path != final:
		err = r.explain(t, rootfs.ErrChanged) // a link now leads elsewhere
	case place.Info == nil:
	case place.Info.Mode().IsRegular():
		s.sum, err = digestOf(ctx, place)
	default:
		s.sum = kindOf(place.Info.Mode()).String()
	}
	if err != nil {
		place.Close()
		return entryState{}, r.explain(t, err)
	}
	return s, nil
}

// undoStep undoes step i if it was made. remains describes a file that could not be restored and never will be. An
// error is temporary.
func (r *Root) undoStep(ctx context.Context, j *journal.Journal, i int) (remains string, err error) {
	s := &j.Record.Steps[i]
	switch {
	case s.Unsaved:
		return s.Path + ": it was open in an editor with changes that are not saved, and may hold a part of the change there", nil
	case s.Kind == journal.Write:
		err = r.undoWrite(ctx, j, i)
	case s.Kind == journal.Create:
		err = r.undoCreate(ctx, s)
	default:
		err = r.undoMove(ctx, s)
	}
	switch {
	case errors.Is(err, journal.ErrDamaged):
		return s.Path + ": it holds the change, since its former content is damaged in the journal. Compare it with version control.", nil
	case err == nil || !isFinal(err):
		return "", err
	}
	remains = s.Path + ": " + err.Error()
	if s.Kind == journal.Write {
		switch kept, failed := r.backUpFormerContent(ctx, j, i); {
		case errors.Is(failed, journal.ErrDamaged):
			remains += " Its content before the change is damaged in the journal."
		case failed != nil:
			return "", failed
		default:
			remains += " What it held before the change is in " + quote(kept) + "."
		}
	}
	return remains, nil
}

func (r *Root) undoWrite(ctx context.Context, j *journal.Journal, i int) error {
	s := &j.Record.Steps[i]
	now, err := r.inspect(ctx, s.Root, s.Path)
	if err != nil {
		return err
	}
	defer now.place.Close()
	switch now.sum {
	case s.Old:
		return nil
	case s.New:
		content, err := j.Content(i)
		if err != nil {
			return err
		}
		_, err = r.Write(ctx, now.given, content, WriteOptions{Overwrite: true, ExpectedSHA256: s.New})
		return err
	case "":
		return problem(FileNotFound, now.given, fs.ErrNotExist, "It has been removed meanwhile.")
	}
	return changedMeanwhile(now.given)
}

// changedMeanwhile returns the error for a file that another program has changed after the step.
func changedMeanwhile(given string) error {
	return problem(StaleFile, given, nil, "Another program has changed it meanwhile; it was not restored.")
}

func (r *Root) undoCreate(ctx context.Context, s *journal.Step) error {
	now, err := r.inspect(ctx, s.Root, s.Path)
	if err != nil {
		return err
	}
	defer now.place.Close()
	switch now.sum {
	case "":
	case s.New:
		if _, err := r.Trash(ctx, now.given, TrashOptions{ExpectedSHA256: s.New}); err != nil {
			return err
		}
	default:
		return changedMeanwhile(now.given)
	}
	now.place.Close() // Windows keeps the name of a directory that is open
	r.removeDirs(s)
	return nil
}

// removeDirs removes the directories that a CreateStep has made, from the innermost, until one is not empty.
func (r *Root) removeDirs(s *journal.Step) {
	t, err := r.targetOf(s.Root, s.Path)
	if err != nil {
		return
	}
	for i := len(s.Dirs) - 1; i >= 0; i-- {
		if !r.removeEmpty(t.tree, s.Dirs[i]) {
			return
		}
	}
}

// removeEmpty removes an empty directory and reports whether it is gone.
func (r *Root) removeEmpty(t *tree, dir string) bool {
	place, err := t.Place(dir, false)
	if err != nil {
		return false
	}
	defer place.Close()
	if len(place.Missing) > 0 || place.Info == nil {
		return true
	}
	return place.Path == dir && place.Info.IsDir() && place.Remove(r.durability) == nil
}

// undoMove moves a file back that was moved or deleted.
func (r *Root) undoMove(ctx context.Context, s *journal.Step) error {
	from, err := r.inspect(ctx, s.Root, s.Path)
	if err != nil {
		return err
	}
	defer from.place.Close()
	to, err := r.inspect(ctx, s.ToRoot, s.To)
	if err != nil {
		return err
	}
	defer to.place.Close()
	switch {
	case from.sum == "" && to.sum == "":
		return problem(FileNotFound, from.given, fs.ErrNotExist, "It is not at its old path, nor at %s.", quote(to.given))
	case to.sum == "":
		return nil
	case from.sum == "" && to.sum == s.Old:
		_, err = r.Move(ctx, to.given, from.given, MoveOptions{})
		return err
	case from.sum == "":
		return problem(StaleFile, from.given, nil, "It is at %s, where another program has changed it meanwhile.", quote(to.given))
	}
	same, err := from.place.SameEntry(to.place)
	if err != nil {
		return r.explain(from.target, err)
	}
	if same { // only the spelling of the name differs
		if _, err = r.Move(ctx, to.given, from.given, MoveOptions{}); err != nil && isFinal(err) {
			return problem(AlreadyExists, from.given, err, "It keeps the name %s, because it cannot be renamed.", quote(to.given))
		}
		return err
	}
	switch {
	case from.sum == s.Old && to.sum == s.Old && s.Kind == journal.Move:
		// Between file systems a file is copied before the original goes.
		_, err = r.Trash(ctx, to.given, TrashOptions{})
		return err
	case from.sum == s.Old:
		return nil
	}
	return problem(AlreadyExists, from.given, fs.ErrExist, "Another program has made it anew; the former file is at %s.", quote(to.given))
}

// backUpFormerContent writes the former content of step i to BackupDir and returns its path there.
func (r *Root) backUpFormerContent(ctx context.Context, j *journal.Journal, i int) (string, error) {
	s := &j.Record.Steps[i]
	content, err := j.Content(i)
	if err != nil {
		return "", err
	}
	t, err := r.targetOf(s.Root, s.Path)
	if t.tree == nil {
		return "", err
	}
	final, err := r.writeBackup(ctx, t, s.Path, s.Old, rootfs.Replacement{Perm: 0o600}, rootfs.Content(content))
	if err != nil {
		return "", err
	}
	return t.tree.location(final).Path, nil
}

// isMade reports whether the last step is visible in its file, which means that all steps were made.
func (r *Root) isMade(ctx context.Context, record *journal.Record) bool {
	last := record.Steps[len(record.Steps)-1]
	if last.Unsaved || last.Kind == journal.Write && last.Old == last.New {
		return false
	}
	final, want := []string{last.Root, last.Path}, last.New
	if last.Kind == journal.Move || last.Kind == journal.Trash {
		final, want = []string{last.ToRoot, last.To}, last.Old
		from, err := r.inspect(ctx, last.Root, last.Path)
		if err != nil {
			return false
		}
		from.place.Close()
		if from.sum != "" {
			return false
		}
	}
	now, err := r.inspect(ctx, final[0], final[1])
	if err != nil {
		return false
	}
	now.place.Close()
	return now.sum == want
}
