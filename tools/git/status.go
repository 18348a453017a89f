package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// StatusArgs are the arguments of git_status.
type StatusArgs struct {
	Where
	// Path restricts the answer to a file, a directory, or the files that a pattern means.
	Path string `json:"path,omitempty" jsonschema:"description=A file\\, a directory\\, or a pattern such as *.go"`
}

// Head is what is checked out.
type Head struct {
	// Branch is empty if none is checked out (detached). Commit is empty before the first one.
	Branch   string `json:"branch"`
	Commit   string `json:"commit"`
	Detached bool   `json:"detached,omitempty"`
	// Upstream is the branch that Branch follows; Ahead and Behind count the commits that only one of them has, as far as was last
	// fetched; nil without an upstream that was fetched.
	Upstream string `json:"upstream,omitempty"`
	Ahead    *int   `json:"ahead,omitempty"`
	Behind   *int   `json:"behind,omitempty"`
	// InProgress is "merge", "rebase", "cherry-pick", "revert", "bisect" or "am" if that was begun and is not done.
	InProgress string `json:"inProgress,omitempty"`
}

// StatusResult is what git_status answers.
type StatusResult struct {
	Head
	// Files are those that differ from the commit, by their paths. Total counts all of them, Truncated says that some are left out.
	Files     []StatusFile `json:"files"`
	Total     int          `json:"total"`
	Truncated bool         `json:"truncated,omitempty"`
	Counts    StatusCounts `json:"counts"`
	// Unmatched is Path if it means no file that git knows.
	Unmatched []string `json:"unmatched,omitempty"`
	// Part is the directory of the repository that the project is, if the repository begins above.
	Part string `json:"part,omitempty"`
	// TurnedOff is what of the configuration of the repository does not hold here, because it runs programs.
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// StatusCounts counts files; one that is staged and changed again is both.
type StatusCounts struct {
	Staged     int `json:"staged"`
	Changed    int `json:"changed"`
	Untracked  int `json:"untracked"`
	Conflicted int `json:"conflicted"`
}

// StatusFile is a file that differs from the commit.
type StatusFile struct {
	Path string `json:"path"`
	// From is what it was called in the commit, if it was renamed.
	From string `json:"from,omitempty"`
	// Staged and Changed are how the index differs from the commit, and the work tree from the index: added, modified, deleted, renamed,
	// copied or retyped. Untracked and conflicted are Changed.
	Staged  string `json:"staged,omitempty"`
	Changed string `json:"changed,omitempty"`
	// Mode is the difference between the modes in the commit and in the work tree, such as "100644 → 100755".
	Mode string `json:"mode,omitempty"`
	// Submodule says that it is another repository, with another commit checked out.
	Submodule bool `json:"submodule,omitempty"`
}

// words are what the letters of git mean.
var words = map[byte]string{'M': "modified", 'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "retyped", '?': "untracked", 'U': "conflicted"}

// Status is git_status.
func (g *Git) Status(ctx context.Context, args StatusArgs) (StatusResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return StatusResult{}, err
	}
	look := gitcmd.Look{Renames: true, Untracked: "normal", Submodules: "dirty", Limit: localTimeout}
	var chosen selection
	if args.Path != "" {
		if chosen, err = r.selected(ctx, []string{args.Path}); err != nil {
			return StatusResult{}, err
		}
		look.Untracked = "all"
	}
	look.Paths = r.pathspec(chosen)
	head, entries, err := r.Look(ctx, look)
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return StatusResult{}, failed("looking at the work tree", err)
	}
	entries = slices.DeleteFunc(entries, func(e gitcmd.Entry) bool {
		return !r.selects(chosen, e.Path) && !(e.From != "" && r.selects(chosen, e.From))
	})
	result := StatusResult{Head: r.head(head), Files: []StatusFile{}, Total: len(entries), Truncated: err != nil, Part: r.part, TurnedOff: r.turnedOff()}
	var seen []string
	for _, e := range entries {
		seen = append(seen, e.Path, e.From)
	}
	if result.Unmatched, err = r.unmatched(ctx, chosen, "", seen); err != nil {
		return StatusResult{}, err
	}
	room := g.limits.Answer
	for _, e := range entries {
		f := r.statusFile(e)
		result.Counts.add(f)
		if room -= len(f.Path) + len(f.From) + fileMembers; room < 0 {
			result.Truncated = true
			continue
		}
		result.Files = append(result.Files, f)
	}
	return result, nil
}

// fileMembers is about what the JSON of a file takes beside its names.
const fileMembers = 60

func (r *repo) head(h gitcmd.Head) Head {
	head := Head{Branch: legible(h.Branch), Commit: h.Commit, Detached: h.Branch == "", Upstream: legible(h.Upstream), InProgress: gitcmd.InProgress(r.own)}
	if h.Compared {
		head.Ahead, head.Behind = &h.Ahead, &h.Behind
	}
	return head
}

func (r *repo) statusFile(e gitcmd.Entry) StatusFile {
	f := StatusFile{Path: r.entryPath(e.Path), Mode: modeChange(e.CommitMode, e.TreeMode), Submodule: e.Submodule}
	if e.From != "" {
		f.From = r.path(e.From)
	}
	switch {
	case e.Conflicted:
		f.Changed = "conflicted"
	case e.Untracked():
		f.Changed = "untracked"
	default:
		f.Staged, f.Changed = words[e.Index], words[e.Tree]
	}
	return f
}

// entryPath is path for a name that git status has: that of a directory of which git knows nothing ends in a slash.
func (r *repo) entryPath(name string) string {
	if strings.HasSuffix(name, "/") {
		return r.path(name) + "/"
	}
	return r.path(name)
}

func (c *StatusCounts) add(f StatusFile) {
	switch {
	case f.Changed == "untracked":
		c.Untracked++
	case f.Changed == "conflicted":
		c.Conflicted++
	case f.Changed != "":
		c.Changed++
	}
	if f.Staged != "" {
		c.Staged++
	}
}

// turnedOff is what of the configuration of the repository does not hold.
func (r *repo) turnedOff() []string {
	const most = 20
	off := r.settings.Off
	var shown []string
	for _, key := range off[:min(most, len(off))] {
		shown = append(shown, strings.Trim(quote(key), `"`))
	}
	if len(off) > most {
		shown = append(shown, fmt.Sprintf("and %d more", len(off)-most))
	}
	return shown
}

// TextContent has the branch, and a line for each file.
func (r StatusResult) TextContent() string {
	var b strings.Builder
	b.WriteString(r.Head.text() + partText(r.Part) + unmatchedText(r.Unmatched))
	if len(r.Unmatched) > 0 {
		return b.String() + turnedOffText(r.TurnedOff)
	}
	if r.Total == 0 {
		b.WriteString("nothing is changed\n")
	} else {
		fmt.Fprintf(&b, "%d staged, %d changed, %d untracked, %d in conflict\n", r.Counts.Staged, r.Counts.Changed, r.Counts.Untracked, r.Counts.Conflicted)
	}
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s: %s\n", f.states(), shown(f.Path, f.From))
	}
	if r.Truncated {
		fmt.Fprintf(&b, "[%d of %d files; give path to see those of a directory]\n", len(r.Files), r.Total)
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}

func (f StatusFile) states() string {
	var states []string
	if f.Staged != "" {
		states = append(states, "staged "+f.Staged)
	}
	if f.Changed != "" {
		states = append(states, f.Changed)
	}
	if f.Mode != "" {
		states = append(states, "mode "+f.Mode)
	}
	if f.Submodule {
		states = append(states, "submodule")
	}
	return strings.Join(states, ", ")
}

func (h Head) text() string {
	var b strings.Builder
	switch {
	case h.Detached:
		fmt.Fprintf(&b, "no branch is checked out, but the commit %s (detached)", short(h.Commit))
	case h.Commit == "":
		fmt.Fprintf(&b, "on branch %s, which has no commit yet", name(h.Branch))
	default:
		fmt.Fprintf(&b, "on branch %s at %s", name(h.Branch), short(h.Commit))
	}
	switch {
	case h.Ahead != nil && h.Behind != nil:
		fmt.Fprintf(&b, ", %d ahead of and %d behind %s", *h.Ahead, *h.Behind, name(h.Upstream))
	case h.Upstream != "":
		fmt.Fprintf(&b, ", which follows %s; there is no such branch here", name(h.Upstream))
	}
	b.WriteString("\n")
	if h.InProgress != "" {
		fmt.Fprintf(&b, "in progress: %s\n", h.InProgress)
	}
	return b.String()
}

// turnedOffText lists the settings that do not hold. Without its filter, a file differs from the commit.
func turnedOffText(off []string) string {
	if len(off) == 0 {
		return ""
	}
	text := "[turned off, because the repository brings it and it runs programs: " + strings.Join(off, ", ")
	if slices.ContainsFunc(off, func(key string) bool { return strings.HasPrefix(key, "filter.") }) {
		text += "; files with such a filter may be told as modified although they are not"
	}
	return text + "]\n"
}

func short(hash string) string { return hash[:min(len(hash), 12)] }

// shown is a file with its former name, if it has one.
func shown(path, from string) string {
	if from == "" {
		return name(path)
	}
	return name(path) + " (was " + name(from) + ")"
}

// name shows a name; one that is not plain is quoted.
func name(s string) string {
	if strings.ContainsAny(s, "\"\\") || strings.Map(visible, s) != s || strings.ContainsAny(s, "\n\t") {
		return quote(s)
	}
	return s
}
