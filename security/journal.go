package security

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/slashpath"
	"github.com/dougu-go/dougu/security/internal/trash"
)

// A journal is a file in journalDir of the state directory, below a directory for the project. It holds the former contents one
// after another, then a batchRecord as JSON, and a trailer: the length and the sha256 of the JSON, and journalMagic. It appears
// under its name complete and flushed, before any file of the project is changed, and is removed when the change is made or taken
// back. The lock file beside it is held by the process that makes the change.
const (
	journalDir    = "journal"
	journalSuffix = ".journal"
	damagedSuffix = ".damaged"
	noticeSuffix  = ".notice"
	toldSuffix    = ".told" // an empty file: there was a notice of the journal, which stays
	lockSuffix    = ".lock"
	journalMagic  = "dougujn1"
	trailerSize   = 8 + sha256.Size + len(journalMagic)
	maxRecord     = 16 << 20
)

// batchRecord is the description of a change in its journal.
type batchRecord struct {
	Name    string       `json:"name"`
	Started time.Time    `json:"started"`
	Steps   []stepRecord `json:"steps"`
	// Roots are the identities of the directories of the steps, by name: the project may be moved before the change is taken back.
	Roots map[string]string `json:"roots,omitempty"`
}

// stepRecord is a step with all that is needed to take it back. Roots are absolute, paths final and relative to them.
type stepRecord struct {
	Kind    StepKind `json:"kind"`
	Root    string   `json:"root"`
	Path    string   `json:"path"`
	ToRoot  string   `json:"toRoot,omitempty"` // of a move, and of a file that goes to the trash
	To      string   `json:"to,omitempty"`
	Old     string   `json:"old,omitempty"`     // sha256 before the step; "" where there is no file
	New     string   `json:"new,omitempty"`     // sha256 after a write or creation
	Offset  int64    `json:"offset,omitempty"`  // of the former content in the journal
	Size    int64    `json:"size,omitempty"`    // of the former content, for a write
	Dirs    []string `json:"dirs,omitempty"`    // that a creation makes, outermost first
	Unsaved bool     `json:"unsaved,omitempty"` // of a document in an editor
}

// fits reports whether a step read from a file could have been written by planBatch.
func (s *stepRecord) fits(contents int64) bool {
	if !filepath.IsAbs(s.Root) || !fs.ValidPath(s.Path) || s.Path == "." {
		return false
	}
	for _, dir := range s.Dirs {
		if !fs.ValidPath(dir) || !slashpath.IsBelow(s.Path, dir) {
			return false
		}
	}
	switch s.Kind {
	case WriteStep, CreateStep:
		return s.Offset >= 0 && s.Size >= 0 && s.Offset <= contents && s.Size <= contents-s.Offset
	case MoveStep:
		return filepath.IsAbs(s.ToRoot) && fs.ValidPath(s.To) && s.To != "."
	case TrashStep:
		_, ok := trash.Original(s.To)
		return ok && fs.ValidPath(s.To) && s.ToRoot == s.Root
	}
	return false
}

// journal is the journal of one batch, and the lock of the process that works on it.
type journal struct {
	root    *Root
	state   *rootfs.Root // the state directory
	path    string       // of the journal in it
	lock    *os.File
	record  *batchRecord
	damaged bool // a former content was needed, and is not what was written
}

// projectJournals is the directory in the state directory for the journals of changes that begin in one project directory.
func projectJournals(root string) string {
	sum := sha256.Sum256([]byte(pattern.Fold(filepath.ToSlash(root))))
	return path.Join(journalDir, hex.EncodeToString(sum[:16]))
}

// writeJournal reads the files of all steps into a new journal.
func (r *Root) writeJournal(ctx context.Context, record *batchRecord, steps []Step) (*journal, error) {
	record.Roots = r.identities(record)
	j, place, err := r.createJournal(record)
	if err != nil {
		return nil, r.noJournal(err)
	}
	defer place.Close()
	how := rootfs.Replacement{Perm: 0o600, New: true, Durability: r.durability}
	if _, err = place.Replace(how, func(w io.Writer) error { return j.write(ctx, w, steps) }); err != nil {
		j.release()
		return nil, r.noJournal(err)
	}
	return j, nil
}

func (r *Root) noJournal(err error) error {
	if _, known := errors.AsType[*Error](err); known {
		return err
	}
	err = rootfs.Reason(err)
	e := &Error{Code: InternalError, Err: err, Message: fmt.Sprintf("The journal of the change cannot be written in the state directory %s: %v. Nothing was changed.", quote(r.locks.Dir), err)}
	switch {
	case isFull(err):
		e.Code, e.Next = NoSpace, "Ask the user to make room there, or change one file at a time."
	case isReadOnlyDisk(err):
		e.Code, e.Next = ReadOnly, "Ask the user to make it writable, or change one file at a time."
	}
	return e
}

// createJournal takes a new lock, and finds the place of the journal beside it.
func (r *Root) createJournal(record *batchRecord) (*journal, *rootfs.Place, error) {
	if err := os.MkdirAll(r.locks.Dir, 0o700); err != nil {
		return nil, nil, err
	}
	state, err := rootfs.Open(r.locks.Dir)
	if err != nil {
		return nil, nil, err
	}
	j := &journal{root: r, state: state, record: record}
	for range maxMoves {
		var random [8]byte
		rand.Read(random[:])
		j.path = projectJournals(record.Steps[0].Root) + "/" + hex.EncodeToString(random[:]) + journalSuffix
		var place *rootfs.Place
		if place, err = j.claim(); err == nil {
			return j, place, nil
		}
		if !errors.Is(err, rootfs.ErrChanged) {
			break
		}
	}
	state.Close()
	return nil, nil, err
}

// claim makes the directory and takes the lock. ErrChanged says that a process that looked for journals of the dead came between.
func (j *journal) claim() (*rootfs.Place, error) {
	place, err := j.state.Place(j.path, false)
	if err != nil {
		return nil, err
	}
	if place.Path != j.path {
		err = rootfs.ErrLink
	} else {
		err = place.MakeParents(0o700, j.root.durability)
	}
	if dir := filepath.Dir(j.file("")); err == nil && !privateDir(dir) {
		err = fmt.Errorf("other users can use the directory of journals %s; make it private with chmod 700", quote(dir))
	}
	if err == nil {
		j.lock, err = pathlock.TryFile(j.file(lockSuffix))
	}
	if err == nil && j.lock == nil {
		err = rootfs.ErrChanged
	}
	if err != nil {
		place.Close()
		return nil, err
	}
	return place, nil
}

// privateDir reports whether only this user can use a directory.
func privateDir(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && isPrivate(info)
}

// file is the absolute name of the file with this suffix that goes with the journal.
func (j *journal) file(suffix string) string {
	return filepath.Join(j.state.RealName(), filepath.FromSlash(strings.TrimSuffix(j.path, journalSuffix))+suffix)
}

// end removes the journal: the change is made, or taken back. One that cannot be removed is emptied, so that no later
// process takes the change back.
func (j *journal) end() {
	os.Remove(j.file(toldSuffix))
	place, err := j.state.Place(j.path, false)
	if err == nil {
		err = place.Remove(j.root.durability)
		place.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		emptied := os.Truncate(j.file(journalSuffix), 0)
		j.root.log.Error("the journal of a change that is over cannot be removed", "journal", j.file(journalSuffix), "error", err, "emptied", emptied == nil)
	}
}

// release lets others look at the journal, if it is still there.
func (j *journal) release() {
	if j.lock != nil {
		pathlock.RemoveFile(j.lock)
	}
	j.state.Close()
}

// errDamaged says that a file is no complete journal.
var errDamaged = errors.New("the journal is damaged")

// read reads the record of a journal that another process has written.
func (j *journal) read() error {
	f, err := j.open()
	if err != nil {
		return err
	}
	defer f.Close()
	size := f.Info.Size()
	if size < int64(trailerSize) {
		return errDamaged
	}
	trailer := make([]byte, trailerSize)
	if _, err := f.ReadAt(trailer, size-int64(trailerSize)); err != nil {
		return err
	}
	length := binary.BigEndian.Uint64(trailer)
	if string(trailer[8+sha256.Size:]) != journalMagic || length > maxRecord || int64(length) > size-int64(trailerSize) {
		return errDamaged
	}
	text := make([]byte, length)
	contents := size - int64(trailerSize) - int64(length)
	if _, err := f.ReadAt(text, contents); err != nil {
		return err
	}
	record := new(batchRecord)
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], trailer[8:8+sha256.Size]) || json.Unmarshal(text, record) != nil {
		return errDamaged
	}
	if len(record.Steps) == 0 || len(record.Steps) > maxSteps {
		return errDamaged
	}
	for i := range record.Steps {
		if !record.Steps[i].fits(contents) {
			return errDamaged
		}
	}
	j.record = record
	return nil
}

// open opens the file of the journal, which must not be a link.
func (j *journal) open() (*rootfs.Opened, error) {
	f, err := j.state.Open(j.path)
	if err != nil {
		return nil, err
	}
	if f.Path != j.path || !f.Info.Mode().IsRegular() || runtime.GOOS != "windows" && !isPrivate(f.Info) {
		f.Close()
		return nil, errDamaged
	}
	return f, nil
}

// content is the former content of a step.
func (j *journal) content(i int) ([]byte, error) {
	s := &j.record.Steps[i]
	if s.Size > maxSaved {
		return nil, errDamaged
	}
	f, err := j.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content := make([]byte, s.Size)
	if _, err := f.ReadAt(content, s.Offset); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != s.Old {
		j.damaged = true
		return nil, errDamaged
	}
	return content, nil
}

// targetOf is a final path of a journal in one of the directories of this Root, to which the rules apply as to every path.
func (r *Root) targetOf(root, final string) (target, error) {
	for _, t := range r.trees {
		if t.RealName() == root || t.Name() == root {
			found := target{given: t.location(final).Path, tree: t, rel: final}
			if _, _, err := cleanPath(final); err != nil {
				return found, err
			}
			return found, r.admitLeaving(found, final)
		}
	}
	return target{}, refuse(PermissionDenied, OutsideProjectRoot, final, quote(final)+" lies outside of the project.", "")
}

// write puts the former contents and the record into the journal.
func (j *journal) write(ctx context.Context, w io.Writer, steps []Step) error {
	now := make(map[string]string) // digests of files after the steps so far
	offset := int64(0)
	for i := range j.record.Steps {
		rec := &j.record.Steps[i]
		key := slashpath.Join(rec.Root, rec.Path) // of one file, whose name no other step spells otherwise
		old, known := now[key]
		switch {
		case steps == nil: // of a move, which knows its files
			continue
		case rec.Kind == CreateStep:
		case known:
			rec.Old = old
		default:
			to := &stateWriter{Writer: io.Discard}
			if rec.Kind == WriteStep && !rec.Unsaved {
				to.Writer = w
			}
			d := newDigest(to)
			if err := j.root.copyCurrent(ctx, *rec, steps[i].Path, maxSaved-offset, d); err != nil {
				return cmp.Or(to.err, err)
			}
			if rec.Old != "" && rec.Old != d.sum() && !rec.Unsaved {
				return stale(steps[i].Path, d.sum(), rec.Old)
			}
			rec.Old = d.sum()
			if to.Writer == w {
				rec.Offset, rec.Size = offset, d.size
				offset += d.size
			}
		}
		if rec.Kind == WriteStep || rec.Kind == CreateStep {
			sum := sha256.Sum256(steps[i].Content)
			rec.New = hex.EncodeToString(sum[:])
			now[key] = rec.New
		}
		if rec.Unsaved {
			rec.New = rec.Old
			now[key] = rec.Old
		}
	}
	_, err := w.Write(appendRecord(nil, j.record))
	return err
}

// stateWriter remembers that the journal could not be written: the file that was being read is not to blame.
type stateWriter struct {
	io.Writer
	err error
}

func (w *stateWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// appendRecord appends the record and the trailer of a journal.
func appendRecord(to []byte, record *batchRecord) []byte {
	text, err := json.Marshal(record)
	if err != nil {
		panic(err) // of strings and numbers alone
	}
	sum := sha256.Sum256(text)
	to = binary.BigEndian.AppendUint64(append(to, text...), uint64(len(text)))
	return append(append(to, sum[:]...), journalMagic...)
}

// copyCurrent copies the present content of the file of a step.
func (r *Root) copyCurrent(ctx context.Context, rec stepRecord, given string, limit int64, to io.Writer) error {
	t, err := r.targetOf(rec.Root, rec.Path)
	if err != nil {
		return err
	}
	t.given = given
	place, err := t.tree.Place(t.rel, false)
	if err != nil {
		return r.explain(t, err)
	}
	defer place.Close()
	f, info, err := place.Open()
	if err != nil {
		return r.explain(t, err)
	}
	defer f.Close()
	if place.Path != rec.Path || !info.Mode().IsRegular() {
		return r.explain(t, rootfs.ErrChanged)
	}
	n, err := io.CopyN(to, contextReader{ctx, f}, limit+1)
	if err == nil && n > limit {
		return invalid("Change fewer files at once.", "A change of files with more than %d bytes is not made.", maxSaved)
	}
	if err != nil && err != io.EOF {
		return r.explain(t, err)
	}
	return nil
}

// contextReader reads until the context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
