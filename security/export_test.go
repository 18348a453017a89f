package security

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"

	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/pathlock"
	"github.com/dougu-go/dougu/security/internal/pattern"
)

// CleanPath is the check of a path's text, for the fuzzer.
func CleanPath(given string) (string, bool, error) { return cleanPath(given) }

// CleanPathOn is CleanPath by the name rules of Windows or of other systems.
func CleanPathOn(windows bool, given string) (string, bool, error) {
	return cleanPathOn(windows, given)
}

// Match compiles patterns and matches one path.
func Match(sources []string, final string) bool {
	ps, faults := compilePatterns(sources)
	return len(faults) == 0 && ps.Match(final)
}

// Valid reports whether a pattern compiles.
func Valid(source string) bool {
	_, faults := compilePatterns([]string{source})
	return len(faults) == 0
}

// EditDistance compares two short names.
func EditDistance(a, b string) int { return editDistance(a, b) }

// JournalWithPath is a journal whose first step has another path.
func JournalWithPath(text []byte, path string) []byte {
	return journalWith(text, func(r *journal.Record) { r.Steps[0].Path = path })
}

// JournalWithRoot is a journal whose steps are all in another directory.
func JournalWithRoot(text []byte, root string) []byte {
	return journalWith(text, func(r *journal.Record) {
		for i := range r.Steps {
			if r.Steps[i].Root = root; r.Steps[i].ToRoot != "" {
				r.Steps[i].ToRoot = root
			}
		}
	})
}

// journalWith decodes a journal, changes its record, and encodes it anew.
func journalWith(text []byte, change func(*journal.Record)) []byte {
	const trailer = 8 + sha256.Size + len("dougujn1")
	end := len(text) - trailer
	begin := end - int(binary.BigEndian.Uint64(text[end:]))
	var record journal.Record
	if err := json.Unmarshal(text[begin:end], &record); err != nil {
		panic(err)
	}
	change(&record)
	var changed bytes.Buffer
	err := journal.Encode(&changed, &record, func(w io.Writer) error {
		_, err := w.Write(text[:begin])
		return err
	})
	if err != nil {
		panic(err)
	}
	return changed.Bytes()
}

// WriteJournal writes the journal of a change to a disk that fails.
func WriteJournal(ctx context.Context, r *Root, failure error, steps ...Step) error {
	record, err := r.planBatch("test", steps)
	if err != nil {
		return err
	}
	return r.journalError(journal.Encode(failingWriter{failure}, record, func(w io.Writer) error { return r.saveContents(ctx, w, record, steps) }))
}

type failingWriter struct{ error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.error }

// Locked reports whether a writer has the lock of a path in the first directory.
func Locked(r *Root, final string) bool {
	busy, err := pathlock.Taken(LockName(r, final))
	return busy || err != nil
}

// LockName is the name of the file that locks a path in the first directory.
func LockName(r *Root, final string) string {
	return r.locks.File(r.trees[0].RealName(), final)
}

// CopyAcrossDevices moves a file as if its destination were on another file system, and removes the original instead
// of trashing it. meddle runs after the copy is complete.
func CopyAcrossDevices(ctx context.Context, r *Root, from, to string, meddle func()) error {
	source, err := r.trees[0].Place(from, false)
	if err != nil {
		return err
	}
	defer source.Close()
	dest, err := r.trees[0].Place(to, false)
	if err != nil {
		return err
	}
	defer dest.Close()
	return r.copyAcrossDevices(ctx, source, dest, func() error {
		meddle()
		return source.Remove(r.durability)
	})
}

// MoveOver is a Move that overwrites. meddle runs after the former entry has gone to the trash.
func MoveOver(ctx context.Context, r *Root, from, to string, meddle func()) error {
	m := moveOperation{root: r, overwrite: true, source: lockedPath{admit: r.admitLeaving, recursive: true}, dest: lockedPath{admit: r.admitChange}}
	defer m.release()
	if err := m.begin(ctx, from, to); err != nil {
		return err
	}
	kept, err := r.discard(ctx, m.dest.target, m.dest.place, trashPath(m.dest.target, m.dest.place.Path))
	if err != nil {
		return err
	}
	defer kept.Close()
	meddle()
	if err = m.transfer(ctx); err != nil {
		err = m.restore(kept, m.explain(err))
	}
	return err
}

// FoldEntry folds a name and checks it: as every call does, and as a walk does.
func FoldEntry(name string) (folded, quickly string, ok, quicklyOK bool) {
	quickly, quicklyOK = foldEntry(name)
	return pattern.Fold(name), quickly, checkEntry(name), quicklyOK
}
