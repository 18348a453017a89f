package search

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"math/bits"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
)

// maxWalked bounds the entries that are looked at where there is no index.
const maxWalked = 50_000

// ProjectFile is a file of the project.
type ProjectFile struct {
	Path       string    `json:"path"`
	Language   string    `json:"language,omitempty"`
	Size       int64     `json:"size"`
	ModifiedAt time.Time `json:"modifiedAt"`
	// Pieces is how many functions, types and sections it has, if it is indexed.
	Pieces int `json:"pieces,omitempty"`
}

// projectFiles are the most important files: what says what the project is, where it begins, what has much in it, what is being
// changed; tests and the work of others last.
func (s *Search) projectFiles(ctx context.Context, most int, state *GitState) (files []ProjectFile, total int, err error) {
	changed := make(map[string]bool)
	if state != nil {
		for _, f := range state.ChangedFiles {
			changed[f.Path] = true
		}
	}
	best := &leastImportant{most: most}
	add := func(known index.Known) {
		total++
		best.add(known, importance(known, changed[known.Path]))
	}
	for _, d := range s.documents {
		_, failed := guarded(ctx, d.guard, func(ctx context.Context) (struct{}, error) {
			for known, err := range d.Index().Files(ctx) {
				if err != nil {
					return struct{}{}, err
				}
				add(known)
			}
			return struct{}{}, nil
		})
		err = errors.Join(err, failed)
	}
	if total == 0 {
		err = errors.Join(err, s.walkFiles(ctx, add))
	} else if gaps := s.gaps(); len(gaps) > 0 {
		err = errors.Join(err, errors.New(describeGaps(gaps)+": these are the files that it has"))
	}
	for _, f := range best.sorted() {
		files = append(files, ProjectFile{Path: f.Path, Language: f.Language, Size: f.Size, ModifiedAt: f.ModTime.UTC(), Pieces: f.Pieces})
	}
	return files, total, err
}

// walkFiles finds files where there is no index.
func (s *Search) walkFiles(ctx context.Context, add func(index.Known)) error {
	stats, err := s.root.Walk(ctx, ".", security.WalkOptions{MaxEntries: maxWalked}, func(e *security.WalkEntry) error {
		if e.Kind != security.RegularFile {
			return nil
		}
		info, err := e.Info(ctx)
		if err == nil {
			add(index.Known{Path: e.Path(), Size: info.Size, ModTime: info.ModTime})
		}
		return nil
	})
	if err == nil && stats.Full {
		err = errors.New("there are more files than are looked at")
	}
	return err
}

// importance is how much a file tells of the project.
func importance(known index.Known, changed bool) int {
	name := strings.ToLower(path.Base(known.Path))
	stem, _, _ := strings.Cut(name, ".")
	depth := strings.Count(known.Path, "/")
	points := -6 * depth
	switch {
	case stem == "readme":
		points += 60
	case slices.ContainsFunc(manifests, func(m manifest) bool { return strings.EqualFold(m.name, name) }):
		points += 50
	case slices.Contains([]string{"main", "app", "index", "server", "lib", "mod", "__init__", "doc", "architecture", "contributing", "makefile", "dockerfile"}, stem):
		points += 20
	}
	points += 4 * min(bits.Len(uint(known.Pieces)), 6)
	if rank.Secondary(known.Path) {
		points -= 40
	}
	if changed {
		points += 25
	}
	return points
}

// ranked is a file with its importance.
type ranked struct {
	index.Known
	points int
}

func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(b.points, a.points), strings.Compare(a.Path, b.Path))
}

// leastImportant is a heap of so many files, with that at its top that goes first.
type leastImportant struct {
	most int
	all  []ranked
}

func (h *leastImportant) Len() int           { return len(h.all) }
func (h *leastImportant) Less(i, j int) bool { return h.all[i].compare(h.all[j]) > 0 }
func (h *leastImportant) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *leastImportant) Push(x any)         { h.all = append(h.all, x.(ranked)) }
func (h *leastImportant) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}

func (h *leastImportant) add(known index.Known, points int) {
	f := ranked{known, points}
	switch {
	case len(h.all) < h.most:
		heap.Push(h, f)
	case f.compare(h.all[0]) < 0:
		h.all[0] = f
		heap.Fix(h, 0)
	}
}

func (h *leastImportant) sorted() []ranked {
	slices.SortFunc(h.all, ranked.compare)
	return h.all
}
