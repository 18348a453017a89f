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
)

// commitPlan is what a commit takes.
type commitPlan struct {
	head    gitcmd.Head
	entries []gitcmd.Entry // that are to be committed
	paths   []string       // of those, if it is not what is staged
	stage   []string       // those of them that git add must see first
	added   []string       // those of them that git did not know
	leftOut []LeftOut
	whole   bool // the whole index is committed, as a merge must be
	every   bool // all that has changed is committed, so that nothing need be named
}

// planCommit finds out what is to be committed, and refuses what should not be.
func (r *repo) planCommit(ctx context.Context, args CommitArgs) (*commitPlan, error) {
	paths, err := r.selected(ctx, args.Paths)
	if err != nil {
		return nil, err
	}
	head, entries, err := r.Look(ctx, gitcmd.Look{Untracked: "all", Submodules: "dirty", Limit: localTimeout})
	if err != nil {
		return nil, failed("looking at the work tree", err)
	}
	p := &commitPlan{head: head}
	state := gitcmd.InProgress(r.own)
	if err := r.checkState(ctx, args, head, state); err != nil {
		return nil, err
	}
	if p.whole = state != "" && state != gitcmd.Bisecting; p.whole {
		if err := r.outside("concluding the " + state); err != nil {
			return nil, err
		}
	}
	for _, e := range entries {
		if err := r.take(ctx, p, e, args, paths); err != nil {
			return nil, err
		}
	}
	if p.every = args.All && len(p.leftOut) == 0 && r.part == ""; p.every {
		submodules, err := r.hasSubmodules(ctx)
		if err != nil {
			return nil, err
		}
		p.every = !submodules
	}
	concluding := state == gitcmd.Merging && !slices.ContainsFunc(entries, func(e gitcmd.Entry) bool { return e.Conflicted })
	if len(p.entries) == 0 && !concluding && !(args.Amend && strings.TrimSpace(args.Message) != "") {
		return nil, r.nothing(ctx, args, p, paths, entries)
	}
	if err := r.checkFilters(ctx, p); err != nil {
		return nil, err
	}
	if args.AllowSecrets {
		return p, nil
	}
	return p, r.checkSecrets(ctx, p)
}

// hasSubmodules reports whether the index has submodules. A command that is to find the changes by itself would look into them, with
// their own configuration.
func (r *repo) hasSubmodules(ctx context.Context) (bool, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"ls-files", "--stage", "-z"}, Limit: localTimeout, Most: 64 << 20})
	if err != nil && !errors.Is(err, gitcmd.ErrTooMuch) {
		return false, failed("looking for submodules", err)
	}
	const submodule = "160000 "
	return err != nil || bytes.HasPrefix(out, []byte(submodule)) || bytes.Contains(out, []byte("\x00"+submodule)), nil
}

// checkState refuses what cannot be done in the state that the repository is in.
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
		return failed("looking for the commit in remote branches", err)
	}
	if where := trim(out); where != "" {
		return problem(codePushed, "Make a new commit instead.", "the last commit was pushed: %s has it", quote(where))
	}
	return nil
}

// take adds a file to the plan if it is meant.
func (r *repo) take(ctx context.Context, p *commitPlan, e gitcmd.Entry, args CommitArgs, paths selection) error {
	staged := e.Index != '.' && !e.Untracked()
	byName := !paths.empty() || args.All
	meant := false
	switch {
	case !r.inProject(e.Path):
		if staged && !byName { // the index would be committed
			return problem(codeOutside, "Give paths, or all=true, which leave other files out.", "files outside of the project, which is only %s of the repository, are staged and would be committed", quote(r.part))
		}
	case !paths.empty():
		meant = r.names(paths, e.Path) || p.whole && staged
	case args.All:
		meant = !e.Untracked()
	default:
		meant = staged || e.Conflicted
	}
	if e.Conflicted && (meant || p.whole || !byName) {
		if !r.names(paths, e.Path) && !args.All || r.hasMarkers(e.Path) {
			return problem(codeConflicts, "Edit the file until no line with <<<<<<<, ======= or >>>>>>> is left, and commit it with paths; or call git_pull with abort=true.",
				"%s is in conflict", quote(r.path(e.Path)))
		}
	}
	if !meant {
		return nil
	}
	if byName && r.hidden(ctx, e.Path) && !(p.whole && staged && e.Tree == '.') {
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
	if e.Tree != '.' && (p.whole || e.Untracked() || e.Conflicted) {
		p.stage = append(p.stage, e.Path)
	}
	if e.Untracked() {
		p.added = append(p.added, e.Path)
	}
	return nil
}

// hasMarkers tells whether a file still holds the marks of a conflict.
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

// nothing explains why there is nothing to commit.
func (r *repo) nothing(ctx context.Context, args CommitArgs, p *commitPlan, paths selection, entries []gitcmd.Entry) error {
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
		return problem(codeNothing, "git_status shows what is changed. Files that .gitignore leaves out are not committed.", "git knows no file that matches %s", quote(strings.Join(unmatched, ", ")))
	case len(p.leftOut) > 0:
		return problem(codeNothing, "Leave the file out of the repository. If it must be in it, ask the user to commit it.", "nothing is left to commit: %s is left out, %s", quote(p.leftOut[0].Path), p.leftOut[0].Reason)
	case len(args.Paths) > 0:
		return problem(codeNothing, "git_status shows what is changed. Files that .gitignore leaves out are not committed.", "nothing in the paths has changed")
	case len(entries) > 0 && !args.All:
		return problem(codeNothing, "Give paths, or all=true.", "nothing is staged, but %s changed", count(len(entries), "file"))
	case len(entries) > 0:
		return problem(codeNothing, "Give paths to commit new files.", "no file that git knows has changed")
	}
	return problem(codeNothing, "Change something first.", "nothing has changed")
}

// hooksOff are the hooks of the repository that were not run.
func (r *repo) hooksOff(ctx context.Context, on bool, names ...string) []string {
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
