package segment

import (
	"context"
	"iter"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Lookup tells of one file.
func (ix *Index) Lookup(ctx context.Context, path string) (index.Known, bool, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return index.Known{}, false, err
	}
	defer ix.leave(s)
	l, file, ok := s.lookup(path)
	if !ok {
		return index.Known{}, false, nil
	}
	r := l.row(file)
	return l.known(&r), true, nil
}

// Files tells of all files that there are when the loop begins.
func (ix *Index) Files(ctx context.Context) iter.Seq2[index.Known, error] {
	return func(yield func(index.Known, error) bool) {
		s, err := ix.enter(ctx)
		if err != nil {
			yield(index.Known{}, err)
			return
		}
		defer ix.leave(s)
		for l, file := range s.files() {
			if err := ctx.Err(); err != nil {
				yield(index.Known{}, err)
				return
			}
			r := l.row(file)
			if !yield(l.known(&r), nil) {
				return
			}
		}
	}
}

// files are all files in order of their paths.
func (s *state) files() iter.Seq2[*live, uint32] {
	return func(yield func(*live, uint32) bool) {
		rest := make([][]uint32, len(s.live))
		for i, l := range s.live {
			rest[i] = l.skipDead(l.byPath)
		}
		for {
			first, path := -1, ""
			for i, l := range s.live {
				if len(rest[i]) == 0 {
					continue
				}
				if p := l.rows[rest[i][0]].path; first < 0 || p < path {
					first, path = i, p
				}
			}
			if first < 0 || !yield(s.live[first], rest[first][0]) {
				return
			}
			rest[first] = s.live[first].skipDead(rest[first][1:])
		}
	}
}

// skipDead is a list from the first file on that is not deleted.
func (l *live) skipDead(files []uint32) []uint32 {
	for len(files) > 0 && l.dead.has(files[0]) {
		files = files[1:]
	}
	return files
}

// Pieces are those of one file, none for one that is not known.
func (ix *Index) Pieces(ctx context.Context, path string) ([]index.Piece, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer ix.leave(s)
	l, file, ok := s.lookup(path)
	if !ok {
		return nil, nil
	}
	row := l.row(file)
	numbers := make([]uint32, row.count)
	for i := range numbers {
		numbers[i] = row.first + uint32(i)
	}
	list, err := l.piecesOf(&row, numbers)
	return list, ix.heal(s, err)
}
