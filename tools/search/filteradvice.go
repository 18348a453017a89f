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

// filterPart is one condition of a filter, with the number of indexed files that match it.
type filterPart struct {
	filter index.Filter
	label  string // the condition as named in messages
	files  int
}

// explainUnmatchedFilter returns a sentence that names the filter of q without matching files and suggests another value. It is
// empty if some indexed file matches all filters. meant is the only path that the path of the filter can mean, or empty.
func (s *Search) explainUnmatchedFilter(ctx context.Context, q *documentQuery) (text, meant string) {
	var parts []*filterPart
	if len(q.filter.Paths) > 0 {
		parts = append(parts, &filterPart{filter: index.Filter{Paths: q.filter.Paths}, label: "the path " + quote(q.filter.Paths[0])})
	}
	if len(q.filter.Extensions) > 0 {
		parts = append(parts, &filterPart{filter: index.Filter{Extensions: q.filter.Extensions, Languages: q.filter.Languages}, label: "the fileTypes " + quoteAll(q.filter.Extensions)})
	}
	if !q.filter.ModifiedAfter.IsZero() {
		parts = append(parts, &filterPart{filter: index.Filter{ModifiedAfter: q.filter.ModifiedAfter}, label: "modifiedAfter"})
	}
	if len(parts) == 0 {
		return "", ""
	}
	complete := &filterPart{filter: q.filter}
	names, err := s.countMatches(ctx, append(parts, complete))
	if err != nil || complete.files > 0 {
		return "", ""
	}
	for _, p := range parts {
		if p.files == 0 {
			if len(p.filter.Paths) == 1 {
				meant = names.meant(p.filter.Paths[0])
			}
			return fmt.Sprintf("no indexed file matches %s, so no file was searched%s", p.label, s.suggestFilter(ctx, p.filter, names)), meant
		}
	}
	return "each filter matches some indexed files, but no file matches all of them, so no file was searched", ""
}

// projectNames are the names that a filter can contain.
type projectNames struct {
	paths map[string]bool // files and directories
	types map[string]int  // files by extension and language
}

// countMatches counts the matches of each filter in one iteration over the indexed files, and returns the names of these files.
func (s *Search) countMatches(ctx context.Context, all []*filterPart) (projectNames, error) {
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

// add records the extension, language, path and directories of an indexed file.
func (n *projectNames) add(known index.Known) {
	n.types[known.Language]++
	if extension := strings.ToLower(strings.TrimPrefix(path.Ext(known.Path), ".")); extension != known.Language && extension != "" {
		n.types[extension]++
	}
	for p := known.Path; p != "." && p != "/" && !n.paths[p]; p = path.Dir(p) {
		n.paths[p] = true
	}
}

// meant returns the indexed path that a path without indexed files can only mean: the same path without "/" before it, or the
// only path that ends with it. It is empty if there is none.
func (n *projectNames) meant(name string) string {
	name = strings.Trim(name, "/")
	if name == "" || n.paths[name] {
		return name
	}
	only := ""
	for p := range n.paths {
		if strings.HasSuffix(p, "/"+name) {
			if only != "" {
				return ""
			}
			only = p
		}
	}
	return only
}

// suggestFilter returns a suggestion for a filter without matching files, beginning with "; ", or "".
func (s *Search) suggestFilter(ctx context.Context, f index.Filter, names projectNames) string {
	switch {
	case len(f.Paths) > 0:
		return s.suggestPath(ctx, strings.TrimSuffix(f.Paths[0], "/"), names)
	case len(f.Extensions) > 0:
		return suggestType(f.Extensions, names) + "; indexed are " + describeLanguages(names.types)
	}
	return ""
}

// suggestPath suggests an indexed path for name, or explains why an existing path is not indexed.
func (s *Search) suggestPath(ctx context.Context, name string, names projectNames) string {
	inside := strings.TrimLeft(name, "/")
	if names.paths[inside] {
		return fmt.Sprintf("; paths begin in the project: did you mean %s?", quote(inside))
	}
	if !s.external(name) { // an external document has no file in the project
		if _, err := s.root.Stat(ctx, name); err == nil {
			return "; " + tools.Advice(ctx, "it exists, but is ignored, skipped or not indexed yet: call get_index_status with this path for the reason")
		} else if security.CodeOf(err) != security.FileNotFound {
			return "; " + strings.TrimSuffix(err.Error(), ".")
		}
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

// suggestType suggests an indexed file type that is spelled like one of given, or that is a prefix or an extension of it.
func suggestType(given []string, names projectNames) string {
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
