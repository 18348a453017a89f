package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// commitPlan is the content of a commit.
type commitPlan struct {
	head       gitcmd.Head
	entries    []gitcmd.Entry // changed files to commit
	paths      []string       // their paths; empty if the index is committed
	stage      []string       // paths that git add must process first
	added      []string       // paths that were untracked
	leftOut    []LeftOut
	fullIndex  bool // the complete index is committed, as a merge requires
	allChanges bool // all changes are committed, so no paths are needed
}

// planCommit selects the files of the commit and refuses unsuitable ones.
func (r *repo) planCommit(ctx context.Context, args CommitArgs) (*commitPlan, error) {
	paths, err := r.parseSelection(ctx, args.Paths)
	if err != nil {
		return nil, err
	}
	head, entries, err := r.Look(ctx, gitcmd.Look{Untracked: "all", Submodules: "dirty", Limit: localTimeout})
	if err != nil {
		return nil, gitError("looking at the work tree", err)
	}
	p := &commitPlan{head: head}
	state := gitcmd.InProgress(r.own)
	if err := r.checkState(ctx, args, head, state); err != nil {
		return nil, err
	}
	if p.fullIndex = state != "" && state != gitcmd.Bisecting; p.fullIndex {
		if err := r.refuseOutside("concluding the " + state); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if err := r.addEntry(ctx, p, e, args, paths); err != nil {
			return nil, err
		}
	}
	if p.allChanges = args.All && len(p.leftOut) == 0 && r.partPath == ""; p.allChanges {
		submodules, err := r.hasSubmodules(ctx)
		if err != nil {
			return nil, err
		}
		p.allChanges = !submodules
	}
	concluding := state == gitcmd.Merging && !slices.ContainsFunc(entries, func(e gitcmd.Entry) bool { return e.Conflicted })
	if len(p.entries) == 0 && !concluding && !(args.Amend && strings.TrimSpace(args.Message) != "") {
		return nil, r.nothingToCommit(ctx, args, p, paths, entries)
	}
	if err := r.checkCommitFilters(ctx, p); err != nil {
		return nil, err
	}
	if args.AllowSecrets {
		return p, nil
	}
	return p, r.checkSecrets(ctx, p)
}

// hasSubmodules reports whether the index has submodules. Without explicit paths, git would read them with their own
// configuration.
func (r *repo) hasSubmodules(ctx context.Context) (bool, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"ls-files", "--stage", "-z"}, Limit: localTimeout, Most: 64 << 20})
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return false, gitError("looking for submodules", err)
	}
	const submodule = "160000 "
	return err != nil || bytes.HasPrefix(out, []byte(submodule)) || bytes.Contains(out, []byte("\x00"+submodule)), nil
}

// checkState refuses a commit that the state of the repository does not allow.
func (r *repo) checkState(ctx context.Context, args CommitArgs, head gitcmd.Head, state string) error {
	switch {
	case state == gitcmd.Rebasing || state == gitcmd.Applying:
		return problem(codeInProgress, "Resolve the conflicts, then call git_pull with continue=true, or with abort=true to give it up.", "a %s is in progress", state)
	case args.Amend && state != "":
		return problem(codeInProgress, "Conclude it first, or abort it.", "a %s is in progress, so there is nothing to amend", state)
	case args.Amend && head.Commit == "":
		return problem(codeUnknown, "Commit without amend.", "there is no commit to amend")
	case !args.Amend:
		return nil
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"for-each-ref", "--count=1", "--format=%(refname:short)", "--contains=" + head.Commit, "refs/remotes"}, Limit: localTimeout})
	if err != nil {
		return gitError("looking for the commit in remote branches", err)
	}
	if where := trim(out); where != "" {
		return problem(codePushed, "Make a new commit instead.", "the last commit was pushed: %s has it", quote(where))
	}
	return nil
}

// addEntry adds a file to the plan if it is selected.
func (r *repo) addEntry(ctx context.Context, p *commitPlan, e gitcmd.Entry, args CommitArgs, paths selection) error {
	staged := e.Index != '.' && !e.Untracked()
	byName := !paths.empty() || args.All
	meant := false
	switch {
	case !r.inProject(e.Path):
		if staged && !byName { // the index would be committed
			return problem(codeOutside, "Give paths, or all=true, which leave other files out.", "files outside of the project, which is only %s of the repository, are staged and would be committed", quote(r.partPath))
		}
	case !paths.empty():
		meant = r.names(paths, e.Path) || p.fullIndex && staged
	case args.All:
		meant = !e.Untracked()
	default:
		meant = staged || e.Conflicted
	}
	if e.Conflicted && (meant || p.fullIndex || !byName) {
		if !r.names(paths, e.Path) && !args.All || r.hasMarkers(e.Path) {
			return problem(codeConflicts, "Edit the file until no line with <<<<<<<, ======= or >>>>>>> is left, and commit it with paths; or call git_pull with abort=true.",
				"%s is in conflict", quote(r.path(e.Path)))
		}
	}
	if !meant {
		return nil
	}
	if byName && r.isBlocked(ctx, e.Path) && !(p.fullIndex && staged && e.Tree == '.') {
		p.leftOut = append(p.leftOut, LeftOut{r.path(e.Path), "files of that name hold secrets"})
		return nil
	}
	if e.Untracked() && strings.HasSuffix(e.Path, "/") {
		p.leftOut = append(p.leftOut, LeftOut{r.path(e.Path), "it is a repository of its own"})
		return nil
	}
	p.entries = append(p.entries, e)
	if !byName {
		return nil
	}
	p.paths = append(p.paths, e.Path)
	if e.Tree != '.' && (p.fullIndex || e.Untracked() || e.Conflicted) {
		p.stage = append(p.stage, e.Path)
	}
	if e.Untracked() {
		p.added = append(p.added, e.Path)
	}
	return nil
}

// hasMarkers reports whether a file contains conflict markers.
func (r *repo) hasMarkers(path string) bool {
	name := filepath.Join(r.Top(), filepath.FromSlash(path))
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > r.g.limits.MaxFile {
		return false
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	begun := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			begun = true
		case begun && strings.HasPrefix(line, ">>>>>>> "):
			return true
		}
	}
	return false
}

// nothingToCommit returns the error for an empty plan.
func (r *repo) nothingToCommit(ctx context.Context, args CommitArgs, p *commitPlan, paths selection, entries []gitcmd.Entry) error {
	entries = slices.DeleteFunc(entries, func(e gitcmd.Entry) bool { return !r.inProject(e.Path) })
	var seen []string
	for _, e := range entries {
		seen = append(seen, e.Path)
	}
	unmatched, err := r.unmatched(ctx, paths, "", seen)
	switch {
	case err != nil:
		return err
	case len(unmatched) > 0 && len(p.leftOut) == 0:
		return problem(codeNothing, "git_status shows the changed files. Files that .gitignore excludes are not committed.", "git knows no file that matches %s", quote(strings.Join(unmatched, ", ")))
	case len(p.leftOut) > 0:
		return problem(codeNothing, "Leave the file out of the repository. If it must be in it, ask the user to commit it.", "nothing is left to commit: %s is left out, %s", quote(p.leftOut[0].Path), p.leftOut[0].Reason)
	case len(args.Paths) > 0:
		return problem(codeNothing, "git_status shows the changed files. Files that .gitignore excludes are not committed.", "nothing in the paths has changed")
	case len(entries) > 0 && !args.All:
		return problem(codeNothing, "Give paths, or all=true.", "nothing is staged, but %s changed", plural.Count(len(entries), "file"))
	case len(entries) > 0:
		return problem(codeNothing, "Give paths to commit new files.", "no file that git knows has changed")
	}
	return problem(codeNothing, "Change something first.", "nothing has changed")
}

// disabledHooks lists the hooks of the repository that do not run.
func (r *repo) disabledHooks(ctx context.Context, on bool, names ...string) []string {
	if on {
		return nil
	}
	var off []string
	out, err := r.WithHooks().Run(ctx, gitcmd.Call{Args: []string{"rev-parse", "--git-path", "hooks"}})
	if err != nil {
		return nil
	}
	dir := trim(out)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Top(), dir)
	}
	for _, hook := range names {
		if info, err := os.Stat(filepath.Join(dir, hook)); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			off = append(off, fmt.Sprintf("the hook %s", hook))
		}
	}
	return off
}
