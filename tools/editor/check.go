package editor

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// FileChecks is a group of files with the same check state, program and reason.
type FileChecks struct {
	// State is checked, unchecked or stale. An unchecked or stale file may have errors although it has no diagnostics.
	State string `json:"state"`
	// Count is the number of files in the group.
	Count int `json:"count"`
	// Files are at most 20 paths, as in Change.Path.
	Files []string `json:"files"`
	// Kinds are the file extensions with their counts, for example ".ts 12, .tsx 3".
	Kinds string `json:"kinds"`
	// By is the program that checked the files, for example gopls.
	By string `json:"by,omitempty"`
	// Reason says why the files are not checked. Next is the step that would help.
	Reason string `json:"reason,omitempty"`
	Next   string `json:"next,omitempty"`
}

const (
	maxCheckGroups    = 12  // groups in a result; further ones are merged into the last
	maxCheckFiles     = 20  // paths in a group
	maxCheckNamed     = 3   // paths in the text of a group
	maxCheckKinds     = 8   // groups in the text of a result
	maxReason         = 400 // bytes
	maxProjectFiles   = 50_000
	maxProjectEntries = 400_000 // directory entries
)

// Reasons given by this package.
const (
	reasonNoChecker = "no check is known for this kind of file"
	reasonLater     = "the time was up before its check"
	reasonSyntax    = "only its syntax was checked"
)

// rank orders checks. A later adapter replaces the check of an earlier one only by a higher rank.
func rank(c adapter.FileCheck) int {
	switch {
	case c.State == adapter.Checked:
		return 4
	case c.State == adapter.Stale:
		return 3
	case c.By != "":
		return 2
	case c.Reason != "":
		return 1
	}
	return 0
}

// mergeCheck returns the check of a file after another adapter has reported on it.
func mergeCheck(old, now adapter.FileCheck) adapter.FileCheck {
	if rank(now) <= rank(old) {
		return old
	}
	if now.State == adapter.Unchecked && old.Reason != "" {
		now.Reason = strings.TrimPrefix(now.Reason+": "+old.Reason, ": ")
		now.Next = cmp.Or(old.Next, now.Next)
	}
	return now
}

// worstCheck returns the lower ranked check, for a group of files.
func worstCheck(a, b adapter.FileCheck) adapter.FileCheck {
	if rank(b) < rank(a) {
		return b
	}
	return a
}

// groupChecks groups files with the same check: checked files first, then by size.
func groupChecks(files []projectFile, checks map[string]adapter.FileCheck) []FileChecks {
	type key struct{ state, by, reason, next string }
	groups := make(map[key]*FileChecks)
	kinds := make(map[key]map[string]int)
	for _, p := range files {
		c := checks[p.abs]
		k := key{string(cmp.Or(c.State, adapter.Unchecked)), truncateText(c.By), truncateReason(c.Reason), truncateReason(c.Next)}
		if k.state == string(adapter.Unchecked) && k.reason == "" {
			k.reason = reasonNoChecker
		}
		g := groups[k]
		if g == nil {
			g = &FileChecks{State: k.state, By: k.by, Reason: k.reason, Next: k.next, Files: []string{}}
			groups[k], kinds[k] = g, make(map[string]int)
		}
		if g.Count++; len(g.Files) < maxCheckFiles {
			g.Files = append(g.Files, p.path)
		}
		kinds[k][fileKind(p.path)]++
	}
	all := make([]FileChecks, 0, len(groups))
	for k, g := range groups {
		g.Kinds = formatKinds(kinds[k])
		all = append(all, *g)
	}
	order := []string{string(adapter.Checked), string(adapter.Stale), string(adapter.Unchecked)}
	slices.SortFunc(all, func(a, b FileChecks) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.By, b.By), cmp.Compare(a.Next, b.Next))
	})
	if len(all) > maxCheckGroups {
		rest := FileChecks{State: all[maxCheckGroups-1].State, Files: []string{}, Reason: "other reasons; ask about fewer files to see them"}
		for _, g := range all[maxCheckGroups-1:] {
			rest.Count += g.Count
			if g.State != rest.State {
				rest.State = string(adapter.Stale)
			}
		}
		all = append(all[:maxCheckGroups-1], rest)
	}
	return all
}

// truncateReason returns a reason on one line, of at most maxReason bytes.
func truncateReason(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "") + "…"
	}
	return s
}

// fileKind returns the extension of a file, or its name if it has none.
func fileKind(name string) string {
	base := path.Base(filepath.ToSlash(name))
	return cmp.Or(strings.ToLower(path.Ext(base)), base)
}

// formatKinds formats counts of file kinds, the most frequent first.
func formatKinds(counts map[string]int) string {
	kinds := make([]string, 0, len(counts))
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	texts := make([]string, 0, maxCheckKinds+1)
	rest := 0
	for i, kind := range kinds {
		if i >= maxCheckKinds {
			rest += counts[kind]
			continue
		}
		texts = append(texts, truncateText(kind)+" "+number(counts[kind]))
	}
	if rest > 0 {
		texts = append(texts, "others "+number(rest))
	}
	return strings.Join(texts, ", ")
}

// line returns the text of a group for a model.
func (c FileChecks) line() string {
	names := c.Files
	text := c.State + ": "
	switch {
	case len(names) > 0 && c.Count <= maxCheckNamed:
		text += strings.Join(names, ", ")
	default:
		text += plural.Count(c.Count, "file")
		if c.Kinds != "" {
			text += " (" + c.Kinds + ")"
		}
	}
	return text + c.explanation()
}

// explanation returns the checking program, the reason and the next step as text.
func (c FileChecks) explanation() string {
	text := ""
	if c.By != "" {
		text += ", by " + c.By
	}
	if c.Reason != "" {
		text += ": " + punctuation.Clause(c.Reason)
	}
	if c.Next != "" {
		text += ". " + punctuation.Clause(c.Next)
	}
	return text
}

// projectFiles returns the readable files of the project, without node_modules. complete is false if there are more than
// maxProjectFiles or a directory could not be read.
func (e *Editor) projectFiles(ctx context.Context) (files []projectFile, complete bool, err error) {
	seen := make(map[string]bool)
	complete = true
	for i, dir := range e.dirs {
		o := security.WalkOptions{MaxEntries: maxProjectEntries, Skip: func(rel string, kind security.Kind) bool {
			return kind == security.Directory && (rel == "node_modules" || strings.HasSuffix(rel, "/node_modules"))
		}}
		stats, err := e.root.Walk(ctx, dir, o, func(w *security.WalkEntry) error {
			if w.Kind != security.RegularFile {
				return nil
			}
			rel := filepath.FromSlash(w.Rel())
			p := projectFile{path: w.Path(), abs: filepath.Join(e.real[i], rel), unresolved: filepath.Join(dir, rel)}
			switch {
			case seen[p.abs]:
			case len(files) == maxProjectFiles:
				complete = false
				return fs.SkipAll
			default:
				seen[p.abs] = true
				files = append(files, p)
			}
			return nil
		})
		if ctx.Err() != nil {
			return nil, false, failed(codeLanguageServer, "listing the files of the project", ctx.Err())
		}
		if err != nil {
			return nil, false, err
		}
		complete = complete && !stats.Incomplete
	}
	return files, complete, nil
}
