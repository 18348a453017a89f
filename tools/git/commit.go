package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// CommitArgs are the arguments of git_commit.
type CommitArgs struct {
	Where
	// Message is that of the commit. With Amend the former one stays if it is empty.
	Message string `json:"message,omitempty" jsonschema:"maxLength=65536"`
	// Paths are files, directories and patterns of files whose changes, new files among them, are committed, and no others. All commits all changes of
	// files that git knows. Without both, what is staged is committed.
	Paths []string `json:"paths,omitempty" jsonschema:"description=Commit these files\\, directories or patterns\\, new files too\\, and nothing else"`
	All   bool     `json:"all,omitempty" jsonschema:"description=Commit every change of tracked files"`
	// Amend changes the last commit, unless it was pushed.
	Amend bool `json:"amend,omitempty"`
	// AllowSecrets commits what looks like a password or a key.
	AllowSecrets bool `json:"allowSecrets,omitempty"`
	// Hooks runs the hooks of the repository, where the server allows that.
	Hooks bool `json:"hooks,omitempty" jsonschema:"description=Run the repository's hooks"`
}

// CommitResult is what git_commit answers.
type CommitResult struct {
	Hash string `json:"hash"`
	// Branch is empty if none is checked out (Detached): then only the hash leads to the commit.
	Branch   string `json:"branch"`
	Detached bool   `json:"detached,omitempty"`
	Subject  string `json:"subject"`
	Author   string `json:"author"`
	Amended  string `json:"amended,omitempty"` // the hash of the commit that it replaces
	// Files are what it changes, at most 100; TotalFiles counts them.
	Files      []DiffFile `json:"files"`
	TotalFiles int        `json:"totalFiles"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`
	// LeftOut are files that were not committed though they are in what was asked for.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// TurnedOff is as in StatusResult, with the hooks that were not run.
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// LeftOut is a file with the reason why it was not committed.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Commit is git_commit.
func (g *Git) Commit(ctx context.Context, args CommitArgs) (result CommitResult, err error) {
	if err := checkCommit(args); err != nil {
		return CommitResult{}, err
	}
	r, err := g.open(ctx, args.Where)
	if err != nil {
		return CommitResult{}, err
	}
	if r, err = r.withHooks(args.Hooks); err != nil {
		return CommitResult{}, err
	}
	c, err := r.begin(ctx, "git_commit", map[string]any{"message": args.Message, "paths": args.Paths, "all": args.All, "amend": args.Amend})
	if err != nil {
		return CommitResult{}, err
	}
	defer func() { err = c.end(err) }()
	plan, err := r.planCommit(ctx, args)
	if err != nil {
		return CommitResult{}, err
	}
	before := ""
	if args.Amend {
		before = plan.head.Commit
	}
	if err := r.carryOut(ctx, args, plan); err != nil {
		return CommitResult{}, err
	}
	result, err = r.committed(ctx)
	result.Amended, result.LeftOut = before, plan.leftOut
	result.TurnedOff = append(r.turnedOff(), r.hooksOff(ctx, args.Hooks, "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")...)
	return result, err
}

// checkCommit finds what is wrong with the arguments by themselves.
func checkCommit(args CommitArgs) error {
	switch {
	case !utf8.ValidString(args.Message) || strings.ContainsRune(args.Message, 0):
		return invalid("Give text.", "the message is not text")
	case strings.TrimSpace(args.Message) == "" && !args.Amend:
		return invalid("Give a message that says what is changed and why.", "there is no message")
	case args.All && len(args.Paths) > 0:
		return invalid("Leave one of both out.", "all and paths are two different choices")
	}
	return nil
}

// carryOut stages what is to be staged, and commits.
func (r *repo) carryOut(ctx context.Context, args CommitArgs, plan *commitPlan) error {
	list := []byte(strings.Join(plan.paths, "\x00"))
	fromList := []string{"--pathspec-from-file=-", "--pathspec-file-nul"}
	if len(plan.stage) > 0 && !plan.every {
		stage := []byte(strings.Join(plan.stage, "\x00"))
		if _, err := r.changing(ctx, gitcmd.Call{Args: append([]string{"add", "--all"}, fromList...), Input: stage, Limit: localTimeout}); err != nil {
			return failed("staging", err)
		}
	}
	command := []string{"commit", "--quiet", "--cleanup=whitespace", "--no-status"}
	if args.Amend {
		command = append(command, "--amend")
	}
	if plan.every {
		command = append(command, "--all")
	}
	call := gitcmd.Call{Limit: localTimeout}
	if len(plan.paths) > 0 && !plan.whole && !plan.every {
		// The list and the message cannot both be read.
		call.Input = list
		command = append(append(command, "--only"), fromList...)
		if strings.TrimSpace(args.Message) != "" {
			command = append(command, "--message="+args.Message)
		}
	} else if strings.TrimSpace(args.Message) != "" {
		call.Input = []byte(args.Message)
		command = append(command, "--file=-")
	}
	if strings.TrimSpace(args.Message) == "" {
		command = append(command, "--no-edit")
	}
	call.Args = command
	_, err := r.changing(ctx, call)
	if err == nil {
		return nil
	}
	r.unstage(ctx, plan)
	if failure, ok := errors.AsType[*gitcmd.Failure](err); ok && args.Hooks && !plan.hasIdentityProblem(failure) {
		return problem(codeHookFailed, "Correct what the hook names, or commit without hooks.", "the commit was refused, probably by a hook: %s", said(failure.Said))
	}
	return failed("committing", err)
}

func (*commitPlan) hasIdentityProblem(f *gitcmd.Failure) bool {
	_, locked := gitcmd.FindLock(f)
	return locked || strings.Contains(f.Said, "identity") || strings.Contains(f.Said, "ident name")
}

// unstage takes new files back out of the index after a commit that was not made.
func (r *repo) unstage(ctx context.Context, plan *commitPlan) {
	if len(plan.added) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	_, _ = r.Run(ctx, gitcmd.Call{Args: []string{"rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--pathspec-from-file=-", "--pathspec-file-nul"}, Input: []byte(strings.Join(plan.added, "\x00"))})
}

// committed tells about the commit that is checked out.
func (r *repo) committed(ctx context.Context) (CommitResult, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"log", "-1", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", "--no-patch", "--format=%H%n%P%n%aI%n%an <%ae>%n%D%n%B"}})
	if err != nil {
		return CommitResult{}, failed("reading the new commit", err)
	}
	commit, err := parseCommit(string(out), false)
	if err != nil {
		return CommitResult{}, failed("reading the new commit", err)
	}
	result := CommitResult{Hash: commit.Hash, Subject: commit.Subject, Author: commit.Author, Files: []DiffFile{}}
	if branch, err := r.Run(ctx, gitcmd.Call{Args: []string{"symbolic-ref", "--quiet", "--short", "HEAD"}}); err == nil {
		result.Branch = legible(trim(branch))
	}
	result.Detached = result.Branch == ""
	from := commit.Hash + "^"
	if _, err := r.Resolve(ctx, from); err != nil {
		if from, err = r.emptyTree(ctx); err != nil {
			return result, err
		}
	}
	files, err := r.differing(ctx, comparison{args: []string{from, commit.Hash}}, selection{})
	if err != nil {
		return result, err
	}
	for _, f := range files {
		result.Insertions += f.Insertions
		result.Deletions += f.Deletions
	}
	result.TotalFiles = len(files)
	result.Files = append(result.Files, files[:min(len(files), mostListed)]...)
	return result, nil
}

// TextContent says what was committed.
func (r CommitResult) TextContent() string {
	var b strings.Builder
	where := "on branch " + name(r.Branch)
	if r.Detached {
		where = "on no branch (detached: only the hash leads to it; git_branch can create one)"
	}
	verb := "committed"
	if r.Amended != "" {
		verb = "amended " + short(r.Amended) + " to"
	}
	fmt.Fprintf(&b, "%s %s %s: %s\n%s changed, %d lines added, %d deleted\n", verb, short(r.Hash), where, r.Subject, count(r.TotalFiles, "file"), r.Insertions, r.Deletions)
	for _, f := range r.Files {
		b.WriteString(f.text() + "\n")
	}
	if r.TotalFiles > len(r.Files) {
		fmt.Fprintf(&b, "[%d of %d files]\n", len(r.Files), r.TotalFiles)
	}
	for _, out := range r.LeftOut {
		fmt.Fprintf(&b, "[left out: %s, %s]\n", name(out.Path), out.Reason)
	}
	b.WriteString(turnedOffText(r.TurnedOff))
	return b.String()
}
