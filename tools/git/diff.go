package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/cursor"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// DiffArgs are the arguments of git_diff.
type DiffArgs struct {
	Where
	// Paths restrict the answer to files, directories, and files that a pattern means.
	Paths []string `json:"paths,omitempty" jsonschema:"description=Files\\, directories\\, or patterns such as *.go"`
	// Staged shows what the next commit would change. Otherwise it is what the work tree has beyond that.
	Staged bool `json:"staged,omitempty"`
	// From is a commit that is compared with the work tree, with the index if Staged is set, or with To.
	From string `json:"from,omitempty" jsonschema:"description=Commit or branch; compared with the work tree or to"`
	To   string `json:"to,omitempty"`
	// MergeBase compares To with where it has left From.
	MergeBase bool `json:"mergeBase,omitempty" jsonschema:"description=What to has since it left from"`
	// StatOnly leaves the hunks out.
	StatOnly bool `json:"statOnly,omitempty" jsonschema:"description=The list of files alone"`
	// Context is the number of lines around a change, 3 by default.
	Context *int `json:"context,omitempty" jsonschema:"minimum=0,maximum=100,default=3"`
	// Cursor goes on where the last answer ended.
	Cursor string `json:"cursor,omitempty"`
	// MaxBytes is how much text is answered at most.
	MaxBytes int `json:"maxBytes,omitempty" jsonschema:"minimum=256"`
}

// DiffResult is what git_diff answers.
type DiffResult struct {
	// Files are all that differ, TotalFiles how many there are, Insertions and Deletions their lines.
	Files      []DiffFile `json:"files,omitempty"`
	TotalFiles int        `json:"totalFiles"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`
	// Patch has the hunks, Cursor goes on with more of them.
	Patch  string `json:"patch,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// FilesTruncated says that the list of files is cut.
	FilesTruncated bool `json:"filesTruncated,omitempty"`
	// Untracked are files that git does not know, at most 100, where the work tree is compared; UntrackedFiles counts them. They are
	// no part of the difference.
	Untracked      []string `json:"untracked,omitempty"`
	UntrackedFiles int      `json:"untrackedFiles,omitempty"`
	// Unmatched are the elements of Paths that mean no file that git knows.
	Unmatched []string `json:"unmatched,omitempty"`
	// Part is the directory of the repository that the project is, if the repository begins above.
	Part string `json:"part,omitempty"`
	// TurnedOff is as in StatusResult.
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// DiffFile is a file that differs.
type DiffFile struct {
	Path string `json:"path"`
	From string `json:"from,omitempty"`
	// Status is added, modified, deleted, renamed, copied, retyped or conflicted.
	Status     string `json:"status"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
	Binary     bool   `json:"binary,omitempty"`
	// Mode is a change of the mode, such as "100644 → 100755" for a file that has become executable.
	Mode string `json:"mode,omitempty"`
	// Hidden says that the content is not shown, because files of that name hold secrets.
	Hidden bool `json:"hidden,omitempty"`

	names []string // as git has them
}

// comparison is what is compared.
type comparison struct {
	args     []string // of git diff
	answer   string   // that tells it apart
	to       string   // the commit that is compared with, "" for the index and the work tree
	worktree bool
}

// Diff is git_diff.
func (g *Git) Diff(ctx context.Context, args DiffArgs) (DiffResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return DiffResult{}, err
	}
	chosen, err := r.selected(ctx, args.Paths)
	if err != nil {
		return DiffResult{}, err
	}
	c, err := r.comparison(ctx, args)
	if err != nil {
		return DiffResult{}, err
	}
	files, err := r.differing(ctx, c, chosen)
	if err != nil {
		return DiffResult{}, err
	}
	question := cursor.Of("diff", r.path("."), c.answer, strings.Join(args.Paths, "\x00"), fileDigest(files))
	place, ok := question.Place(args.Cursor)
	if !ok {
		return DiffResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is of another question, or the files have changed since")
	}
	result := DiffResult{TotalFiles: len(files), TurnedOff: r.turnedOff(), Part: r.part}
	for _, f := range files {
		result.Insertions += f.Insertions
		result.Deletions += f.Deletions
	}
	room := g.budget(args.MaxBytes)
	if place == "" {
		result.Files, result.FilesTruncated = firstFiles(files, room/2)
		for _, f := range result.Files {
			room -= len(f.Path) + len(f.From) + fileMembers
		}
		if err := r.beside(ctx, c, chosen, files, &result); err != nil {
			return DiffResult{}, err
		}
		for _, path := range result.Untracked {
			room -= len(path) + 4
		}
	}
	if args.StatOnly {
		return result, nil
	}
	pages := &patches{repo: r, comparison: c, files: files, room: max(room, 256)}
	pages.seek(place)
	if err := pages.read(ctx, args.Context); err != nil {
		return DiffResult{}, err
	}
	result.Patch = pages.text.String()
	if place := pages.place(); place != "" {
		result.Cursor = question.Cursor(place)
	}
	return result, nil
}

// budget is how much text a call gets.
func (g *Git) budget(asked int) int {
	if asked <= 0 {
		return g.limits.Answer
	}
	return min(asked, g.limits.MaxAnswer)
}

// comparison finds out what is to be compared.
func (r *repo) comparison(ctx context.Context, args DiffArgs) (comparison, error) {
	c := comparison{}
	if args.Staged {
		if args.To != "" {
			return c, invalid("Leave one of both out.", "staged compares with the index, and to with a commit")
		}
		c.args = append(c.args, "--cached")
	}
	if args.To != "" && args.From == "" {
		return c, invalid("Give from as well.", "there is a to without a from")
	}
	if args.MergeBase && args.From == "" {
		return c, invalid("Give from as well.", "mergeBase needs a from")
	}
	var err error
	from, to := "", ""
	if args.From != "" {
		if from, err = r.resolve(ctx, args.From); err != nil {
			return c, err
		}
	} else if args.Staged && r.CheckCommit(ctx) != nil {
		if from, err = r.emptyTree(ctx); err != nil {
			return c, err
		}
	}
	if args.To != "" {
		if to, err = r.resolve(ctx, args.To); err != nil {
			return c, err
		}
	}
	if args.MergeBase {
		if from, err = r.mergeBase(ctx, from, to); err != nil {
			return c, err
		}
	}
	for _, commit := range []string{from, to} {
		if commit != "" {
			c.args = append(c.args, commit)
		}
	}
	c.answer, c.to, c.worktree = strings.Join(c.args, " "), to, to == "" && !args.Staged
	return c, nil
}

func (r *repo) mergeBase(ctx context.Context, from, to string) (string, error) {
	if to == "" {
		to = "HEAD"
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"merge-base", from, to}})
	if err != nil {
		return "", problem(codeUnknown, "Compare them without mergeBase.", "the commits have nothing in common")
	}
	return trim(out), nil
}

// beside adds files that git does not know, and paths that mean no file: they are no part of a difference, and would be missed.
func (r *repo) beside(ctx context.Context, c comparison, chosen selection, files []DiffFile, result *DiffResult) error {
	var seen []string
	for _, f := range files {
		seen = append(seen, f.names...)
	}
	if c.worktree {
		untracked, err := r.untracked(ctx, chosen)
		if err != nil {
			return err
		}
		seen = append(seen, untracked...)
		result.UntrackedFiles = len(untracked)
		for _, file := range untracked[:min(len(untracked), mostListed)] {
			result.Untracked = append(result.Untracked, r.entryPath(file))
		}
	}
	var err error
	result.Unmatched, err = r.unmatched(ctx, chosen, c.to, seen)
	return err
}

// untracked lists files that git does not know, and without a selection directories of which it knows nothing.
func (r *repo) untracked(ctx context.Context, chosen selection) ([]string, error) {
	look := gitcmd.Look{Paths: r.pathspec(chosen), Untracked: "normal", Submodules: "all", Limit: localTimeout}
	if !chosen.empty() {
		look.Untracked = "all"
	}
	_, entries, err := r.Look(ctx, look)
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return nil, failed("looking for files that git does not know", err)
	}
	var files []string
	for _, e := range entries {
		if e.Untracked() && r.selects(chosen, e.Path) {
			files = append(files, e.Path)
		}
	}
	return files, nil
}

// comparing are the options with which everything is compared: no program that a repository names is asked.
var comparing = []string{"--no-color", "--no-ext-diff", "--no-textconv", "-M", "--submodule=short", "--ignore-submodules=dirty", "-O/dev/null"}

// differing lists the files that differ.
func (r *repo) differing(ctx context.Context, c comparison, chosen selection) ([]DiffFile, error) {
	args := slices.Concat([]string{"diff"}, comparing, []string{"--raw", "--numstat", "-z"}, c.args, []string{"--"}, r.pathspec(chosen))
	out, err := r.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout, Most: 32 << 20})
	if err != nil {
		return nil, failed("comparing", err)
	}
	files, err := parseDiff(string(out))
	if err != nil {
		return nil, failed("comparing", err)
	}
	files = slices.DeleteFunc(files, func(f DiffFile) bool {
		return !slices.ContainsFunc(f.names, func(name string) bool { return r.selects(chosen, name) })
	})
	for i := range files {
		f := &files[i]
		f.Path = r.path(f.names[len(f.names)-1])
		if len(f.names) > 1 {
			f.From = r.path(f.names[0])
		}
		f.Hidden = slices.ContainsFunc(f.names, func(name string) bool { return r.hidden(ctx, name) })
	}
	return files, nil
}

// parseDiff reads what --raw and --numstat say with -z: first all of the one, then all of the other, in the same order.
func parseDiff(out string) ([]DiffFile, error) {
	var files []DiffFile
	parts := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	at := 0
	next := func() string {
		if at >= len(parts) {
			return ""
		}
		at++
		return parts[at-1]
	}
	for at < len(parts) && strings.HasPrefix(parts[at], ":") {
		fields := strings.Fields(next())
		if len(fields) != 5 || fields[4] == "" {
			return nil, fmt.Errorf("git diff says what is not known: %.100q", parts[at-1])
		}
		f := DiffFile{Status: words[fields[4][0]], Mode: modeChange(fields[0][1:], fields[1]), names: []string{next()}}
		if c := fields[4][0]; c == 'R' || c == 'C' {
			f.names = append(f.names, next())
		}
		// A conflict is told of twice: as such, and how the work tree differs.
		if n := len(files); n > 0 && files[n-1].Status == "conflicted" && files[n-1].names[0] == f.names[0] {
			continue
		}
		files = append(files, f)
	}
	counts := make(map[string][2]int)
	for at < len(parts) && parts[at] != "" {
		added, rest, _ := strings.Cut(next(), "\t")
		deleted, name, ok := strings.Cut(rest, "\t")
		if !ok {
			return nil, fmt.Errorf("git diff says what is not known: %.100q", rest)
		}
		if name == "" {
			next()
			name = next()
		}
		n := [2]int{-1, -1}
		if added != "-" {
			n[0], _ = strconv.Atoi(added)
			n[1], _ = strconv.Atoi(deleted)
		}
		counts[name] = n
	}
	for i := range files {
		n := counts[files[i].names[len(files[i].names)-1]]
		files[i].Binary = n[0] < 0
		files[i].Insertions, files[i].Deletions = max(n[0], 0), max(n[1], 0)
	}
	return files, nil
}

// modeChange says how a mode has changed; "" if it has not, or the file is new or gone.
func modeChange(from, to string) string {
	if from == to || strings.Trim(from, "0") == "" || strings.Trim(to, "0") == "" {
		return ""
	}
	return from + " → " + to
}

// firstFiles are as many files as there is room for.
func firstFiles(files []DiffFile, room int) (first []DiffFile, cut bool) {
	for i, f := range files {
		if room -= len(f.Path) + len(f.From) + fileMembers; room < 0 && i > 0 {
			return files[:i], true
		}
	}
	return files, false
}

// fileDigest changes when the list does.
func fileDigest(files []DiffFile) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %d %d %s %q\n", f.Status, f.Insertions, f.Deletions, f.Mode, f.names)
	}
	return b.String()
}

// TextContent has a line for each file, and the hunks.
func (r DiffResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s changed, %d lines added, %d deleted\n", count(r.TotalFiles, "file"), r.Insertions, r.Deletions)
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s\n", f.text())
	}
	if r.FilesTruncated {
		fmt.Fprintf(&b, "[%d of %d files; give paths to see those of a directory]\n", len(r.Files), r.TotalFiles)
	}
	if len(r.Untracked) > 0 {
		fmt.Fprintf(&b, "untracked, and no part of the difference: %s\n", count(r.UntrackedFiles, "file"))
		for _, path := range r.Untracked {
			b.WriteString("untracked " + name(path) + "\n")
		}
		if r.UntrackedFiles > len(r.Untracked) {
			fmt.Fprintf(&b, "[%d of %d untracked files]\n", len(r.Untracked), r.UntrackedFiles)
		}
	}
	b.WriteString(unmatchedText(r.Unmatched) + partText(r.Part))
	if r.Patch != "" {
		b.WriteString("\n" + r.Patch)
	}
	if r.Cursor != "" {
		fmt.Fprintf(&b, "[more: cursor=%s]\n", r.Cursor)
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}

func (f DiffFile) text() string {
	text := f.Status + " " + shown(f.Path, f.From)
	if f.Mode != "" {
		text += " [mode " + f.Mode + "]"
	}
	switch {
	case f.Hidden:
		return text + " [not shown: files of that name hold secrets]"
	case f.Binary:
		return text + " [binary]"
	}
	return fmt.Sprintf("%s +%d -%d", text, f.Insertions, f.Deletions)
}
