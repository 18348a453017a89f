package indextest

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/glob"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// TestReference runs the tests against a simple implementation, so that they require no other properties.
func TestReference(t *testing.T) {
	Run(t, func(*testing.T) index.Index { return &reference{files: make(map[string]index.File)} })
}

// reference is an index.Index that checks every file for each search.
type reference struct {
	mu         sync.Mutex
	files      map[string]index.File
	generation uint64
	writing    *referenceWriter
	closed     bool
}

func (r *reference) snapshot(ctx context.Context) ([]index.File, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, index.ErrClosed
	}
	return slices.SortedFunc(maps.Values(r.files), func(a, b index.File) int { return strings.Compare(a.Path, b.Path) }), ctx.Err()
}

func (r *reference) Lookup(ctx context.Context, path string) (index.Known, bool, error) {
	for k, err := range r.Files(ctx) {
		if err != nil || k.Path == path {
			return k, err == nil, err
		}
	}
	return index.Known{}, false, nil
}

func (r *reference) Files(ctx context.Context) iter.Seq2[index.Known, error] {
	return func(yield func(index.Known, error) bool) {
		files, err := r.snapshot(ctx)
		if err != nil {
			yield(index.Known{}, err)
			return
		}
		for _, f := range files {
			if !yield(known(f), nil) {
				return
			}
		}
	}
}

func (r *reference) Pieces(ctx context.Context, path string) (list []index.Piece, err error) {
	files, err := r.snapshot(ctx)
	for _, f := range files {
		for _, p := range f.Pieces {
			if f.Path == path {
				list = append(list, without(p))
			}
		}
	}
	return list, err
}

func (r *reference) Stats(ctx context.Context) (index.Stats, error) {
	files, err := r.snapshot(ctx)
	st := index.Stats{Generation: r.generation, Changed: epoch, Languages: make(map[string]int), Files: len(files)}
	for _, f := range files {
		st.Pieces += len(f.Pieces)
		st.Source += f.Size
		st.Languages[f.Language]++
	}
	return st, err
}

func (r *reference) Close(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return nil
}

// allows reports whether a filter accepts a piece.
func allows(f index.Filter, file *index.File, kind string) (bool, error) {
	fits := func(patterns []string) (bool, error) {
		for _, p := range patterns {
			if g, err := glob.Compile(strings.TrimSuffix(p, "/") + strings.Repeat("/**", strings.Count(p[len(p)-1:], "/"))); err != nil {
				return false, err
			} else if p = strings.TrimSuffix(p, "/"); p == "." || file.Path == p || strings.HasPrefix(file.Path, p+"/") || !g.Plain() && g.Match(file.Path[strings.LastIndexByte(file.Path, '/')+1:], file.Path) {
				return true, nil
			}
		}
		return false, nil
	}
	in, err := fits(f.Paths)
	out, err2 := fits(f.Exclude)
	extension := strings.ToLower(file.Path[strings.LastIndexByte(file.Path, '.')+1:])
	return (in || len(f.Paths) == 0) && !out && (len(f.Extensions)+len(f.Languages) == 0 || slices.Contains(f.Extensions, extension) || slices.Contains(f.Languages, file.Language)) &&
		(f.ModifiedAfter.IsZero() || file.ModTime.After(f.ModifiedAfter)) && (kind == "" || len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)), errors.Join(err, err2)
}

// fieldsOf returns the words of each field of a piece.
func fieldsOf(f *index.File, p *index.Piece) (fields [index.Fields][]string) {
	add := func(field index.Field, text string) {
		for w := range (&token.Scanner{Singles: field == index.Name}).Words([]byte(text)) {
			fields[field] = append(fields[field], string(w.Text))
		}
	}
	add(index.Name, p.Name)
	add(index.Name, p.Container)
	add(index.Signature, p.Signature)
	add(index.Doc, string(f.Text[p.Doc.Start:p.Doc.End]))
	for _, s := range p.Own {
		add(index.Body, string(f.Text[max(s.Start, p.Doc.End):max(s.End, p.Doc.End)]))
	}
	add(index.Path, f.Path)
	return fields
}

func (r *reference) Search(ctx context.Context, q index.Query) (index.Found, error) {
	files, err := r.snapshot(ctx)
	if err != nil {
		return index.Found{}, err
	}
	if q.Weights == ([index.Fields]float64{}) {
		q.Weights = [index.Fields]float64{4, 2, 1, 1, 1}
	}
	found := index.Found{Frequencies: make([]int, len(q.Terms))}
	var counts [][]float64 // by candidate and term
	for _, f := range files {
		for _, p := range f.Pieces {
			fits, err := allows(q.Filter, &f, p.Kind)
			if err != nil {
				return index.Found{}, err
			}
			c := index.Candidate{File: known(f), Piece: without(p)}
			one := make([]float64, len(q.Terms))
			fields := fieldsOf(&f, &p)
			for i, term := range q.Terms {
				for _, word := range term.Words {
					one[i] = max(one[i], counted(fields, word, q.Weights))
				}
				if one[i] > 0 {
					found.Frequencies[i]++
					c.Matched |= 1 << i
				}
				fits = fits && (one[i] > 0 || !term.Required)
			}
			if fits && c.Matched != 0 {
				found.Candidates, counts = append(found.Candidates, c), append(counts, one)
			}
		}
	}
	for i := range found.Candidates {
		for t, n := range counts[i] {
			found.Candidates[i].Score += n * cmp.Or(q.Terms[t].Weight, 1) / math.Log(2+float64(found.Frequencies[t]))
		}
	}
	return best(found, cmp.Or(q.Limit, 200)), nil
}

// counted returns the weighted count of a word in fields, normalized by their length.
func counted(fields [index.Fields][]string, word string, weights [index.Fields]float64) float64 {
	sum := 0.0
	for field, words := range fields {
		for _, w := range words {
			prefix, ok := strings.CutSuffix(word, "*")
			if w == word || ok && prefix != "" && strings.HasPrefix(w, prefix) {
				sum += weights[field] / (10 + float64(len(words)))
			}
		}
	}
	return sum / (1 + sum)
}

func best(found index.Found, limit int) index.Found {
	found.Total = len(found.Candidates)
	slices.SortStableFunc(found.Candidates, func(a, b index.Candidate) int { return cmp.Compare(b.Score, a.Score) })
	found.Candidates = found.Candidates[:min(limit, found.Total)]
	return found
}

func (r *reference) Similar(ctx context.Context, l index.Likeness) (found index.Found, err error) {
	files, err := r.snapshot(ctx)
	for _, f := range files {
		for _, p := range f.Pieces {
			fits, err := allows(l.Filter, &f, p.Kind)
			if err != nil {
				return index.Found{}, err
			}
			shared := 0
			for _, print := range p.Prints {
				if slices.Contains(l.Prints, print) {
					shared++
				}
			}
			score := float64(shared) / float64(max(1, min(len(p.Prints), len(l.Prints))))
			if fits && shared > 0 && score >= l.Least {
				found.Candidates = append(found.Candidates, index.Candidate{File: known(f), Piece: without(p), Score: score})
			}
		}
	}
	return best(found, cmp.Or(l.Limit, 50)), err
}

func (r *reference) Candidates(ctx context.Context, l index.Literals, filter index.Filter) (paths []string, err error) {
	files, err := r.snapshot(ctx)
	for _, f := range files {
		fits, err := allows(filter, &f, "")
		if err != nil {
			return nil, err
		}
		if fits && f.Verbatim && holds(l, f.Text) {
			paths = append(paths, f.Path)
		}
	}
	return paths, err
}

var errReference = errors.New("refused")

// referenceWriter modifies a copy of the files.
type referenceWriter struct {
	r     *reference
	mu    sync.Mutex
	files map[string]index.File
	kept  map[string]bool
	o     index.WriteOptions
	ended bool
}

func (r *reference) Begin(ctx context.Context, o index.WriteOptions) (index.Writer, error) {
	if _, err := r.snapshot(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writing != nil {
		return nil, index.ErrWriting
	}
	r.writing = &referenceWriter{r: r, files: maps.Clone(r.files), kept: make(map[string]bool), o: o}
	return r.writing, nil
}

func (w *referenceWriter) change(ctx context.Context, f func() error) error {
	if _, err := w.r.snapshot(ctx); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return errReference
	}
	return f()
}

func (w *referenceWriter) Put(ctx context.Context, f index.File) error {
	return w.change(ctx, func() error {
		for _, p := range f.Pieces {
			for _, s := range append([]index.Span{p.Range, p.Doc}, p.Own...) {
				if s.Start < 0 || s.End < s.Start || int(s.End) > len(f.Text) {
					return errReference
				}
			}
		}
		if f.Path == "" {
			return errReference
		}
		w.files[f.Path], w.kept[f.Path] = f, true
		return nil
	})
}

func (w *referenceWriter) Touch(ctx context.Context, k index.Known) error {
	return w.change(ctx, func() error {
		if f, ok := w.files[k.Path]; ok {
			f.Size, f.ModTime = k.Size, k.ModTime
			w.files[k.Path], w.kept[k.Path] = f, true
		}
		return nil
	})
}

func (w *referenceWriter) Remove(ctx context.Context, paths ...string) error {
	return w.change(ctx, func() error {
		for _, path := range paths {
			delete(w.files, path)
		}
		return nil
	})
}

func (w *referenceWriter) Commit(ctx context.Context) error {
	defer w.Abort()
	return w.change(ctx, func() error {
		if w.o.Replace {
			maps.DeleteFunc(w.files, func(path string, _ index.File) bool { return !w.kept[path] })
		}
		w.r.mu.Lock()
		defer w.r.mu.Unlock()
		w.r.files = w.files
		w.r.generation++
		return nil
	})
}

func (w *referenceWriter) Abort() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	if w.r.writing == w {
		w.r.writing = nil
	}
	w.ended = true
}
