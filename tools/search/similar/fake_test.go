package similar_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/similar"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// memory is a simple index.Index.
type memory struct {
	index.Index
	files map[string]index.File
	texts map[string][]byte // content of the files, as Read returns it
	posts map[uint32][]at
	all   []at
}

// at is the location of a piece.
type at struct {
	path  string
	piece *index.Piece
}

func newMemory() *memory {
	return &memory{files: map[string]index.File{}, texts: map[string][]byte{}, posts: map[uint32][]at{}}
}

// add adds a file with one piece for each function and type.
func (m *memory) add(parsers *source.Parsers, path string, src []byte) error {
	lang, ok := source.LanguageOf(path, src)
	if !ok {
		return fmt.Errorf("%s: no language", path)
	}
	file, err := parsers.Parse(context.Background(), src, lang, source.Options{})
	if err != nil {
		return err
	}
	f := index.File{Path: path, Size: int64(len(src)), Language: string(lang), Text: src, Verbatim: true}
	for _, c := range file.Chunks {
		if c.Kind.IsCallable() || c.Kind.IsType() {
			r := index.Span{Start: c.Start, End: c.End}
			f.Pieces = append(f.Pieces, index.Piece{Kind: c.Kind.String(), Name: c.Name, Container: c.Container, Range: r, Own: []index.Span{r}, StartLine: c.StartLine, EndLine: c.EndLine})
		}
	}
	similar.WithPrints(f.Pieces, src, f.Language, nil)
	m.files[path] = f
	m.texts[path] = src
	for i := range f.Pieces {
		one := at{path, &f.Pieces[i]}
		m.all = append(m.all, one)
		for _, print := range one.piece.Prints {
			m.posts[print] = append(m.posts[print], one)
		}
	}
	return nil
}

// indexOf returns an index of files.
func indexOf(texts map[string]string) (*memory, error) {
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	m := newMemory()
	for path, text := range texts {
		if err := m.add(parsers, path, []byte(text)); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *memory) read(ctx context.Context, path string) ([]byte, error) {
	if text, ok := m.texts[path]; ok {
		return text, ctx.Err()
	}
	return nil, os.ErrNotExist
}

func (m *memory) known(path string) index.Known {
	f := m.files[path]
	return index.Known{Path: path, Size: f.Size, Language: f.Language, Pieces: len(f.Pieces)}
}

func (m *memory) fits(path string, f index.Filter) bool {
	return len(f.Languages) == 0 || slices.Contains(f.Languages, m.files[path].Language)
}

func (m *memory) Similar(ctx context.Context, l index.Likeness) (index.Found, error) {

	shared := map[at]int{}
	for _, print := range l.Prints {
		for _, one := range m.posts[print] {
			shared[one]++
		}
	}
	var found index.Found
	for one, n := range shared {
		score := float64(n) / float64(min(len(l.Prints), len(one.piece.Prints)))
		if m.fits(one.path, l.Filter) && score >= l.Least {
			found.Candidates = append(found.Candidates, index.Candidate{File: m.known(one.path), Piece: *one.piece, Score: score})
		}
	}
	slices.SortFunc(found.Candidates, func(x, y index.Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(len(x.Piece.Prints), len(y.Piece.Prints)),
			cmp.Compare(x.File.Path, y.File.Path), cmp.Compare(x.Piece.Range.Start, y.Piece.Range.Start))
	})
	found.Total = len(found.Candidates)
	found.Candidates = found.Candidates[:min(len(found.Candidates), l.Limit)]
	return found, ctx.Err()
}

func (m *memory) Candidates(ctx context.Context, l index.Literals, f index.Filter) ([]string, error) {
	var paths []string
	for path, file := range m.files {
		has := bytes.Contains(file.Text, []byte(l.Literal))
		for _, one := range l.All {
			has = has && bytes.Contains(file.Text, []byte(one.Literal))
		}
		if has && m.fits(path, f) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, ctx.Err()
}

func (m *memory) Lookup(ctx context.Context, path string) (index.Known, bool, error) {
	_, ok := m.files[path]
	return m.known(path), ok, ctx.Err()
}

func (m *memory) Pieces(ctx context.Context, path string) ([]index.Piece, error) {
	return m.files[path].Pieces, ctx.Err()
}

func (m *memory) Files(context.Context) iter.Seq2[index.Known, error] {
	return func(yield func(index.Known, error) bool) {
		for _, path := range slices.Sorted(func(yield func(string) bool) {
			for path := range m.files {
				if !yield(path) {
					return
				}
			}
		}) {
			if !yield(m.known(path), nil) {
				return
			}
		}
	}
}
