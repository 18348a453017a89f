package parsecheck

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// Want selects the chunks of a comparison and the line at which they begin.
type Want struct {
	// Chunk reports whether a chunk is compared; nil selects callables and types.
	Chunk func(f *source.File, c *source.Chunk) bool
	// Name uses the line of the name as the start, instead of the first line of the declaration.
	Name bool
}

// Parse parses files, named relative to dir. Results with problems or of an unsure parser are
// included; unsure counts the files with an *UnsureError.
func Parse(t testing.TB, p source.Parser, lang source.Language, dir string, files []string, w Want) (got Found, unsure int) {
	t.Helper()
	got = Found{}
	for _, path := range files {
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		f, err := p.Parse(context.Background(), src, lang, source.Options{})
		var doubt *source.UnsureError
		switch {
		case errors.As(err, &doubt):
			unsure++
			if f == nil {
				f = &source.File{}
			}
		case err != nil:
			t.Errorf("%s: %v", path, err)
			continue
		}
		got[path] = w.decls(f)
	}
	return got, unsure
}

func (w Want) decls(f *source.File) []Decl {
	decls := []Decl{}
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if w.Chunk == nil && !c.Kind.IsCallable() && !c.Kind.IsType() || w.Chunk != nil && !w.Chunk(f, c) {
			continue
		}
		d := Decl{Kind: c.Kind.String(), Name: c.Path(), Start: int(c.Line), End: int(c.EndLine)}
		if w.Name {
			d.Start = int(c.IdentLine)
		}
		decls = append(decls, d)
	}
	return decls
}
