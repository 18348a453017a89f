package security

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/pathlock"
)

const (
	recoverAgain = 1 * time.Minute // before a change that could not be taken back is tried again
)

type recoveringKey struct{}

// withoutRecovery marks the context of changes that belong to a change of several files.
func withoutRecovery(ctx context.Context) context.Context {
	return context.WithValue(ctx, recoveringKey{}, true)
}

// recoverBatches takes back the changes of several files that processes have begun in the directories of this Root, and died.
func (r *Root) recoverBatches(ctx context.Context) {
	if r.readOnly || r.locks.Dir == "" || ctx.Err() != nil || ctx.Value(recoveringKey{}) != nil {
		return
	}
	for _, dir := range r.ownJournals() {
		r.recoverIn(ctx, r.locks.Dir, dir, true)
	}
}

// recoverAll is recoverBatches with the journals of other directories: above and below the directories of this Root, or moved. A Root that may
// change nothing leaves notices of them.
func (r *Root) recoverAll(ctx context.Context) {
	own := r.ownJournals()
	for _, state := range r.states {
		for _, dir := range r.journalDirs(state) {
			r.recoverIn(ctx, state, dir, slices.Contains(own, dir))
		}
	}
}

// recoverIn looks at one directory of journals. own says that it is for changes that begin in this Root.
func (r *Root) recoverIn(ctx context.Context, state, dir string, own bool) {
	l := r.listJournals(state, dir)
	if own && !r.readOnly && state != r.locks.Dir { // of an earlier version
		for _, name := range l.Notices {
			if text, ok := r.journals(state).TakeNotice(name); ok {
				r.recovery.say(path.Join(state, name), text)
			}
		}
	}
	for _, id := range l.IDs {
		r.recoverBatch(context.WithoutCancel(withoutRecovery(ctx)), state, id, own)
	}
}

// listJournals lists a directory of journals, if only this user can have written to it.
func (r *Root) listJournals(state, dir string) journal.Listing {
	l, err := r.journals(state).List(dir)
	if exposed, ok := errors.AsType[*journal.ExposedError](err); ok {
		if slices.Contains(r.ownJournals(), dir) {
			r.openToOthers(exposed)
		}
	} else if err != nil {
		r.log.Warn("journals not listed", "error", rootfs.Reason(err))
	}
	return l
}

// recoverBatch takes back one change, if its process is dead.
func (r *Root) recoverBatch(ctx context.Context, dir, id string, own bool) {
	j, err := r.journals(dir).Open(id)
	if err != nil {
		return
	}
	defer j.Release()
	if !r.recovery.due(j.Key()) {
		return
	}
	if !own || r.readOnly {
		// The lock of another project is left alone until the record says that the change concerns this Root.
		if j.Read() != nil {
			return
		}
		l := r.locateBatch(ctx, j.Record)
		l.close()
		if l.fit == foreign || l.fit == lost && !r.resembles(ctx, j.Record) {
			return
		}
	}
	if r.readOnly {
		r.noteWaiting(ctx, j, "a server with -read-only takes no change back. Start one that may write in "+rootsOf(j.Record)+".")
		return
	}
	locked, err := j.Lock()
	if err != nil {
		r.recovery.failed(j.Key())
		if read := j.Read(); read == nil {
			r.noteWaiting(ctx, j, "its lock cannot be taken: "+rootfs.Reason(err).Error()+". Make "+quote(dir)+" writable. The next change, or the next start, takes it back then.")
		}
		return
	}
	if !locked {
		return // the process lives, or another one takes the change back
	}
	defer j.SweepTemps()
	err = j.Read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // the process died before or after the change
	case err != nil:
		r.setAside(j, err)
		return
	}
	l := r.locateBatch(ctx, j.Record)
	defer l.close()
	switch l.fit {
	case entire:
		j.Record = l.record
		r.with(l.trees).recoverLocated(ctx, r, j)
	case partial:
		r.recovery.failed(j.Key()) // for a Root with all the directories
		if r.with(l.trees).isHalfMade(ctx, l.record) {
			r.waits(j, "not all of its files are in the directories of this server. Start a server in "+rootsOf(j.Record)+".")
		}
	case lost:
		r.noteLost(ctx, j)
	}
}

// recoverLocated takes back a change whose files are all in this Root. to is the Root that keeps the notices.
func (r *Root) recoverLocated(ctx context.Context, to *Root, j *journal.Journal) {
	outcome, err := r.takeBack(ctx, j)
	if err != nil {
		to.recovery.failed(j.Key())
		to.log.ErrorContext(ctx, "a change that was interrupted cannot be taken back yet", "change", j.Record.Name, "journal", j.File(), "error", err)
		to.recovery.say(j.Key(), title(j.Record)+" was interrupted when its server died, and cannot be taken back as a whole yet: "+err.Error()+
			" The next start, or a change after a minute, tries it again.")
		return
	}
	if j.Damaged {
		if kept, err := j.SetAside(); err == nil {
			outcome += " The journal is kept as " + quote(kept) + "."
		}
	}
	to.leaveNotice(j, title(j.Record)+" "+outcome)
	j.End()
}

// noteWaiting leaves a notice of a change that is half made and whose process is dead. why says why it is not taken back.
func (r *Root) noteWaiting(ctx context.Context, j *journal.Journal, why string) {
	if j.OwnerLives() {
		return
	}
	l := r.locateBatch(ctx, j.Record)
	defer l.close()
	if l.fit == lost && r.resembles(ctx, j.Record) || r.with(l.trees).isHalfMade(ctx, l.record) {
		r.waits(j, why)
	}
}

func (r *Root) waits(j *journal.Journal, why string) {
	r.log.Error("a change that was interrupted is not taken back", "change", j.Record.Name, "journal", j.File(), "reason", why)
	r.recovery.say(j.Key(), title(j.Record)+" was interrupted when its server died, and its files are half changed. It waits to be taken back: "+why)
}

// noteLost leaves a notice, once, of a change in a directory that is gone, and that may be one of this Root now.
func (r *Root) noteLost(ctx context.Context, j *journal.Journal) {
	r.recovery.failed(j.Key())
	if j.Told() || !r.resembles(ctx, j.Record) {
		return
	}
	j.MarkTold()
	r.log.Warn("a change was interrupted in a directory that is gone", "change", j.Record.Name, "journal", j.File())
	r.leaveNotice(j, fmt.Sprintf("%s was interrupted in %s, which is gone. Files of this project are as that change has left them: if the project was copied or moved from there, it is half changed. "+
		"Compare it with version control, or move it back and start a server there, which takes the change back. The former contents are in %s.",
		title(j.Record), rootsOf(j.Record), quote(j.File())))
}

// takeBack brings the files of a change into their former state, and returns the outcome. An error is one that may pass; the
// other files are in their former state then.
func (r *Root) takeBack(ctx context.Context, j *journal.Journal) (outcome string, err error) {
	record := j.Record
	if r.isMade(ctx, record) {
		r.log.InfoContext(ctx, "a change was complete when its process died", "change", record.Name, "steps", len(record.Steps))
		return "was complete when its server died: all of its files are changed.", nil
	}
	var left []string
	var failed error
	blocked := make(map[string]bool) // by lock key: files of steps that could not be taken back
	for i := len(record.Steps) - 1; i >= 0; i-- {
		s := &record.Steps[i]
		if blocked[pathlock.Key(s.Root, s.Path)] || s.ToRoot != "" && blocked[pathlock.Key(s.ToRoot, s.To)] {
			continue
		}
		remains, err := r.undoStep(ctx, j, i)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.Path, err))
			blocked[pathlock.Key(s.Root, s.Path)] = true
			if s.ToRoot != "" {
				blocked[pathlock.Key(s.ToRoot, s.To)] = true
			}
		}
		if remains != "" {
			left = append(left, remains)
		}
	}
	if failed != nil {
		return "", failed
	}
	slices.Reverse(left)
	r.log.WarnContext(ctx, "a change whose process died was taken back", "change", record.Name, "steps", len(record.Steps), "left", left)
	if len(left) == 0 {
		return "was interrupted when its server died, and has been taken back: its files are as they were before it.", nil
	}
	return "was interrupted when its server died, and has been taken back except for these files: " + enumerate(left), nil
}

// setAside keeps a journal that cannot be read for a person to look at.
func (r *Root) setAside(j *journal.Journal, why error) {
	damaged, err := j.SetAside()
	if err != nil {
		r.log.Error("a damaged journal cannot be set aside", "journal", j.File(), "error", err)
		r.recovery.failed(j.Key())
		r.recovery.say(j.Key(), "The journal of an earlier change, "+quote(j.File())+", is damaged. If files of the project look half changed, compare them with version control.")
		return
	}
	r.log.Warn("a damaged journal of a change was set aside", "file", damaged, "error", rootfs.Reason(why))
	r.leaveNotice(j, "The journal of an earlier change is damaged. If files of the project look half changed, compare them with version control; the journal is "+quote(damaged)+".")
}

// journalMove writes a journal for a move of several steps, whose paths are locked.
func (r *Root) journalMove(ctx context.Context, steps []journal.Step) (*journal.Journal, error) {
	for i := range steps {
		s := &steps[i]
		now, err := r.look(ctx, s.Root, s.Path)
		if err != nil {
			return nil, err
		}
		now.place.Close()
		s.Old = now.sum
	}
	return r.writeJournal(ctx, &journal.Record{Name: "move", Started: time.Now().UTC(), Steps: steps}, nil)
}

const (
	maxNotices = 5 // that are taken at once
)

// recovery remembers the changes of dead processes that could not be taken back yet, and notices that are in no file.
type recovery struct {
	mu      sync.Mutex
	tried   map[string]time.Time // by the path of the journal
	said    map[string]bool      // by the path of the journal, its notice or its directory
	notices []string
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

// say adds a notice, once in this process for each subject.
func (v *recovery) say(subject, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.said[subject] {
		return
	}
	if v.said == nil {
		v.said = make(map[string]bool)
	}
	v.said[subject] = true
	v.notices = append(v.notices, journal.TruncateNotice(text))
}

// take returns the notices that are in no file.
func (v *recovery) take() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := min(len(v.notices), maxNotices)
	taken := v.notices[:n:n]
	v.notices = v.notices[n:]
	return taken
}

// title names a change in a notice.
func title(record *journal.Record) string {
	what := "change"
	if record.Name != "" {
		what = shorten(record.Name)
	}
	return fmt.Sprintf("An earlier %s (%d steps, %s)", what, len(record.Steps), record.Started.Format(time.RFC3339))
}

// leaveNotice keeps a notice until TakeNotices: in a file, so that it outlives this process, or in memory if none can be written.
func (r *Root) leaveNotice(j *journal.Journal, text string) {
	if r.locks.Dir != "" {
		err := r.writeNotice(j, text)
		if err == nil {
			return
		}
		r.log.Warn("a notice is kept in memory, since its file cannot be written", "error", rootfs.Reason(err))
	}
	r.recovery.say(j.Key()+" notice", text)
}

// writeNotice writes the file of a notice, in the directory of the journal, or in that of this Root for a journal of another Root.
func (r *Root) writeNotice(j *journal.Journal, text string) error {
	dir := j.Dir()
	if own := r.ownJournals(); !slices.Contains(own, dir) {
		dir = own[0]
	}
	return r.journals(r.locks.Dir).WriteNotice(dir, j, text)
}

// TakeNotices returns the outcomes of changes of several files that were interrupted when their processes died, each of them
// to one caller only: also of those that this Root cannot take back, and why. They belong into the answer of the next call.
func (r *Root) TakeNotices() []string {
	all := r.recovery.take()
	if r.locks.Dir == "" {
		return all
	}
	for _, dir := range r.ownJournals() {
		for _, name := range r.listJournals(r.locks.Dir, dir).Notices {
			if len(all) >= maxNotices {
				break
			}
			if text, ok := r.journals(r.locks.Dir).TakeNotice(name); ok {
				all = append(all, text)
			}
		}
	}
	return all
}

// openToOthers tells the user of a directory of journals whose mode is wrong.
func (r *Root) openToOthers(exposed *journal.ExposedError) {
	dir := exposed.Dir
	if !exposed.Journals {
		return
	}
	if !exposed.Owned {
		r.log.Warn("a directory of journals belongs to another user, and is left alone", "directory", dir)
		return
	}
	r.log.Error("a directory of journals can be used by other users", "directory", dir, "mode", exposed.Mode.String())
	r.recovery.say(dir, "A change of several files in this project was interrupted, and is not taken back, since other users can use the directory of its journal. "+
		"Files of the project may be half changed. To take the change back, run: chmod 700 "+shellQuote(dir)+". The next change, or the next start, does it then.")
}

func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }
