package security

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/journal"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// journals returns the store of the journals in a state directory.
func (r *Root) journals(state string) journal.Store {
	return journal.Store{State: state, Durability: r.durability, Log: r.log}
}

// writeJournal creates a journal with the former contents of the files of all steps.
func (r *Root) writeJournal(ctx context.Context, record *journal.Record, steps []Step) (*journal.Journal, error) {
	record.Roots = r.identities(record)
	j, err := r.journals(r.locks.Dir).Create(record, func(w io.Writer) error { return r.saveContents(ctx, w, record, steps) })
	if err != nil {
		return nil, r.journalError(err)
	}
	return j, nil
}

// journalError returns the Error for a journal that could not be written.
func (r *Root) journalError(err error) error {
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

// saveContents writes the former contents of the files of all steps to w, and adds digests and offsets to the record.
func (r *Root) saveContents(ctx context.Context, w io.Writer, record *journal.Record, steps []Step) error {
	now := make(map[string]string) // digests of files after the steps so far, by key
	offset := int64(0)
	for i := range record.Steps {
		rec := &record.Steps[i]
		key := slashpath.Join(rec.Root, rec.Path) // planBatch has refused other spellings of the same file
		old, known := now[key]
		switch {
		case steps == nil: // a move has already recorded its files
			continue
		case rec.Kind == journal.Create:
		case known:
			rec.Old = old
		default:
			to := &stateWriter{Writer: io.Discard}
			if rec.Kind == journal.Write && !rec.Unsaved {
				to.Writer = w
			}
			d := newDigest(to)
			if err := r.copyCurrent(ctx, *rec, steps[i].Path, journal.MaxContents-offset, d); err != nil {
				return cmp.Or(to.err, err)
			}
			if !strings.HasPrefix(d.sum(), rec.Old) && !rec.Unsaved {
				return stale(steps[i].Path, d.sum(), rec.Old)
			}
			rec.Old = d.sum()
			if to.Writer == w {
				rec.Offset, rec.Size = offset, d.size
				offset += d.size
			}
		}
		if rec.Kind == journal.Write || rec.Kind == journal.Create {
			sum := sha256.Sum256(steps[i].Content)
			rec.New = hex.EncodeToString(sum[:])
			now[key] = rec.New
		}
		if rec.Unsaved {
			rec.New = rec.Old
			now[key] = rec.Old
		}
	}
	return nil
}

// stateWriter remembers a write error, to tell a full state directory from an error of the file that is read.
type stateWriter struct {
	io.Writer
	err error
}

func (w *stateWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

// targetOf returns the target for a final path of a journal. It applies the rules as for a path of a caller.
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

// copyCurrent copies the present content of the file of a step to a writer. limit is in bytes.
func (r *Root) copyCurrent(ctx context.Context, rec journal.Step, given string, limit int64, to io.Writer) error {
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
		return invalid("Change fewer files at once.", "A change of files with more than %d bytes is not made.", journal.MaxContents)
	}
	if err != nil && err != io.EOF {
		return r.explain(t, err)
	}
	return nil
}

// contextReader is a reader that fails when its context ends.
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
