package security

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	maxJournals  = 1000 // files that are looked at in the directory of a project's journals
	maxNotice    = 4 << 10
	maxNotices   = 5               // that are taken at once
	recoverAgain = 1 * time.Minute // before a change that could not be taken back is tried again
)

// recovery remembers which changes of dead processes could not be taken back yet.
type recovery struct {
	mu    sync.Mutex
	tried map[string]time.Time // by the path of the journal
}

// due reports whether it is time to take a change back.
func (v *recovery) due(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Since(v.tried[path]) > recoverAgain
}

func (v *recovery) failed(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.tried == nil {
		v.tried = make(map[string]time.Time)
	}
	v.tried[path] = time.Now()
}

type recoveringKey struct{}

// withoutRecovery marks the context of changes that belong to a change of several files.
func withoutRecovery(ctx context.Context) context.Context {
	return context.WithValue(ctx, recoveringKey{}, true)
}

// recoverBatches takes back the changes of several files that processes have begun in the directories of this Root, and died.
func (r *Root) recoverBatches(ctx context.Context) {
	if r.readOnly || r.locks.dir == "" || ctx.Err() != nil || ctx.Value(recoveringKey{}) != nil {
		return
	}
	for _, t := range r.trees {
		dir, last := projectJournals(t.RealName()), ""
		for _, name := range r.journalFiles(dir) {
			id, suffix, _ := strings.Cut(name, ".")
			if ours := "." + suffix; id == last || ours != journalSuffix && ours != lockSuffix {
				continue
			}
			last = id
			if r.recovery.due(path.Join(dir, id)) {
				r.recoverBatch(context.WithoutCancel(withoutRecovery(ctx)), dir, id)
			}
		}
	}
}

// journalFiles lists the directory of a project's journals, if only this user can have written to it.
func (r *Root) journalFiles(dir string) []string {
	d, err := os.Open(filepath.Join(r.locks.dir, filepath.FromSlash(dir)))
	if err != nil {
		return nil // no change of several files was ever made here
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil || !info.IsDir() || !isPrivate(info) {
		return nil
	}
	names, err := d.Readdirnames(maxJournals)
	if err != nil && err != io.EOF {
		r.log.Warn("journals not listed", "error", rootfs.Reason(err))
	}
	slices.Sort(names)
	return names
}

// recoverBatch takes back one change, if its process is dead.
func (r *Root) recoverBatch(ctx context.Context, dir, id string) {
	state, err := rootfs.Open(r.locks.dir)
	if err != nil {
		return
	}
	j := &journal{root: r, state: state, path: path.Join(dir, id) + journalSuffix}
	defer j.release()
	if j.lock, err = tryLockFile(j.file(lockSuffix)); err != nil || j.lock == nil {
		return // the process lives, or another one takes the change back
	}
	defer j.state.SweepTemps(dir) // which a process may leave while it writes a journal
	err = j.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // the process died before or after the change
	case err != nil:
		r.setAside(j, err)
		return
	case !r.covers(j.record):
		r.recovery.failed(path.Join(dir, id)) // for a Root with all the directories
		return
	}
	if err := r.takeBack(ctx, j); err != nil {
		r.recovery.failed(path.Join(dir, id))
		r.log.ErrorContext(ctx, "a change that was interrupted cannot be taken back yet", "change", j.record.Name, "journal", j.file(journalSuffix), "error", err)
		return
	}
	j.end()
}

// covers reports whether all files of a change are in the directories of this Root.
func (r *Root) covers(record *batchRecord) bool {
	within := func(root string) bool {
		return slices.ContainsFunc(r.trees, func(t *tree) bool { return t.RealName() == root || t.Name() == root })
	}
	for _, s := range record.Steps {
		if !within(s.Root) || s.ToRoot != "" && !within(s.ToRoot) {
			return false
		}
	}
	return true
}

// takeBack brings the files of a change into their former state, and leaves a notice.
func (r *Root) takeBack(ctx context.Context, j *journal) error {
	record := j.record
	if r.isMade(ctx, record) {
		r.log.InfoContext(ctx, "a change was complete when its process died", "change", record.Name, "steps", len(record.Steps))
		return r.leaveNotice(j, "was complete when its server died: all of its files are changed.")
	}
	var left []string
	for i := len(record.Steps) - 1; i >= 0; i-- {
		remains, err := r.undoStep(ctx, j, i)
		if err != nil {
			return err
		}
		if remains != "" {
			left = append(left, remains)
		}
	}
	slices.Reverse(left)
	r.log.WarnContext(ctx, "a change whose process died was taken back", "change", record.Name, "steps", len(record.Steps), "left", left)
	if len(left) == 0 {
		return r.leaveNotice(j, "was interrupted when its server died, and has been taken back: its files are as they were before it.")
	}
	return r.leaveNotice(j, "was interrupted when its server died, and has been taken back except for these files: "+enumerate(left))
}

// setAside keeps a journal that cannot be read for a person to look at.
func (r *Root) setAside(j *journal, why error) {
	damaged := j.file(damagedSuffix)
	if err := os.Rename(j.file(journalSuffix), damaged); err != nil {
		r.log.Error("a damaged journal cannot be set aside", "journal", j.file(journalSuffix), "error", err)
		r.recovery.failed(strings.TrimSuffix(j.path, journalSuffix))
		return
	}
	r.log.Warn("a damaged journal of a change was set aside", "file", damaged, "error", rootfs.Reason(why))
	if err := r.writeNotice(j, "The journal of an earlier change is damaged. If files of the project look half changed, compare them with version control; the journal is "+quote(damaged)+"."); err != nil {
		r.log.Error("a notice cannot be left", "error", err)
	}
}

// leaveNotice keeps the outcome of a change until TakeNotices.
func (r *Root) leaveNotice(j *journal, outcome string) error {
	what := "change"
	if j.record.Name != "" {
		what = shorten(j.record.Name)
	}
	return r.writeNotice(j, fmt.Sprintf("An earlier %s (%d steps, %s) %s", what, len(j.record.Steps), j.record.Started.Format(time.RFC3339), outcome))
}

func (r *Root) writeNotice(j *journal, text string) error {
	place, err := j.state.Place(strings.TrimSuffix(j.path, journalSuffix)+noticeSuffix, false)
	if err != nil {
		return err
	}
	defer place.Close()
	_, err = place.Replace(rootfs.Replacement{Perm: 0o600, Durability: r.durability}, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	return err
}

// TakeNotices returns the outcomes of changes of several files that were interrupted when their processes died, each of them
// to one caller only. They are for whoever reads the answer of the next call.
func (r *Root) TakeNotices() []string {
	if r.readOnly || r.locks.dir == "" {
		return nil
	}
	var all []string
	for _, t := range r.trees {
		dir := projectJournals(t.RealName())
		for _, name := range r.journalFiles(dir) {
			if strings.HasSuffix(name, noticeSuffix) && len(all) < maxNotices {
				if text, ok := r.takeNotice(dir + "/" + name); ok {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// takeNotice reads and removes a notice; of several processes one succeeds.
func (r *Root) takeNotice(name string) (string, bool) {
	state, err := rootfs.Open(r.locks.dir)
	if err != nil {
		return "", false
	}
	defer state.Close()
	place, err := state.Place(name, false)
	if err != nil {
		return "", false
	}
	defer place.Close()
	f, _, err := place.Open()
	if err != nil {
		place.Remove(r.durability)
		return "", false
	}
	text, err := io.ReadAll(io.LimitReader(f, maxNotice))
	f.Close()
	if err != nil || place.Path != name || place.Remove(r.durability) != nil {
		return "", false
	}
	for len(text) > 0 && len(text) == maxNotice && !utf8.Valid(text) {
		text = text[:len(text)-1]
	}
	return strings.ToValidUTF8(string(text), "\uFFFD"), len(text) > 0
}

// journalMove writes a journal for a move of several steps, whose paths are locked.
func (r *Root) journalMove(ctx context.Context, steps []stepRecord) (*journal, error) {
	for i := range steps {
		s := &steps[i]
		now, err := r.look(ctx, s.Root, s.Path)
		if err != nil {
			return nil, err
		}
		now.place.Close()
		s.Old = now.sum
	}
	return r.writeJournal(ctx, &batchRecord{Name: "move", Started: time.Now().UTC(), Steps: steps}, nil)
}
