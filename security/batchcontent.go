package security

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

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
