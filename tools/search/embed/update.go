package embed

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of the text of a piece.
const (
	minPieceText = 24   // bytes; shorter pieces are not embedded
	maxPieceText = 4000 // bytes
)

// batch collects texts to embed, and the files that are complete afterwards.
type batch struct {
	keys  []Key
	texts []string
	files []pendingFile
}

// pendingFile is a file with the keys of its pieces.
type pendingFile struct {
	known index.Known
	keys  []Key
	refs  []ref
}

// Update embeds all pieces without a vector, and removes deleted files. Unreadable files are skipped until the next update.
// Errors are those of ctx, the index and the Embedder; vectors stored before the error are kept.
func (c *Corpus) Update(ctx context.Context) error {
	c.updating.Lock()
	defer c.updating.Unlock()
	err := c.update(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status.Failed = err; err == nil {
		c.status.Updated = time.Now()
	}
	return err
}

func (c *Corpus) update(ctx context.Context) error {
	store, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	var changed []index.Known
	for known, err := range c.o.Index.Files(ctx) {
		if err != nil {
			return fmt.Errorf("listing pieces without vectors: %w", err)
		}
		there[known.Path] = true
		if !c.isUpToDate(known) {
			changed = append(changed, known)
		}
	}
	c.removeMissing(there)
	var b batch
	for i, known := range changed {
		c.setPending(len(changed) - i)
		if err := c.addFile(ctx, known, store, &b); err != nil {
			return err
		}
		for len(b.texts) >= c.o.Batch {
			if err := c.embedBatch(ctx, store, &b); err != nil {
				return err
			}
		}
	}
	for len(b.texts) > 0 {
		if err := c.embedBatch(ctx, store, &b); err != nil {
			return err
		}
	}
	c.finishBatch(&b)
	c.setPending(0)
	return store.Retain(c.isUsed)
}

// isUpToDate reports whether the indexed version of a file has vectors.
func (c *Corpus) isUpToDate(known index.Known) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[known.Path]
	if f != nil && f.known.Hash == known.Hash {
		f.known.ModTime = known.ModTime // filters compare it
	}
	return f != nil && f.known.Hash == known.Hash && f.known.Version == known.Version
}

// isUsed reports whether a piece has the text k.
func (c *Corpus) isUsed(k Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.refs[k]) > 0
}

func (c *Corpus) setPending(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Pending = n
}

// addFile adds the texts of a file without a vector to the batch.
func (c *Corpus) addFile(ctx context.Context, known index.Known, store *Store, b *batch) error {
	pieces, err := c.o.Index.Pieces(ctx, known.Path)
	if err != nil {
		return fmt.Errorf("listing pieces without vectors: %w", err)
	}
	text, err := c.o.Read(ctx, known.Path)
	if err != nil {
		return context.Cause(ctx) // nil for an unreadable file, which the next update reads again
	}
	d := pendingFile{known: known}
	for i := range pieces {
		content := pieceText(text, &pieces[i])
		if content == "" {
			continue
		}
		k := KeyOf(content)
		d.keys = append(d.keys, k)
		d.refs = append(d.refs, ref{known.Path, pieces[i].Range, pieces[i].Kind})
		if !store.Has(k) {
			b.keys = append(b.keys, k)
			b.texts = append(b.texts, content)
		}
	}
	b.files = append(b.files, d)
	return nil
}

// embedBatch embeds the first texts of a batch. After the last text its files are complete.
func (c *Corpus) embedBatch(ctx context.Context, store *Store, b *batch) error {
	if c.o.PerMinute > 0 {
		if err := wait.Sleep(ctx, time.Minute/time.Duration(c.o.PerMinute)); err != nil {
			return err
		}
	}
	n := min(len(b.texts), c.o.Batch)
	vectors, err := c.o.Embedder.Embed(ctx, b.texts[:n])
	if err != nil {
		return err
	}
	if err := store.Put(b.keys[:n], vectors); err != nil {
		return err
	}
	b.keys, b.texts = b.keys[n:], b.texts[n:]
	if len(b.texts) == 0 {
		c.finishBatch(b)
	}
	return nil
}

// finishBatch records the files of a batch as complete.
func (c *Corpus) finishBatch(b *batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range b.files {
		c.removeFile(d.known.Path)
		c.files[d.known.Path] = &embeddedFile{known: d.known, keys: d.keys}
		for i, k := range d.keys {
			c.refs[k] = append(c.refs[k], d.refs[i])
		}
		c.status.Pieces += len(d.keys)
	}
	c.status.Files = len(c.files)
	b.files = nil
}

// removeMissing removes the files that are not in there.
func (c *Corpus) removeMissing(there map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.files {
		if !there[path] {
			c.removeFile(path)
		}
	}
	c.status.Files = len(c.files)
}

// removeFile removes a file and its references.
func (c *Corpus) removeFile(path string) {
	f := c.files[path]
	if f == nil {
		return
	}
	delete(c.files, path)
	c.status.Pieces -= len(f.keys)
	for _, k := range f.keys {
		var left []ref
		for _, r := range c.refs[k] {
			if r.path != path {
				left = append(left, r)
			}
		}
		if c.refs[k] = left; left == nil {
			delete(c.refs, k)
		}
	}
}

// pieceText returns the text of a piece for the model, at most maxPieceText bytes. It is empty if the piece is too short or
// text is another version of the file.
func pieceText(text []byte, p *index.Piece) string {
	var b strings.Builder
	for _, own := range p.Own {
		if own.Start < 0 || own.End < own.Start || int(own.End) > len(text) {
			return ""
		}
		part := bytes.TrimSpace(text[own.Start:own.End])
		b.Write(part[:min(len(part), max(0, maxPieceText-b.Len()))])
		b.WriteByte('\n')
	}
	if b.Len() < minPieceText {
		return ""
	}
	head := strings.TrimSpace(p.Container + " " + p.Name)
	return strings.ToValidUTF8(strings.TrimSpace(head+"\n"+b.String()), "")
}
