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

// recoveryRetryDelay is the delay before the undoing of a change is attempted again.
const recoveryRetryDelay = time.Minute

// recoveringKey is the context key of withoutRecovery.
type recoveringKey struct{}

// withoutRecovery returns a context whose operations do not start a recovery. Batch and the recovery itself use it.
func withoutRecovery(ctx context.Context) context.Context {
	return context.WithValue(ctx, recoveringKey{}, true)
}

// recoverBatches undoes the interrupted batches of dead processes in the directories of this Root.
func (r *Root) recoverBatches(ctx context.Context) {
	if r.readOnly || r.locks.Dir == "" || ctx.Err() != nil || ctx.Value(recoveringKey{}) != nil {
		return
	}
	ctx = OnDisk(ctx)
	for _, dir := range r.ownJournals() {
		r.recoverIn(ctx, r.locks.Dir, dir, true)
	}
}

// recoverAll is recoverBatches including the journals of other directories: above or below the directories of this
// Root, or moved. A read-only Root leaves notices about them.
func (r *Root) recoverAll(ctx context.Context) {
	own := r.ownJournals()
	for _, state := range r.stateDirs {
		for _, dir := range r.journalDirs(state) {
			r.recoverIn(ctx, state, dir, slices.Contains(own, dir))
		}
	}
}

// recoverIn handles one directory of journals. own reports that its changes begin in a directory of this Root.
func (r *Root) recoverIn(ctx context.Context, state, dir string, own bool) {
	l := r.listJournals(state, dir)
	if own && !r.readOnly && state != r.locks.Dir { // of an earlier version
		for _, name := range l.Notices {
			if text, ok := r.journals(state).TakeNotice(name); ok {
				r.recovery.addNotice(path.Join(state, name), text)
			}
		}
	}
	for _, id := range l.IDs {
		r.recoverBatch(context.WithoutCancel(withoutRecovery(ctx)), state, id, own)
	}
}

// listJournals lists a directory of journals, unless other users can write to it.
func (r *Root) listJournals(state, dir string) journal.Listing {
	l, err := r.journals(state).List(dir)
	if exposed, ok := errors.AsType[*journal.ExposedError](err); ok {
		if slices.Contains(r.ownJournals(), dir) {
			r.reportExposed(exposed)
		}
	} else if err != nil {
		r.log.Warn("journals not listed", "error", rootfs.Reason(err))
	}
	return l
}

// recoverBatch undoes one change if its process is dead.
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
		// Do not lock the journal of another project before its record shows that the change concerns this Root.
		if j.Read() != nil {
			return
		}
		l := r.locateBatch(ctx, j.Record)
		l.close()
		if l.fit == foreign || l.fit == lost && !r.matchesMovedProject(ctx, j.Record) {
			return
		}
	}
	if r.readOnly {
		r.noteWaiting(ctx, j, "a server with -read-only takes no change back. Start one that may write in "+rootsOf(j.Record)+".")
		return
	}
	locked, err := j.Lock()
	if err != nil {
		r.recovery.markFailed(j.Key())
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
		r.withTrees(l.trees).recoverLocated(ctx, r, j)
	case partial:
		r.recovery.markFailed(j.Key()) // for a Root with all the directories
		if r.withTrees(l.trees).isHalfMade(ctx, l.record) {
			r.reportWaiting(j, "not all of its files are in the directories of this server. Start a server in "+rootsOf(j.Record)+".")
		}
	case lost:
		r.noteLost(ctx, j)
	}
}

// recoverLocated undoes a change whose files are all in this Root. to is the Root that keeps the notices.
func (r *Root) recoverLocated(ctx context.Context, to *Root, j *journal.Journal) {
	outcome, err := r.takeBack(ctx, j)
	if err != nil {
		to.recovery.markFailed(j.Key())
		to.log.ErrorContext(ctx, "a change that was interrupted cannot be taken back yet", "change", j.Record.Name, "journal", j.File(), "error", err)
		to.recovery.addNotice(j.Key(), title(j.Record)+" was interrupted when its server died, and cannot be taken back as a whole yet: "+err.Error()+
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

// noteWaiting leaves a notice about a half-made change of a dead process. why is the reason that it is not undone.
func (r *Root) noteWaiting(ctx context.Context, j *journal.Journal, why string) {
	if j.OwnerLives() {
		return
	}
	l := r.locateBatch(ctx, j.Record)
	defer l.close()
	if l.fit == lost && r.matchesMovedProject(ctx, j.Record) || r.withTrees(l.trees).isHalfMade(ctx, l.record) {
		r.reportWaiting(j, why)
	}
}

// reportWaiting logs a change that is not undone and leaves a notice.
func (r *Root) reportWaiting(j *journal.Journal, why string) {
	r.log.Error("a change that was interrupted is not taken back", "change", j.Record.Name, "journal", j.File(), "reason", why)
	r.recovery.addNotice(j.Key(), title(j.Record)+" was interrupted when its server died, and its files are half changed. It waits to be taken back: "+why)
}

// noteLost leaves one notice about a change in a directory that no longer exists but may have become one of this
// Root.
func (r *Root) noteLost(ctx context.Context, j *journal.Journal) {
	r.recovery.markFailed(j.Key())
	if j.HasNotice() || !r.matchesMovedProject(ctx, j.Record) {
		return
	}
	j.MarkNotice()
	r.log.Warn("a change was interrupted in a directory that is gone", "change", j.Record.Name, "journal", j.File())
	r.leaveNotice(j, fmt.Sprintf("%s was interrupted in %s, which is gone. Files of this project are as that change has left them: if the project was copied or moved from there, it is half changed. "+
		"Compare it with version control, or move it back and start a server there, which takes the change back. The former contents are in %s.",
		title(j.Record), rootsOf(j.Record), quote(j.File())))
}

// takeBack undoes a change and returns the outcome as a phrase for the notice. An error is temporary; the other files
// have their former state then.
func (r *Root) takeBack(ctx context.Context, j *journal.Journal) (outcome string, err error) {
	record := j.Record
	if r.isMade(ctx, record) {
		r.log.InfoContext(ctx, "a change was complete when its process died", "change", record.Name, "steps", len(record.Steps))
		return "was complete when its server died: all of its files are changed.", nil
	}
	var left []string
	var failed error
	blocked := make(map[string]bool) // by lock key: files whose steps could not be undone
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
	r.log.WarnContext(ctx, "the change of a process that died was undone", "change", record.Name, "steps", len(record.Steps), "left", left)
	if len(left) == 0 {
		return "was interrupted when its server died, and has been taken back: its files are as they were before it.", nil
	}
	return "was interrupted when its server died, and has been taken back except for these files: " + enumerate(left), nil
}

// setAside renames an unreadable journal, so that a person can examine it.
func (r *Root) setAside(j *journal.Journal, why error) {
	damaged, err := j.SetAside()
	if err != nil {
		r.log.Error("a damaged journal cannot be set aside", "journal", j.File(), "error", err)
		r.recovery.markFailed(j.Key())
		r.recovery.addNotice(j.Key(), "The journal of an earlier change, "+quote(j.File())+", is damaged. If files of the project look half changed, compare them with version control.")
		return
	}
	r.log.Warn("a damaged journal of a change was set aside", "file", damaged, "error", rootfs.Reason(why))
	r.leaveNotice(j, "The journal of an earlier change is damaged. If files of the project look half changed, compare them with version control; the journal is "+quote(damaged)+".")
}

// journalMove writes the journal of a move of several steps. The caller has locked the paths.
func (r *Root) journalMove(ctx context.Context, steps []journal.Step) (*journal.Journal, error) {
	for i := range steps {
		s := &steps[i]
		now, err := r.inspect(ctx, s.Root, s.Path)
		if err != nil {
			return nil, err
		}
		now.place.Close()
		s.Old = now.sum
	}
	return r.writeJournal(ctx, &journal.Record{Name: "move", Started: time.Now().UTC(), Steps: steps}, nil)
}

// maxNotices is the most notices of one TakeNotices.
const maxNotices = 5

// recovery is the state of the recovery in this process: failed attempts, and notices that are in no file.
type recovery struct {
	mu          sync.Mutex
	lastAttempt map[string]time.Time // by the path of the journal
	reported    map[string]bool      // subjects with a notice: paths of journals, notices or directories
	notices     []string
}

// due reports whether the recovery of a journal may be attempted.
func (v *recovery) due(path string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Since(v.lastAttempt[path]) > recoveryRetryDelay
}

// markFailed records a failed attempt. due is false for the next minute.
func (v *recovery) markFailed(path string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lastAttempt == nil {
		v.lastAttempt = make(map[string]time.Time)
	}
	v.lastAttempt[path] = time.Now()
}

// addNotice adds a notice, once in this process for each subject.
func (v *recovery) addNotice(subject, text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reported[subject] {
		return
	}
	if v.reported == nil {
		v.reported = make(map[string]bool)
	}
	v.reported[subject] = true
	v.notices = append(v.notices, journal.TruncateNotice(text))
}

// takeNotices removes and returns at most maxNotices notices.
func (v *recovery) takeNotices() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	n := min(len(v.notices), maxNotices)
	taken := v.notices[:n:n]
	v.notices = v.notices[n:]
	return taken
}

// title returns the subject of a notice: the name, the number of steps and the time of a change.
func title(record *journal.Record) string {
	what := "change"
	if record.Name != "" {
		what = shorten(record.Name)
	}
	return fmt.Sprintf("An earlier %s (%d steps, %s)", what, len(record.Steps), record.Started.Format(time.RFC3339))
}

// leaveNotice keeps a notice until TakeNotices: in a file, which outlives this process, or in memory if the file
// cannot be written.
func (r *Root) leaveNotice(j *journal.Journal, text string) {
	if r.locks.Dir != "" {
		err := r.writeNotice(j, text)
		if err == nil {
			return
		}
		r.log.Warn("a notice is kept in memory, since its file cannot be written", "error", rootfs.Reason(err))
	}
	r.recovery.addNotice(j.Key()+" notice", text)
}

// writeNotice writes the file of a notice to the journal's directory. For a journal of another Root it uses the first
// directory of this Root.
func (r *Root) writeNotice(j *journal.Journal, text string) error {
	dir := j.Dir()
	if own := r.ownJournals(); !slices.Contains(own, dir) {
		dir = own[0]
	}
	return r.journals(r.locks.Dir).WriteNotice(dir, j, text)
}

// TakeNotices removes and returns at most five notices about changes that were interrupted by the death of their
// process. A notice reports that the change was undone, or the reason that it was not. Each notice is returned once.
// Add the notices to the next result for the client.
func (r *Root) TakeNotices() []string {
	all := r.recovery.takeNotices()
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

// reportExposed leaves a notice about a directory of journals that other users can access.
func (r *Root) reportExposed(exposed *journal.ExposedError) {
	dir := exposed.Dir
	if !exposed.Journals {
		return
	}
	if !exposed.Owned {
		r.log.Warn("a directory of journals belongs to another user, and is left alone", "directory", dir)
		return
	}
	r.log.Error("a directory of journals can be used by other users", "directory", dir, "mode", exposed.Mode.String())
	r.recovery.addNotice(dir, "A change of several files in this project was interrupted, and is not taken back, since other users can use the directory of its journal. "+
		"Files of the project may be half changed. To take the change back, run: chmod 700 "+shellQuote(dir)+". The next change, or the next start, does it then.")
}

func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }
