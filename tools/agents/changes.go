package agents

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// The kinds of changes.
const (
	created = "created"
	edited  = "edited"
	deleted = "deleted"
)

// changes are what became of files, by path.
type changes map[string]record.Change

// weight is how much a source is believed about the kind of a change.
var weight = map[record.Source]int{record.FromReport: 1, record.FromStream: 2, record.FromGit: 3, record.FromFiles: 3}

// add notes a change of a file, which may have been changed before.
func (cs changes) add(path, kind string, source record.Source) {
	if path == "" || kind != created && kind != edited && kind != deleted {
		return
	}
	c, known := cs[path]
	switch {
	case !known:
		if len(cs) >= maxChanges {
			return
		}
		c = record.Change{Path: path, Kind: kind}
	case slices.Contains(c.Sources, source):
		if c.Kind = sequel(c.Kind, kind); c.Kind == "" && len(c.Sources) == 1 {
			delete(cs, path)
			return
		}
	case !slices.ContainsFunc(c.Sources, func(s record.Source) bool { return weight[s] > weight[source] }):
		c.Kind = kind
	}
	if c.Kind == "" {
		c.Kind = kind
	}
	if !slices.Contains(c.Sources, source) {
		c.Sources = append(slices.Clone(c.Sources), source)
	}
	cs[path] = c
}

// sequel is what two changes of a file, one after the other, are together: nothing if it is as if it never was.
func sequel(first, second string) string {
	switch {
	case first == created && second == deleted:
		return ""
	case first == created:
		return created
	case first == deleted && second == created:
		return edited
	}
	return second
}

// take adds all of others.
func (cs changes) take(others changes) {
	maps.Copy(cs, others)
}

// enter puts changes into a result. What may be the work of others is not among the files of an agent.
func enter(r *record.Result, all changes) {
	r.Changes = make([]record.Change, 0, len(all))
	r.EditedFiles, r.CreatedFiles, r.DeletedFiles = []string{}, []string{}, nil
	room := maxListed
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if room -= len(name); room < 0 {
			break
		}
		c := all[name]
		r.Changes = append(r.Changes, c)
		switch {
		case c.Uncertain:
		case c.Kind == created:
			r.CreatedFiles = append(r.CreatedFiles, name)
		case c.Kind == edited:
			r.EditedFiles = append(r.EditedFiles, name)
		case c.Kind == deleted:
			r.DeletedFiles = append(r.DeletedFiles, name)
		}
	}
}

// absolute is the opposite of relative.
func absolute(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// Bounds of the path of a change, and of all paths in a result, in bytes.
const (
	maxPath   = 4 << 10
	maxListed = 128 << 10
)

// relative is a path as records have it: relative to a directory if it lies in it, with slashes.
func relative(dir, name string) string {
	if name == "" || len(name) > maxPath || strings.ContainsRune(name, 0) {
		return ""
	}
	// On Windows a name with a leading slash is neither absolute nor below dir.
	if !filepath.IsAbs(name) && !strings.HasPrefix(filepath.ToSlash(name), "/") {
		name = filepath.Join(dir, name)
	}
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return path.Clean(filepath.ToSlash(rel))
	}
	return filepath.ToSlash(filepath.Clean(name))
}
