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

// Bounds of the text of a piece.
const (
	leastText = 24   // bytes of a piece: less means nothing
	mostText  = 4000 // bytes
)

// batch are texts that wait for their vectors, with the files that are done then.
type batch struct {
	keys  []Key
	texts []string
	files []done
}

// done is a file with its pieces.
type done struct {
	known index.Known
	keys  []Key
	refs  []ref
}

// Update makes vectors of all pieces that have none, and forgets those of files that
// are no more. Files that cannot be read are left for the next time. The errors are
// those of ctx, of the index and of the Embedder: what was done before is kept.
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
	store, err := c.opened(ctx)
	if err != nil {
		return err
	}
	there := map[string]bool{}
	var changed []index.Known
	for known, err := range c.o.Index.Files(ctx) {
		if err != nil {
			return fmt.Errorf("looking for pieces without vectors: %w", err)
		}
		there[known.Path] = true
		if !c.has(known) {
			changed = append(changed, known)
		}
	}
	c.forget(there)
	var b batch
	for i, known := range changed {
		c.pending(len(changed) - i)
		if err := c.file(ctx, known, store, &b); err != nil {
			return err
		}
		for len(b.texts) >= c.o.Batch {
			if err := c.embed(ctx, store, &b); err != nil {
				return err
			}
		}
	}
	for len(b.texts) > 0 {
		if err := c.embed(ctx, store, &b); err != nil {
			return err
		}
	}
	c.finish(&b)
	c.pending(0)
	return store.Retain(c.used)
}

// has says that a file is done.
func (c *Corpus) has(known index.Known) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.files[known.Path]
	if f != nil && f.known.Hash == known.Hash {
		f.known.ModTime = known.ModTime // which a filter asks for
	}
	return f != nil && f.known.Hash == known.Hash && f.known.Version == known.Version
}

// used says that some piece has a text.
func (c *Corpus) used(k Key) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.at[k]) > 0
}

func (c *Corpus) pending(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status.Pending = n
}

// file adds what is missing of a file to the batch.
func (c *Corpus) file(ctx context.Context, known index.Known, store *Store, b *batch) error {
	pieces, err := c.o.Index.Pieces(ctx, known.Path)
	if err != nil {
		return fmt.Errorf("looking for pieces without vectors: %w", err)
	}
	text, err := c.o.Read(ctx, known.Path)
	if err != nil {
		return context.Cause(ctx) // nil for what cannot be read: it will be gone, or be read the next time
	}
	d := done{known: known}
	for i := range pieces {
		said := pieceText(text, &pieces[i])
		if said == "" {
			continue
		}
		k := KeyOf(said)
		d.keys = append(d.keys, k)
		d.refs = append(d.refs, ref{known.Path, pieces[i].Range, pieces[i].Kind})
		if !store.Has(k) {
			b.keys = append(b.keys, k)
			b.texts = append(b.texts, said)
		}
	}
	b.files = append(b.files, d)
	return nil
}

// embed has the vectors of the first texts of a batch made. When there are none left
// the files are done.
func (c *Corpus) embed(ctx context.Context, store *Store, b *batch) error {
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
		c.finish(b)
	}
	return nil
}

// finish notes that the files of a batch are done.
func (c *Corpus) finish(b *batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range b.files {
		c.drop(d.known.Path)
		c.files[d.known.Path] = &embedded{known: d.known, keys: d.keys}
		for i, k := range d.keys {
			c.at[k] = append(c.at[k], d.refs[i])
		}
		c.status.Pieces += len(d.keys)
	}
	c.status.Files = len(c.files)
	b.files = nil
}

// forget drops the files that are no more.
func (c *Corpus) forget(there map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for path := range c.files {
		if !there[path] {
			c.drop(path)
		}
	}
	c.status.Files = len(c.files)
}

// drop forgets a file.
func (c *Corpus) drop(path string) {
	f := c.files[path]
	if f == nil {
		return
	}
	delete(c.files, path)
	c.status.Pieces -= len(f.keys)
	for _, k := range f.keys {
		var left []ref
		for _, r := range c.at[k] {
			if r.path != path {
				left = append(left, r)
			}
		}
		if c.at[k] = left; left == nil {
			delete(c.at, k)
		}
	}
}

// pieceText is what is said to the model of a piece, or nothing if there is too
// little, or the text is not the one that was indexed.
func pieceText(text []byte, p *index.Piece) string {
	var b strings.Builder
	for _, own := range p.Own {
		if own.Start < 0 || own.End < own.Start || int(own.End) > len(text) {
			return ""
		}
		part := bytes.TrimSpace(text[own.Start:own.End])
		b.Write(part[:min(len(part), max(0, mostText-b.Len()))])
		b.WriteByte('\n')
	}
	if b.Len() < leastText {
		return ""
	}
	head := strings.TrimSpace(p.Container + " " + p.Name)
	return strings.ToValidUTF8(strings.TrimSpace(head+"\n"+b.String()), "")
}
