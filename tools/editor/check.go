package editor

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// FileChecks tells of some files whether they were looked at.
type FileChecks struct {
	// State is checked, unchecked or stale. That an unchecked or stale file has no diagnostics does not mean that it has no errors.
	State string `json:"state"`
	Count int    `json:"count"`
	// Files are at most 20 of them, as Change.Path.
	Files []string `json:"files"`
	// Kinds are their extensions, with the number of files of each, such as ".ts 12, .tsx 3".
	Kinds string `json:"kinds"`
	// By is the program that has looked at them, such as gopls.
	By string `json:"by,omitempty"`
	// Reason is the reason why they are not checked, and Next the step that would change it.
	Reason string `json:"reason,omitempty"`
	Next   string `json:"next,omitempty"`
}

const (
	mostCheckGroups = 12
	mostCheckFiles  = 20 // named in a group
	mostCheckNamed  = 3  // the same in the text
	mostCheckKinds  = 8
	mostReason      = 400 // bytes
	mostProject     = 50_000
	mostProjectLook = 400_000 // entries of directories
)

// The reasons that come from this package.
const (
	reasonNoChecker = "no check is known for this kind of file"
	reasonLater     = "it was not looked at in time"
	reasonSyntax    = "only its syntax was looked at"
)

// rank orders the checks of a file: a later adapter replaces the check of an earlier one only by a higher rank.
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

// better is the check of a file after another adapter has said something of it.
func better(old, now adapter.FileCheck) adapter.FileCheck {
	if rank(now) <= rank(old) {
		return old
	}
	if now.State == adapter.Unchecked && old.Reason != "" {
		now.Reason = strings.TrimPrefix(now.Reason+": "+old.Reason, ": ")
		now.Next = cmp.Or(old.Next, now.Next)
	}
	return now
}

// worse is the check of several files of which one has each of the checks.
func worse(a, b adapter.FileCheck) adapter.FileCheck {
	if rank(b) < rank(a) {
		return b
	}
	return a
}

// groupChecks puts files with the same check together: the checked ones first, larger groups before smaller ones.
func groupChecks(files []place, checks map[string]adapter.FileCheck) []FileChecks {
	type key struct{ state, by, reason, next string }
	groups := make(map[key]*FileChecks)
	kinds := make(map[key]map[string]int)
	for _, p := range files {
		c := checks[p.abs]
		k := key{string(cmp.Or(c.State, adapter.Unchecked)), shown(c.By), shortened(c.Reason), shortened(c.Next)}
		if k.state == string(adapter.Unchecked) && k.reason == "" {
			k.reason = reasonNoChecker
		}
		g := groups[k]
		if g == nil {
			g = &FileChecks{State: k.state, By: k.by, Reason: k.reason, Next: k.next, Files: []string{}}
			groups[k], kinds[k] = g, make(map[string]int)
		}
		if g.Count++; len(g.Files) < mostCheckFiles {
			g.Files = append(g.Files, p.path)
		}
		kinds[k][kindOf(p.path)]++
	}
	all := make([]FileChecks, 0, len(groups))
	for k, g := range groups {
		g.Kinds = showKinds(kinds[k])
		all = append(all, *g)
	}
	order := []string{string(adapter.Checked), string(adapter.Stale), string(adapter.Unchecked)}
	slices.SortFunc(all, func(a, b FileChecks) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.By, b.By), cmp.Compare(a.Next, b.Next))
	})
	if len(all) > mostCheckGroups {
		rest := FileChecks{State: all[mostCheckGroups-1].State, Files: []string{}, Reason: "other reasons; ask about fewer files to see them"}
		for _, g := range all[mostCheckGroups-1:] {
			rest.Count += g.Count
			if g.State != rest.State {
				rest.State = string(adapter.Stale)
			}
		}
		all = append(all[:mostCheckGroups-1], rest)
	}
	return all
}

func shortened(s string) string {
	s = strings.ToValidUTF8(strings.Join(strings.Fields(s), " "), "\uFFFD")
	if len(s) > mostReason {
		s = strings.ToValidUTF8(s[:mostReason], "") + "…"
	}
	return s
}

// kindOf is the extension of a file, or its name if it has none.
func kindOf(name string) string {
	base := path.Base(filepath.ToSlash(name))
	return cmp.Or(strings.ToLower(path.Ext(base)), base)
}

// showKinds shows kinds of files with the number of files, the most frequent first.
func showKinds(counts map[string]int) string {
	kinds := make([]string, 0, len(counts))
	for kind := range counts {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	texts := make([]string, 0, mostCheckKinds+1)
	rest := 0
	for i, kind := range kinds {
		if i >= mostCheckKinds {
			rest += counts[kind]
			continue
		}
		texts = append(texts, shown(kind)+" "+number(counts[kind]))
	}
	if rest > 0 {
		texts = append(texts, "others "+number(rest))
	}
	return strings.Join(texts, ", ")
}

// line is the text of a group for a model.
func (c FileChecks) line() string {
	names := c.Files
	text := c.State + ": "
	switch {
	case len(names) > 0 && c.Count <= mostCheckNamed:
		text += strings.Join(names, ", ")
	default:
		text += count(c.Count, "file")
		if c.Kinds != "" {
			text += " (" + c.Kinds + ")"
		}
	}
	return text + c.because()
}

// because says by which program files were looked at, why they are not checked, and which step would change it.
func (c FileChecks) because() string {
	text := ""
	if c.By != "" {
		text += ", by " + c.By
	}
	if c.Reason != "" {
		text += ": " + strings.TrimRight(c.Reason, ".")
	}
	if c.Next != "" {
		text += ". " + strings.TrimRight(c.Next, ".")
	}
	return text
}

// projectFiles lists the files of the project that tools may see, as get_diagnostics counts them. complete is false if there are more.
func (e *Editor) projectFiles(ctx context.Context) (files []place, complete bool, err error) {
	seen := make(map[string]bool)
	complete = true
	for i, dir := range e.dirs {
		o := security.WalkOptions{MaxEntries: mostProjectLook, Skip: func(rel string, kind security.Kind) bool {
			return kind == security.Directory && (rel == "node_modules" || strings.HasSuffix(rel, "/node_modules"))
		}}
		stats, err := e.root.Walk(ctx, dir, o, func(w *security.WalkEntry) error {
			if w.Kind != security.RegularFile {
				return nil
			}
			rel := filepath.FromSlash(w.Rel())
			p := place{path: w.Path(), abs: filepath.Join(e.real[i], rel), nominal: filepath.Join(dir, rel)}
			switch {
			case seen[p.abs]:
			case len(files) == mostProject:
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
