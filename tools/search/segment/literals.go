package segment

import (
	"cmp"
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of a condition. The parts above a limit count as fulfilled.
const (
	maxDepth    = 64
	maxTrigrams = 256 // per literal
)

// Candidates returns the paths of the files whose text may fulfil a condition.
func (ix *Index) Candidates(ctx context.Context, l index.Literals, f index.Filter) ([]string, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer ix.leave(s)
	paths, err := s.candidates(ctx, &l, &f)
	return paths, ix.heal(s, err)
}

func (s *state) candidates(ctx context.Context, q *index.Literals, f *index.Filter) ([]string, error) {
	allowed, err := s.allow(f)
	if err != nil {
		return nil, err
	}
	var paths []string
	for i, l := range s.live {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		fit, all, err := l.fulfil(q, 0)
		if err != nil {
			return nil, err
		}
		add := func(file uint32) {
			if r := &l.rows[file]; r.verbatim && allowed[i].file(file) && !l.dead.has(file) {
				paths = append(paths, r.path)
			}
		}
		if all {
			for file := range l.rows {
				add(uint32(file))
			}
		}
		for _, file := range fit {
			add(file)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// fulfil returns the files that may fulfil a condition in order, or reports that all
// may.
func (s *segment) fulfil(q *index.Literals, depth int) (files []uint32, all bool, err error) {
	if depth > maxDepth {
		return nil, true, nil
	}
	files, all, err = s.having(q.Literal)
	for i := 0; i < len(q.All) && err == nil && (all || len(files) > 0); i++ {
		var more []uint32
		var every bool
		if more, every, err = s.fulfil(&q.All[i], depth+1); every || err != nil {
			continue
		}
		if all {
			files, all = more, false
		} else {
			files = intersect(files, more)
		}
	}
	if err != nil || len(q.Any) == 0 || !all && len(files) == 0 {
		return files, all, err
	}
	var any []uint32
	for i := range q.Any {
		more, every, err := s.fulfil(&q.Any[i], depth+1)
		if err != nil || every {
			return files, all, err
		}
		any = unite(any, more)
	}
	if all {
		return any, false, nil
	}
	return intersect(files, any), false, nil
}

// having returns the files that contain the trigrams of a text. A text of one byte
// counts as present everywhere.
func (s *segment) having(text string) (files []uint32, all bool, err error) {
	switch len(text) {
	case 0, 1:
		return nil, true, nil
	case 2:
		files, err = s.filesWithPrefix(folded[text[0]]<<8 | folded[text[1]])
		return files, false, err
	}
	places, err := s.trigramPlaces(text)
	if err != nil || len(places) == 0 {
		return nil, false, err
	}
	var next []uint32
	for i, p := range places {
		if i > 0 && len(files) == 0 {
			break
		}
		if next, err = s.trigrams.files(next[:0], p, uint32(len(s.rows))); err != nil {
			return nil, false, err
		}
		if i == 0 {
			files = slices.Clone(next)
		} else {
			files = intersect(files, next)
		}
	}
	return files, false, nil
}

// trigramPlaces returns the locations of the file lists of a text's trigrams, shortest
// first; none if a trigram is in no file.
func (s *segment) trigramPlaces(text string) ([]listPlace, error) {
	seen := make(map[uint32]bool)
	var places []listPlace
	for i := 0; i+2 < len(text) && len(seen) < maxTrigrams; i++ {
		t := folded[text[i]]<<16 | folded[text[i+1]]<<8 | folded[text[i+2]]
		if seen[t] {
			continue
		}
		seen[t] = true
		p, err := s.trigrams.find(t)
		if err != nil || p.count == 0 {
			return nil, err
		}
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b listPlace) int { return cmp.Compare(a.count, b.count) })
	return places, nil
}

// filesWithPrefix returns the files that contain a trigram with these first two bytes.
func (s *segment) filesWithPrefix(two uint32) ([]uint32, error) {
	var places []listPlace
	err := s.trigrams.each(two<<8, two<<8|0xFF, func(_ uint32, p listPlace) { places = append(places, p) })
	if err != nil {
		return nil, err
	}
	set := newBitset(uint32(len(s.rows)))
	var list []uint32
	for _, p := range places {
		if list, err = s.trigrams.files(list[:0], p, uint32(len(s.rows))); err != nil {
			return nil, err
		}
		for _, file := range list {
			set.set(file)
		}
	}
	return set.list(), nil
}

// intersect returns the numbers in both lists. It overwrites a.
func intersect(a, b []uint32) []uint32 {
	kept := a[:0]
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			kept = append(kept, a[i])
			i++
			j++
		}
	}
	return kept
}

// unite returns the numbers in a or b.
func unite(a, b []uint32) []uint32 {
	all := make([]uint32, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			all, a = append(all, a[0]), a[1:]
		case a[0] > b[0]:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}
