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
	"github.com/dougu-go/dougu/security/internal/pathlock"
)

const (
	maxJournals  = 1000            // files that are looked at in the directory of a project's journals
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
	last := ""
	for _, name := range r.journalFiles(state, dir) {
		id, suffix, _ := strings.Cut(name, ".")
		switch "." + suffix {
		case noticeSuffix:
			if own && !r.readOnly && state != r.locks.Dir { // of an earlier version
				if text, ok := r.takeNotice(state, path.Join(dir, name)); ok {
					r.recovery.say(path.Join(state, dir, id), text)
				}
			}
		case journalSuffix, lockSuffix:
			if id != last {
				last = id
				r.recoverBatch(context.WithoutCancel(withoutRecovery(ctx)), state, path.Join(dir, id), own)
			}
		}
	}
}

// journalFiles lists the directory of a project's journals, if only this user can have written to it.
func (r *Root) journalFiles(state, dir string) []string {
	d, err := os.Open(filepath.Join(state, filepath.FromSlash(dir)))
	if err != nil {
		return nil // no change of several files was ever made here
	}
	defer d.Close()
	info, err := d.Stat()
	if err != nil || !info.IsDir() {
		return nil
	}
	names, err := d.Readdirnames(maxJournals)
	if err != nil && err != io.EOF {
		r.log.Warn("journals not listed", "error", rootfs.Reason(err))
	}
	if !isPrivate(info) {
		if slices.Contains(r.ownJournals(), dir) {
			r.openToOthers(d.Name(), info, names)
		}
		return nil
	}
	slices.Sort(names)
	return names
}

// recoverBatch takes back one change, if its process is dead.
func (r *Root) recoverBatch(ctx context.Context, dir, id string, own bool) {
	state, err := rootfs.Open(dir)
	if err != nil {
		return
	}
	j := &journal{root: r, state: state, path: id + journalSuffix}
	defer j.release()
	if !r.recovery.due(j.file("")) {
		return
	}
	if !own || r.readOnly {
		// The lock of another project is left alone until the record says that the change concerns this Root.
		if j.read() != nil {
			return
		}
		l := r.locateBatch(ctx, j.record)
		l.close()
		if l.fit == foreign || l.fit == lost && !r.resembles(ctx, j.record) {
			return
		}
	}
	if r.readOnly {
		r.noteWaiting(ctx, j, "a server with -read-only takes no change back. Start one that may write in "+rootsOf(j.record)+".")
		return
	}
	if j.lock, err = pathlock.TryFile(j.file(lockSuffix)); err != nil {
		r.recovery.failed(j.file(""))
		if read := j.read(); read == nil {
			r.noteWaiting(ctx, j, "its lock cannot be taken: "+rootfs.Reason(err).Error()+". Make "+quote(dir)+" writable. The next change, or the next start, takes it back then.")
		}
		return
	}
	if j.lock == nil {
		return // the process lives, or another one takes the change back
	}
	defer j.state.SweepTemps(path.Dir(j.path)) // which a process may leave while it writes a journal
	err = j.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return // the process died before or after the change
	case err != nil:
		r.setAside(j, err)
		return
	}
	l := r.locateBatch(ctx, j.record)
	defer l.close()
	switch l.fit {
	case entire:
		j.record = l.record
		r.with(l.trees).recoverLocated(ctx, r, j)
	case partial:
		r.recovery.failed(j.file("")) // for a Root with all the directories
		if r.with(l.trees).isHalfMade(ctx, l.record) {
			r.waits(j, "not all of its files are in the directories of this server. Start a server in "+rootsOf(j.record)+".")
		}
	case lost:
		r.noteLost(ctx, j)
	}
}

// recoverLocated takes back a change whose files are all in this Root. to is the Root that keeps the notices.
func (r *Root) recoverLocated(ctx context.Context, to *Root, j *journal) {
	outcome, err := r.takeBack(ctx, j)
	if err != nil {
		to.recovery.failed(j.file(""))
		to.log.ErrorContext(ctx, "a change that was interrupted cannot be taken back yet", "change", j.record.Name, "journal", j.file(journalSuffix), "error", err)
		to.recovery.say(j.file(""), j.record.title()+" was interrupted when its server died, and cannot be taken back as a whole yet: "+err.Error()+
			" The next start, or a change after a minute, tries it again.")
		return
	}
	if j.damaged {
		if kept, err := j.rename(damagedSuffix); err == nil {
			outcome += " The journal is kept as " + quote(kept) + "."
		}
	}
	to.leaveNotice(j, j.record.title()+" "+outcome)
	j.end()
}

// noteWaiting leaves a notice of a change that is half made and whose process is dead. why says why it is not taken back.
func (r *Root) noteWaiting(ctx context.Context, j *journal, why string) {
	if pathlock.OwnerLives(j.file(lockSuffix)) {
		return
	}
	l := r.locateBatch(ctx, j.record)
	defer l.close()
	if l.fit == lost && r.resembles(ctx, j.record) || r.with(l.trees).isHalfMade(ctx, l.record) {
		r.waits(j, why)
	}
}

func (r *Root) waits(j *journal, why string) {
	r.log.Error("a change that was interrupted is not taken back", "change", j.record.Name, "journal", j.file(journalSuffix), "reason", why)
	r.recovery.say(j.file(""), j.record.title()+" was interrupted when its server died, and its files are half changed. It waits to be taken back: "+why)
}

// noteLost leaves a notice, once, of a change in a directory that is gone, and that may be one of this Root now.
func (r *Root) noteLost(ctx context.Context, j *journal) {
	r.recovery.failed(j.file(""))
	if _, err := os.Lstat(j.file(toldSuffix)); err == nil || !r.resembles(ctx, j.record) {
		return
	}
	if f, err := os.OpenFile(j.file(toldSuffix), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		f.Close()
	}
	r.log.Warn("a change was interrupted in a directory that is gone", "change", j.record.Name, "journal", j.file(journalSuffix))
	r.leaveNotice(j, fmt.Sprintf("%s was interrupted in %s, which is gone. Files of this project are as that change has left them: if the project was copied or moved from there, it is half changed. "+
		"Compare it with version control, or move it back and start a server there, which takes the change back. The former contents are in %s.",
		j.record.title(), rootsOf(j.record), quote(j.file(journalSuffix))))
}

// takeBack brings the files of a change into their former state, and returns the outcome. An error is one that may pass; the
// other files are in their former state then.
func (r *Root) takeBack(ctx context.Context, j *journal) (outcome string, err error) {
	record := j.record
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

// rename gives the journal another suffix, and returns its new name.
func (j *journal) rename(suffix string) (string, error) {
	name := j.file(suffix)
	return name, os.Rename(j.file(journalSuffix), name)
}

// setAside keeps a journal that cannot be read for a person to look at.
func (r *Root) setAside(j *journal, why error) {
	damaged, err := j.rename(damagedSuffix)
	if err != nil {
		r.log.Error("a damaged journal cannot be set aside", "journal", j.file(journalSuffix), "error", err)
		r.recovery.failed(j.file(""))
		r.recovery.say(j.file(""), "The journal of an earlier change, "+quote(j.file(journalSuffix))+", is damaged. If files of the project look half changed, compare them with version control.")
		return
	}
	r.log.Warn("a damaged journal of a change was set aside", "file", damaged, "error", rootfs.Reason(why))
	r.leaveNotice(j, "The journal of an earlier change is damaged. If files of the project look half changed, compare them with version control; the journal is "+quote(damaged)+".")
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

const (
	maxNotice  = 4 << 10
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
	v.notices = append(v.notices, truncateNotice(text))
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

// truncateNotice bounds the text of a notice.
func truncateNotice(text string) string {
	if len(text) > maxNotice {
		text = text[:maxNotice]
		for len(text) > 0 && !utf8.ValidString(text) && len(text) > maxNotice-utf8.UTFMax {
			text = text[:len(text)-1]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// title names a change in a notice.
func (record *batchRecord) title() string {
	what := "change"
	if record.Name != "" {
		what = shorten(record.Name)
	}
	return fmt.Sprintf("An earlier %s (%d steps, %s)", what, len(record.Steps), record.Started.Format(time.RFC3339))
}

// leaveNotice keeps a notice until TakeNotices: in a file, so that it outlives this process, or in memory if none can be written.
func (r *Root) leaveNotice(j *journal, text string) {
	if r.locks.Dir != "" {
		err := r.writeNotice(j, text)
		if err == nil {
			return
		}
		r.log.Warn("a notice is kept in memory, since its file cannot be written", "error", rootfs.Reason(err))
	}
	r.recovery.say(j.file(noticeSuffix), text)
}

// writeNotice writes the file of a notice, in the directory of the journal, or in that of this Root if the journal is of another one.
func (r *Root) writeNotice(j *journal, text string) error {
	dir := path.Dir(j.path)
	if own := r.ownJournals(); !slices.Contains(own, dir) {
		dir = own[0]
	}
	if err := os.MkdirAll(r.locks.Dir, 0o700); err != nil {
		return err
	}
	state, err := rootfs.Open(r.locks.Dir)
	if err != nil {
		return err
	}
	defer state.Close()
	final := path.Join(dir, strings.TrimSuffix(path.Base(j.path), journalSuffix)+noticeSuffix)
	place, err := state.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final {
		return rootfs.ErrLink
	}
	if err := place.MakeParents(0o700, r.durability); err != nil {
		return err
	}
	_, err = place.Replace(rootfs.Replacement{Perm: 0o600, Durability: r.durability}, rootfs.Content([]byte(text)))
	return err
}

// TakeNotices returns the outcomes of changes of several files that were interrupted when their processes died, each of them
// to one caller only: also of those that this Root cannot take back, and why. They belong into the answer of the next call.
func (r *Root) TakeNotices() []string {
	all := r.recovery.take()
	if r.locks.Dir == "" {
		return all
	}
	for _, dir := range r.ownJournals() {
		for _, name := range r.journalFiles(r.locks.Dir, dir) {
			if strings.HasSuffix(name, noticeSuffix) && len(all) < maxNotices {
				if text, ok := r.takeNotice(r.locks.Dir, dir+"/"+name); ok {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// takeNotice reads and removes a notice; of several processes one succeeds.
func (r *Root) takeNotice(dir, name string) (string, bool) {
	state, err := rootfs.Open(dir)
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
	text, err := io.ReadAll(io.LimitReader(f, maxNotice+1))
	f.Close()
	if err != nil || place.Path != name || place.Remove(r.durability) != nil {
		return "", false
	}
	return truncateNotice(string(text)), len(text) > 0
}

// openToOthers tells the user of a directory of journals whose mode is wrong.
func (r *Root) openToOthers(dir string, info fs.FileInfo, names []string) {
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, journalSuffix) }) {
		return
	}
	if !isOwn(info) {
		r.log.Warn("a directory of journals belongs to another user, and is left alone", "directory", dir)
		return
	}
	r.log.Error("a directory of journals can be used by other users", "directory", dir, "mode", info.Mode().String())
	r.recovery.say(dir, "A change of several files in this project was interrupted, and is not taken back, since other users can use the directory of its journal. "+
		"Files of the project may be half changed. To take the change back, run: chmod 700 "+shellQuote(dir)+". The next change, or the next start, does it then.")
}

func shellQuote(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }

// listNames lists a directory of a state directory, with a bound.
func listNames(dir string) []string {
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxJournals)
	slices.Sort(names)
	return names
}
