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
	// Path restricts the answer to a file, a directory, or the files that match a pattern.
	Path string `json:"path,omitempty" jsonschema:"description=A file\\, a directory\\, or a pattern such as *.go"`
}

// Head describes the checked-out branch and commit.
type Head struct {
	// Branch is empty if HEAD is detached. Commit is empty before the first commit.
	Branch   string `json:"branch"`
	Commit   string `json:"commit"`
	Detached bool   `json:"detached,omitempty"`
	// Upstream is the tracked remote branch. Ahead and Behind count the commits that only one side has, as of the last fetch.
	// They are nil without a fetched upstream.
	Upstream string `json:"upstream,omitempty"`
	Ahead    *int   `json:"ahead,omitempty"`
	Behind   *int   `json:"behind,omitempty"`
	// InProgress is "merge", "rebase", "cherry-pick", "revert", "bisect" or "am" while the operation is unfinished.
	InProgress string `json:"inProgress,omitempty"`
}

// StatusResult is the result of git_status.
type StatusResult struct {
	Head
	// Files are the files that differ from the commit, by path. Total counts all of them. Truncated means that the list is
	// incomplete.
	Files     []StatusFile `json:"files"`
	Total     int          `json:"total"`
	Truncated bool         `json:"truncated,omitempty"`
	Counts    StatusCounts `json:"counts"`
	// Unmatched contains Path if it matches no file that git tracks.
	Unmatched []string `json:"unmatched,omitempty"`
	// Part is the directory of the project in the repository, if the repository begins above it.
	Part string `json:"part,omitempty"`
	// TurnedOff lists the settings of the repository that are overridden because they run programs.
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// StatusCounts counts files. A staged file with further changes counts twice.
type StatusCounts struct {
	Staged     int `json:"staged"`
	Changed    int `json:"changed"`
	Untracked  int `json:"untracked"`
	Conflicted int `json:"conflicted"`
}

// StatusFile is a file that differs from the commit.
type StatusFile struct {
	Path string `json:"path"`
	// From is the former path of a renamed file.
	From string `json:"from,omitempty"`
	// Staged is the difference between the commit and the index, Changed that between the index and the worktree: added,
	// modified, deleted, renamed, copied or retyped. Untracked and conflicted files have it in Changed.
	Staged  string `json:"staged,omitempty"`
	Changed string `json:"changed,omitempty"`
	// Mode is the change of the mode between commit and worktree, for example "100644 → 100755".
	Mode string `json:"mode,omitempty"`
	// Submodule means that the entry is a submodule with another commit checked out.
	Submodule bool `json:"submodule,omitempty"`
}

// words maps the status letters of git to words.
var words = map[byte]string{'M': "modified", 'A': "added", 'D': "deleted", 'R': "renamed", 'C': "copied", 'T': "retyped", '?': "untracked", 'U': "conflicted"}

// Status implements git_status.
func (g *Git) Status(ctx context.Context, args StatusArgs) (StatusResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return StatusResult{}, err
	}
	look := gitcmd.Look{Renames: true, Untracked: "normal", Submodules: "dirty", Limit: localTimeout}
	var chosen selection
	if args.Path != "" {
		if chosen, err = r.parseSelection(ctx, []string{args.Path}); err != nil {
			return StatusResult{}, err
		}
		look.Untracked = "all"
	}
	look.Paths = r.pathspec(chosen)
	head, entries, err := r.Look(ctx, look)
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return StatusResult{}, gitError("looking at the work tree", err)
	}
	entries = slices.DeleteFunc(entries, func(e gitcmd.Entry) bool {
		return !r.selects(chosen, e.Path) && !(e.From != "" && r.selects(chosen, e.From))
	})
	result := StatusResult{Head: r.head(head), Files: []StatusFile{}, Total: len(entries), Truncated: err != nil, Part: r.partPath, TurnedOff: r.turnedOff()}
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

// fileMembers is an estimate of the JSON bytes of a file beside its names.
const fileMembers = 60

// head converts the HEAD of package git.
func (r *repo) head(h gitcmd.Head) Head {
	head := Head{Branch: toUTF8(h.Branch), Commit: h.Commit, Detached: h.Branch == "", Upstream: toUTF8(h.Upstream), InProgress: gitcmd.InProgress(r.own)}
	if h.Compared {
		head.Ahead, head.Behind = &h.Ahead, &h.Behind
	}
	return head
}

// statusFile converts a status entry.
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

// entryPath returns path for a name of git status. An untracked directory keeps its slash.
func (r *repo) entryPath(name string) string {
	if strings.HasSuffix(name, "/") {
		return r.path(name) + "/"
	}
	return r.path(name)
}

// add counts a file.
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

// turnedOff returns the overridden settings of the repository.
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

// TextContent returns the text for the model: the branch, and one line for each file.
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
		fmt.Fprintf(&b, "%s: %s\n", f.states(), renamedPath(f.Path, f.From))
	}
	if r.Truncated {
		fmt.Fprintf(&b, "[%d of %d files; give path to see those of a directory]\n", len(r.Files), r.Total)
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}

// states returns the states of a file for its line.
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

// text returns the branch line.
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

// turnedOffText returns the note on overridden settings. Without its filter, a file appears changed.
func turnedOffText(off []string) string {
	if len(off) == 0 {
		return ""
	}
	text := "[turned off, because the repository brings it and it runs programs: " + strings.Join(off, ", ")
	if slices.ContainsFunc(off, func(key string) bool { return strings.HasPrefix(key, "filter.") }) {
		text += "; files with such a filter may be shown as modified although they are not"
	}
	return text + "]\n"
}

// short returns the first 12 digits of a hash.
func short(hash string) string { return hash[:min(len(hash), 12)] }

// renamedPath returns a path, with its former path if there is one.
func renamedPath(path, from string) string {
	if from == "" {
		return name(path)
	}
	return name(path) + " (was " + name(from) + ")"
}

// name returns a name for a text; an unusual name is quoted.
func name(s string) string {
	if strings.ContainsAny(s, "\"\\") || strings.Map(visible, s) != s || strings.ContainsAny(s, "\n\t") {
		return quote(s)
	}
	return s
}
