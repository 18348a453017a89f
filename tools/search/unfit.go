package search

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/index"
)

// fits counts indexed files for a part of a filter.
type fits struct {
	filter index.Filter
	said   string // the part as it was given
	files  int
}

// unfitFilter says which part of the filters no indexed file fits, and which filter might be meant; empty if there are files that fit.
func (s *Search) unfitFilter(ctx context.Context, q *question) string {
	var parts []*fits
	if len(q.filter.Paths) > 0 {
		parts = append(parts, &fits{filter: index.Filter{Paths: q.filter.Paths}, said: "the path " + quote(q.filter.Paths[0])})
	}
	if len(q.filter.Extensions) > 0 {
		parts = append(parts, &fits{filter: index.Filter{Extensions: q.filter.Extensions, Languages: q.filter.Languages}, said: "the fileTypes " + quoteAll(q.filter.Extensions)})
	}
	if !q.filter.ModifiedAfter.IsZero() {
		parts = append(parts, &fits{filter: index.Filter{ModifiedAfter: q.filter.ModifiedAfter}, said: "modifiedAfter"})
	}
	if len(parts) == 0 {
		return ""
	}
	whole := &fits{filter: q.filter}
	names, err := s.countFits(ctx, append(parts, whole))
	if err != nil || whole.files > 0 {
		return ""
	}
	for _, p := range parts {
		if p.files == 0 {
			return fmt.Sprintf("no indexed file fits %s, so nothing was searched%s", p.said, s.meant(ctx, p.filter, names))
		}
	}
	return "each of the filters fits some indexed files, and no file fits all of them, so nothing was searched"
}

// projectNames are names that a filter may mean.
type projectNames struct {
	paths map[string]bool // files and directories
	types map[string]int  // files by extension and language
}

// countFits goes through the indexed files once.
func (s *Search) countFits(ctx context.Context, all []*fits) (projectNames, error) {
	names := projectNames{paths: make(map[string]bool), types: make(map[string]int)}
	matchers := make([]*index.Matcher, len(all))
	for i, f := range all {
		var err error
		if matchers[i], err = f.filter.Matcher(); err != nil {
			return names, err
		}
	}
	for _, d := range s.documents {
		_, err := guarded(ctx, d.guard, func(ctx context.Context) (struct{}, error) {
			for known, err := range d.Index().Files(ctx) {
				if err != nil {
					return struct{}{}, err
				}
				names.add(known)
				for i, m := range matchers {
					if m.File(known) {
						all[i].files++
					}
				}
			}
			return struct{}{}, nil
		})
		if err != nil {
			return names, err
		}
	}
	return names, nil
}

func (n *projectNames) add(known index.Known) {
	n.types[known.Language]++
	if extension := strings.ToLower(strings.TrimPrefix(path.Ext(known.Path), ".")); extension != known.Language && extension != "" {
		n.types[extension]++
	}
	for p := known.Path; p != "." && p != "/" && !n.paths[p]; p = path.Dir(p) {
		n.paths[p] = true
	}
}

// meant is the likely meaning of a filter that no file fits.
func (s *Search) meant(ctx context.Context, f index.Filter, names projectNames) string {
	switch {
	case len(f.Paths) > 0:
		return s.meantPath(ctx, strings.TrimSuffix(f.Paths[0], "/"), names)
	case len(f.Extensions) > 0:
		return meantType(f.Extensions, names) + "; indexed are " + commonest(names.types)
	}
	return ""
}

func (s *Search) meantPath(ctx context.Context, name string, names projectNames) string {
	inside := strings.TrimLeft(name, "/")
	if names.paths[inside] {
		return fmt.Sprintf("; paths begin in the project: did you mean %s?", quote(inside))
	}
	if _, err := s.root.Stat(ctx, name); err == nil {
		return "; " + tools.Advice(ctx, "it exists, but is ignored, skipped or not indexed yet: get_index_status with this path says more")
	} else if security.CodeOf(err) != security.FileNotFound {
		return "; " + strings.TrimSuffix(err.Error(), ".")
	}
	known := make([]string, 0, len(names.paths))
	for p := range names.paths {
		known = append(known, p)
	}
	slices.Sort(known)
	if near := nearest.Name(inside, known); near != "" {
		return fmt.Sprintf("; did you mean %s?", quote(near))
	}
	for _, p := range known {
		if path.Base(p) == path.Base(inside) {
			return fmt.Sprintf("; did you mean %s?", quote(p))
		}
	}
	return ""
}

// meantType is a type that is the beginning of one that was given, has it as its beginning, or is spelled like it.
func meantType(given []string, names projectNames) string {
	known := make([]string, 0, len(names.types))
	for name := range names.types {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, kind := range given {
		near := nearest.Name(kind, known)
		for _, name := range known {
			if near == "" && len(name) > 1 && (strings.HasPrefix(kind, name) || strings.HasPrefix(name, kind)) {
				near = name
			}
		}
		if near != "" {
			return fmt.Sprintf("; did you mean %s?", quote(near))
		}
	}
	return ""
}
