package security

import (
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
	if r.locks.dir != "" {
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
	if err := os.MkdirAll(r.locks.dir, 0o700); err != nil {
		return err
	}
	state, err := rootfs.Open(r.locks.dir)
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
	if r.locks.dir == "" {
		return all
	}
	for _, dir := range r.ownJournals() {
		for _, name := range r.journalFiles(r.locks.dir, dir) {
			if strings.HasSuffix(name, noticeSuffix) && len(all) < maxNotices {
				if text, ok := r.takeNotice(r.locks.dir, dir+"/"+name); ok {
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
