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
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// DiffArgs are the arguments of git_diff.
type DiffArgs struct {
	Where
	// Paths restrict the answer to files, directories and files that match a pattern.
	Paths []string `json:"paths,omitempty" jsonschema:"description=Files\\, directories\\, or patterns such as *.go"`
	// Staged shows the difference between HEAD and the index. The default is the difference between the index and the worktree.
	Staged bool `json:"staged,omitempty"`
	// From is a commit to compare with To, with the index if Staged is set, or with the worktree.
	From string `json:"from,omitempty" jsonschema:"description=Commit or branch; compared with the work tree or to"`
	To   string `json:"to,omitempty"`
	// MergeBase compares To with its merge base with From.
	MergeBase bool `json:"mergeBase,omitempty" jsonschema:"description=Only the changes of to since its merge base with from"`
	// StatOnly omits the hunks.
	StatOnly bool `json:"statOnly,omitempty" jsonschema:"description=Only the list of files"`
	// Context is the number of lines around a change. The default is 3.
	Context *int `json:"context,omitempty" jsonschema:"minimum=0,maximum=100,default=3"`
	// Cursor is the Cursor of an earlier answer to the same arguments.
	Cursor string `json:"cursor,omitempty"`
	// MaxBytes is the most bytes of the answer.
	MaxBytes int `json:"maxBytes,omitempty" jsonschema:"minimum=256"`
}

// DiffResult is the result of git_diff.
type DiffResult struct {
	// Files are the files that differ. TotalFiles counts all of them, Insertions and Deletions their lines.
	Files      []DiffFile `json:"files,omitempty"`
	TotalFiles int        `json:"totalFiles"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`
	// Patch contains the hunks. Cursor continues with further hunks.
	Patch  string `json:"patch,omitempty"`
	Cursor string `json:"cursor,omitempty"`
	// FilesTruncated means that Files is incomplete.
	FilesTruncated bool `json:"filesTruncated,omitempty"`
	// Untracked are untracked files, at most 100, in a comparison with the worktree. UntrackedFiles counts all. They are not
	// part of the difference.
	Untracked      []string `json:"untracked,omitempty"`
	UntrackedFiles int      `json:"untrackedFiles,omitempty"`
	// Unmatched are the elements of Paths that match no tracked file.
	Unmatched []string `json:"unmatched,omitempty"`
	// Part is the directory of the project in the repository, if the repository begins above it.
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
	// Mode is the change of the mode, for example "100644 → 100755" for a file that became executable.
	Mode string `json:"mode,omitempty"`
	// Hidden means that the content is omitted because the file is blocked.
	Hidden bool `json:"hidden,omitempty"`

	names []string // names as git has them
}

// comparison is the pair of states to compare.
type comparison struct {
	args   []string // arguments of git diff
	answer string   // key of the comparison for cursors
	// the second commit; "" for the index and the worktree
	to       string
	worktree bool
}

// Diff implements git_diff.
func (g *Git) Diff(ctx context.Context, args DiffArgs) (DiffResult, error) {
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return DiffResult{}, err
	}
	chosen, err := r.parseSelection(ctx, args.Paths)
	if err != nil {
		return DiffResult{}, err
	}
	c, err := r.comparison(ctx, args)
	if err != nil {
		return DiffResult{}, err
	}
	files, err := r.diffFiles(ctx, c, chosen)
	if err != nil {
		return DiffResult{}, err
	}
	question := cursor.NewListID("diff", r.path("."), c.answer, strings.Join(args.Paths, "\x00"), fileDigest(files))
	place, ok := question.Position(args.Cursor)
	if !ok {
		return DiffResult{}, problem(codeInvalidCursor, "Call without a cursor.", "the cursor is of another question, or the files have changed since")
	}
	result := DiffResult{TotalFiles: len(files), TurnedOff: r.turnedOff(), Part: r.partPath}
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
		if err := r.addUntracked(ctx, c, chosen, files, &result); err != nil {
			return DiffResult{}, err
		}
		for _, path := range result.Untracked {
			room -= len(path) + 4
		}
	}
	if args.StatOnly {
		return result, nil
	}
	pages := &patchReader{repo: r, comparison: c, files: files, room: max(room, 256)}
	pages.seek(place)
	if err := pages.read(ctx, args.Context); err != nil {
		return DiffResult{}, err
	}
	result.Patch = pages.text.String()
	if place := pages.position(); place != "" {
		result.Cursor = question.Cursor(place)
	}
	return result, nil
}

// budget returns the bytes of text of an answer.
func (g *Git) budget(asked int) int {
	if asked <= 0 {
		return g.limits.Answer
	}
	return min(asked, g.limits.MaxAnswer)
}

// comparison resolves the arguments.
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

// mergeBase returns the merge base of two commits.
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

// addUntracked adds untracked files and unmatched paths to the result. They are not part of a difference, and the caller would
// otherwise not see them.
func (r *repo) addUntracked(ctx context.Context, c comparison, chosen selection, files []DiffFile, result *DiffResult) error {
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

// untracked lists untracked files. Without a selection it lists untracked directories instead of their files.
func (r *repo) untracked(ctx context.Context, chosen selection) ([]string, error) {
	look := gitcmd.Look{Paths: r.pathspec(chosen), Untracked: "normal", Submodules: "all", Limit: localTimeout}
	if !chosen.empty() {
		look.Untracked = "all"
	}
	_, entries, err := r.Look(ctx, look)
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return nil, gitError("looking for files that git does not know", err)
	}
	var files []string
	for _, e := range entries {
		if e.Untracked() && r.selects(chosen, e.Path) {
			files = append(files, e.Path)
		}
	}
	return files, nil
}

// diffOptions are the options of every comparison. They keep git from running programs of the repository.
var diffOptions = []string{"--no-color", "--no-ext-diff", "--no-textconv", "-M", "--submodule=short", "--ignore-submodules=dirty", "-O/dev/null"}

// diffFiles lists the files that differ.
func (r *repo) diffFiles(ctx context.Context, c comparison, chosen selection) ([]DiffFile, error) {
	args := slices.Concat([]string{"diff"}, diffOptions, []string{"--raw", "--numstat", "-z"}, c.args, []string{"--"}, r.pathspec(chosen))
	out, err := r.Run(ctx, gitcmd.Call{Args: args, Limit: localTimeout, Most: 32 << 20})
	if err != nil {
		return nil, gitError("comparing", err)
	}
	files, err := parseDiff(string(out))
	if err != nil {
		return nil, gitError("comparing", err)
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
		f.Hidden = slices.ContainsFunc(f.names, func(name string) bool { return r.isBlocked(ctx, name) })
	}
	return files, nil
}

// parseDiff parses the output of --raw and --numstat with -z. All raw entries come first, then all statistics, in the same
// order.
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
			return nil, fmt.Errorf("unexpected output of git diff: %.100q", parts[at-1])
		}
		f := DiffFile{Status: words[fields[4][0]], Mode: modeChange(fields[0][1:], fields[1]), names: []string{next()}}
		if c := fields[4][0]; c == 'R' || c == 'C' {
			f.names = append(f.names, next())
		}
		// A conflict has two entries: one for the conflict and one for the difference of the worktree.
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
			return nil, fmt.Errorf("unexpected output of git diff: %.100q", rest)
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

// modeChange describes the change of a mode. It is "" if the mode is unchanged or the file is new or deleted.
func modeChange(from, to string) string {
	if from == to || strings.Trim(from, "0") == "" || strings.Trim(to, "0") == "" {
		return ""
	}
	return from + " → " + to
}

// firstFiles returns the first files that fit into room bytes.
func firstFiles(files []DiffFile, room int) (first []DiffFile, cut bool) {
	for i, f := range files {
		if room -= len(f.Path) + len(f.From) + fileMembers; room < 0 && i > 0 {
			return files[:i], true
		}
	}
	return files, false
}

// fileDigest returns a digest of the list of files.
func fileDigest(files []DiffFile) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %d %d %s %q\n", f.Status, f.Insertions, f.Deletions, f.Mode, f.names)
	}
	return b.String()
}

// TextContent returns the text for the model: one line for each file, and the hunks.
func (r DiffResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s changed, %d lines added, %d deleted\n", plural.Count(r.TotalFiles, "file"), r.Insertions, r.Deletions)
	for _, f := range r.Files {
		fmt.Fprintf(&b, "%s\n", f.text())
	}
	if r.FilesTruncated {
		fmt.Fprintf(&b, "[%d of %d files; give paths to see those of a directory]\n", len(r.Files), r.TotalFiles)
	}
	if len(r.Untracked) > 0 {
		fmt.Fprintf(&b, "untracked, and no part of the difference: %s\n", plural.Count(r.UntrackedFiles, "file"))
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

// text returns the line of a file.
func (f DiffFile) text() string {
	text := f.Status + " " + renamedPath(f.Path, f.From)
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
