// Package journal keeps changes of several files in files of a state directory, so that the next process can undo a change in the
// middle of which its process died.
//
// A journal is a file in the directory "journal" of the state directory, below a directory for the project. It contains the former
// contents one after another, then a [Record] as JSON, and a trailer: the length and the sha256 of the JSON, and a magic number. It
// appears under its name complete and flushed, before the first file of the project is changed, and is removed when the change is made
// or undone. The process that makes the change holds the lock file beside it.
//
// [Store.Create] writes a journal, and [Store.Open] with [Journal.Lock] and [Journal.Read] takes over the journal of another process. The
// caller reads and writes the files of the project, and applies its rules to them.
package journal

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/private"
)

const (
	top           = "journal"
	journalSuffix = ".journal"
	damagedSuffix = ".damaged"
	noticeSuffix  = ".notice" // the outcome of a change, as text for the user; see Store.WriteNotice
	toldSuffix    = ".told"   // an empty file that MarkTold makes
	lockSuffix    = ".lock"

	magic       = "dougujn1"
	trailerSize = 8 + sha256.Size + len(magic)

	maxRecord = 16 << 20
	maxFiles  = 1000 // names that are read in one directory of journals
	attempts  = 8    // to take the lock of a new journal

	// MaxSteps is the largest number of steps of a change.
	MaxSteps = 1000
	// MaxContents is the largest size of the former contents in one journal, in bytes.
	MaxContents = 256 << 20
)

// ErrDamaged is the error of a file that is no complete journal. It is also the error of a former content whose sha256 differs from
// the digest in its step (Step.Old).
var ErrDamaged = errors.New("the journal is damaged")

// Store has the journals of one state directory.
type Store struct {
	State      string // the absolute name of the state directory
	Durability rootfs.Durability
	Log        *slog.Logger
}

// Journal is the journal of one change, and the lock of the process that works on it. Release must be called.
type Journal struct {
	Record *Record // nil until Read for a journal of another process
	// Damaged reports that Content has found a former content with another digest.
	Damaged bool

	state *rootfs.Root
	path  string // of the journal in the state directory
	lock  *os.File
	store Store
}

// ProjectDir returns the directory, in a state directory, of the journals of changes that begin in one project directory.
func ProjectDir(root string) string {
	sum := sha256.Sum256([]byte(pattern.Fold(filepath.ToSlash(root))))
	return path.Join(top, hex.EncodeToString(sum[:16]))
}

// Create writes a new journal in the directory of the first step's project. contents writes the former contents one after another,
// and records in the steps their offsets and sizes.
func (s Store) Create(record *Record, contents func(io.Writer) error) (*Journal, error) {
	j, place, err := s.create(record)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	how := rootfs.Replacement{Perm: 0o600, New: true, Durability: s.Durability}
	if _, err = place.Replace(how, func(w io.Writer) error { return Encode(w, record, contents) }); err != nil {
		j.Release()
		return nil, err
	}
	return j, nil
}

// Encode writes the text of a journal.
func Encode(w io.Writer, record *Record, contents func(io.Writer) error) error {
	if err := contents(w); err != nil {
		return err
	}
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode the record: %w", err)
	}
	sum := sha256.Sum256(text)
	text = binary.BigEndian.AppendUint64(text, uint64(len(text)))
	_, err = w.Write(append(append(text, sum[:]...), magic...))
	return err
}

// create takes a new lock, and returns the place beside it at which the caller writes the journal.
func (s Store) create(record *Record) (*Journal, *rootfs.Place, error) {
	if err := os.MkdirAll(s.State, 0o700); err != nil {
		return nil, nil, err
	}
	state, err := rootfs.Open(s.State)
	if err != nil {
		return nil, nil, err
	}
	j := &Journal{Record: record, state: state, store: s}
	for range attempts {
		var random [8]byte
		rand.Read(random[:])
		j.path = ProjectDir(record.Steps[0].Root) + "/" + hex.EncodeToString(random[:]) + journalSuffix
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

// claim makes the directory and takes the lock. The error is ErrChanged if another process has the lock at the moment: one that
// searches for journals of dead processes tries the locks of all. create then tries another name.
func (j *Journal) claim() (*rootfs.Place, error) {
	place, err := j.state.Place(j.path, false)
	if err != nil {
		return nil, err
	}
	if place.Path != j.path {
		err = rootfs.ErrLink
	} else {
		err = place.MakeParents(0o700, j.store.Durability)
	}
	if dir := filepath.Dir(j.file("")); err == nil && !isPrivateDir(dir) {
		err = fmt.Errorf("other users can use the directory of journals %q; make it private with chmod 700", dir)
	}
	locked := false
	if err == nil {
		locked, err = j.Lock()
	}
	if err == nil && !locked {
		err = rootfs.ErrChanged
	}
	if err != nil {
		place.Close()
		return nil, err
	}
	return place, nil
}

func isPrivateDir(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && private.Is(info)
}

// Open returns the journal with an id of List. It reads and locks nothing.
func (s Store) Open(id string) (*Journal, error) {
	state, err := rootfs.Open(s.State)
	if err != nil {
		return nil, err
	}
	return &Journal{state: state, path: id + journalSuffix, store: s}, nil
}

// Lock takes the lock of the journal. The result is false if the process of the change lives, or another process undoes the change.
func (j *Journal) Lock() (bool, error) {
	var err error
	j.lock, err = pathlock.TryFile(j.file(lockSuffix))
	return j.lock != nil, err
}

// OwnerLives reports whether a process has the lock, without making or changing a file.
func (j *Journal) OwnerLives() bool { return pathlock.OwnerLives(j.file(lockSuffix)) }

// file returns the absolute name of the file with this suffix that belongs to the journal.
func (j *Journal) file(suffix string) string {
	return filepath.Join(j.state.RealName(), filepath.FromSlash(strings.TrimSuffix(j.path, journalSuffix))+suffix)
}

// Key identifies the journal in this process.
func (j *Journal) Key() string { return j.file("") }

// File returns the absolute name of the journal.
func (j *Journal) File() string { return j.file(journalSuffix) }

// End removes the journal: the change is made, or undone. A journal that cannot be removed is emptied, so that no later process undoes
// the change.
func (j *Journal) End() {
	os.Remove(j.file(toldSuffix))
	place, err := j.state.Place(j.path, false)
	if err == nil {
		err = place.Remove(j.store.Durability)
		place.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		emptied := os.Truncate(j.File(), 0)
		j.store.Log.Error("the journal of a change that is over cannot be removed", "journal", j.File(), "error", err, "emptied", emptied == nil)
	}
}

// Release releases the lock. The journal stays, unless End has removed it.
func (j *Journal) Release() {
	if j.lock != nil {
		pathlock.RemoveFile(j.lock)
	}
	j.state.Close()
}

// SweepTemps removes the temporary files that dead processes have left while they wrote a journal.
func (j *Journal) SweepTemps() { _, _ = j.state.SweepTemps(path.Dir(j.path)) }

// Read reads the record of a journal that another process has written.
func (j *Journal) Read() error {
	f, err := j.open()
	if err != nil {
		return err
	}
	defer f.Close()
	size := f.Info.Size()
	if size < int64(trailerSize) {
		return ErrDamaged
	}
	trailer := make([]byte, trailerSize)
	if _, err := f.ReadAt(trailer, size-int64(trailerSize)); err != nil {
		return err
	}
	length := binary.BigEndian.Uint64(trailer)
	if string(trailer[8+sha256.Size:]) != magic || length > maxRecord || int64(length) > size-int64(trailerSize) {
		return ErrDamaged
	}
	text := make([]byte, length)
	contents := size - int64(trailerSize) - int64(length)
	if _, err := f.ReadAt(text, contents); err != nil {
		return err
	}
	record := new(Record)
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], trailer[8:8+sha256.Size]) || json.Unmarshal(text, record) != nil {
		return ErrDamaged
	}
	if len(record.Steps) == 0 || len(record.Steps) > MaxSteps {
		return ErrDamaged
	}
	for i := range record.Steps {
		if !record.Steps[i].valid(contents) {
			return ErrDamaged
		}
	}
	j.Record = record
	return nil
}

// open opens the file of the journal, which must not be a link.
func (j *Journal) open() (*rootfs.Opened, error) {
	f, err := j.state.Open(j.path)
	if err != nil {
		return nil, err
	}
	if f.Path != j.path || !f.Info.Mode().IsRegular() || runtime.GOOS != "windows" && !private.Is(f.Info) {
		f.Close()
		return nil, ErrDamaged
	}
	return f, nil
}

// Content returns the former content of a step. ErrDamaged says that it has another digest than the step.
func (j *Journal) Content(step int) ([]byte, error) {
	s := &j.Record.Steps[step]
	if s.Size > MaxContents {
		return nil, ErrDamaged
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
		j.Damaged = true
		return nil, ErrDamaged
	}
	return content, nil
}

// SetAside keeps a damaged journal for a person under another name, and returns that name.
func (j *Journal) SetAside() (string, error) {
	name := j.file(damagedSuffix)
	return name, os.Rename(j.File(), name)
}

// HasNotice reports whether some process has called MarkTold for the journal.
func (j *Journal) HasNotice() bool {
	_, err := os.Lstat(j.file(toldSuffix))
	return err == nil
}

// MarkNotice records that the user was notified of the interrupted change, so that no process repeats the notice. The journal itself
// stays, for a change that cannot be undone now.
func (j *Journal) MarkNotice() {
	if f, err := os.OpenFile(j.file(toldSuffix), os.O_WRONLY|os.O_CREATE, 0o600); err == nil {
		f.Close()
	}
}
