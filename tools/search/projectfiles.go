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

// maxWalkEntries limits the directory entries that are visited if there is no index.
const maxWalkEntries = 50_000

// ProjectFile is a file in the result of getProjectContext.
type ProjectFile struct {
	// Path is relative to the project.
	Path string `json:"path"`
	// Language is the language of an indexed file; empty without an index.
	Language string `json:"language,omitempty"`
	// Size is the length in bytes.
	Size       int64     `json:"size"`
	ModifiedAt time.Time `json:"modifiedAt"`
	// Pieces is the number of indexed functions, types and sections.
	Pieces int `json:"pieces,omitempty"`
}

// projectFiles returns the limit most important files and the number of all files. Important are descriptions of the project,
// entry points, files with many pieces and changed files; tests and vendored code come last. Without an index the project is
// walked. The error describes missing files.
func (s *Search) projectFiles(ctx context.Context, limit int, state *GitState) (files []ProjectFile, total int, err error) {
	changed := make(map[string]bool)
	if state != nil {
		for _, f := range state.ChangedFiles {
			changed[f.Path] = true
		}
	}
	best := &topFiles{maxFiles: limit}
	add := func(known index.Known) {
		total++
		best.add(known, importance(known, changed[known.Path]))
	}
	for _, d := range s.documents {
		if d.external != nil {
			continue
		}
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
	} else if _, gaps := splitGaps(s.gaps()); len(gaps) > 0 {
		err = errors.Join(err, errors.New(describeGaps(gaps)+": only indexed files are listed"))
	}
	for _, f := range best.sorted() {
		files = append(files, ProjectFile{Path: f.Path, Language: f.Language, Size: f.Size, ModifiedAt: f.ModTime.UTC(), Pieces: f.Pieces})
	}
	return files, total, err
}

// walkFiles calls add for each file of the project that the rules of the Root allow.
func (s *Search) walkFiles(ctx context.Context, add func(index.Known)) error {
	stats, err := s.root.Walk(ctx, ".", security.WalkOptions{MaxEntries: maxWalkEntries}, func(e *security.WalkEntry) error {
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
		err = errors.New("the project has more files than are listed")
	}
	return err
}

// importance scores a file by its name, its depth, its number of pieces, and whether it has changed.
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

// compare orders files by importance, then by path.
func (a ranked) compare(b ranked) int {
	return cmp.Or(cmp.Compare(b.points, a.points), strings.Compare(a.Path, b.Path))
}

// topFiles is a heap of the maxFiles most important files. The least important of them is at index 0.
type topFiles struct {
	maxFiles int
	all      []ranked
}

func (h *topFiles) Len() int           { return len(h.all) }
func (h *topFiles) Less(i, j int) bool { return h.all[i].compare(h.all[j]) > 0 }
func (h *topFiles) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }
func (h *topFiles) Push(x any)         { h.all = append(h.all, x.(ranked)) }
func (h *topFiles) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}

// add inserts a file, and drops the least important one if there are more than maxFiles.
func (h *topFiles) add(known index.Known, points int) {
	f := ranked{known, points}
	switch {
	case len(h.all) < h.maxFiles:
		heap.Push(h, f)
	case f.compare(h.all[0]) < 0:
		h.all[0] = f
		heap.Fix(h, 0)
	}
}

// sorted returns the files by importance and destroys the heap.
func (h *topFiles) sorted() []ranked {
	slices.SortFunc(h.all, ranked.compare)
	return h.all
}
