package clientconfig

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// PlanUndo computes the reverse of the newest change that the program made to a file: of the entry
// with a name, or of any entry if name is empty. A second undo reverses the change before.
func (in *Installer) PlanUndo(at Location, name string) (*Change, error) {
	t, err := resolveFile(at.File)
	if err != nil {
		return nil, err
	}
	records, err := journal{in.StateDir}.records(in.Program, t.real)
	if err != nil {
		return nil, err
	}
	ch := &Change{Location: at, Name: name, Real: t.real, in: in, target: t}
	for i, r := range records {
		if r.Client != at.Client.Name || name != "" && r.Name != name {
			continue
		}
		if t.exists == r.Existed && digest(t.content) == digest(r.Before) && digest(t.content) != r.After {
			ch.stale = append(ch.stale, r.path) // undone by hand, or never made
			continue
		}
		ch.Name, ch.undone = r.Name, &records[i]
		return ch, ch.undo(r)
	}
	return nil, fmt.Errorf("%s: there is no change by %s to undo", at.File, in.Program)
}

// undo computes the change that undoes a record.
func (ch *Change) undo(r record) error {
	t := &ch.target
	switch {
	case !t.exists:
		ch.Notes = append(ch.Notes, "The file no longer exists; there is nothing to undo.")
		return nil
	case digest(t.content) == r.After && !r.Existed:
		ch.Action = Delete
		return nil
	case digest(t.content) == r.After:
		ch.Action, ch.after = Restore, r.Before
		return nil
	}
	after, err := ch.Client.syntax.withdrawn(t.content, ch.Client, r.Name, r.Server, r.Before)
	if err != nil {
		return inFile(ch.File, err)
	}
	if after == nil {
		ch.Notes = append(ch.Notes, fmt.Sprintf("The file has been changed since, and its entry %q is for another server; it stays unchanged.", r.Name))
		return nil
	}
	ch.Action, ch.after = Withdraw, after
	ch.Notes = append(ch.Notes, fmt.Sprintf("The file has been changed since; only the entry %q is undone, everything else stays.", r.Name))
	return nil
}

// forget removes the records of the undone change and of stale ones.
func (ch *Change) forget() error {
	paths := ch.stale
	if ch.undone != nil {
		paths = append(paths, ch.undone.path)
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forgetting a change that is undone: %w", err)
		}
	}
	return nil
}
