package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// CommitArgs are the arguments of git_commit.
type CommitArgs struct {
	Where
	// Message of the commit. With Amend an empty message keeps the former one.
	Message string `json:"message,omitempty" jsonschema:"maxLength=65536"`
	// Paths are files, directories and patterns. Exactly their changes are committed, new files included. All commits the
	// changes of all tracked files. Without both, the index is committed.
	Paths []string `json:"paths,omitempty" jsonschema:"description=Commit these files\\, directories or patterns\\, new files too\\, and nothing else"`
	All   bool     `json:"all,omitempty" jsonschema:"description=Commit every change of tracked files"`
	// Amend replaces the last commit, unless it was pushed.
	Amend bool `json:"amend,omitempty"`
	// AllowSecrets commits text that looks like a password or a key.
	AllowSecrets bool `json:"allowSecrets,omitempty"`
	// Hooks runs the hooks of the repository, if the server allows hooks.
	Hooks bool `json:"hooks,omitempty" jsonschema:"description=Run the repository's hooks"`
}

// CommitResult is the result of git_commit.
type CommitResult struct {
	Hash string `json:"hash"`
	// Branch is empty if HEAD is detached (Detached); then only the hash leads to the commit.
	Branch   string `json:"branch"`
	Detached bool   `json:"detached,omitempty"`
	Subject  string `json:"subject"`
	Author   string `json:"author"`
	Amended  string `json:"amended,omitempty"` // hash of the replaced commit
	// Files are the changed files, at most 100. TotalFiles counts all.
	Files      []DiffFile `json:"files"`
	TotalFiles int        `json:"totalFiles"`
	Insertions int        `json:"insertions"`
	Deletions  int        `json:"deletions"`
	// LeftOut are selected files that were not committed.
	LeftOut []LeftOut `json:"leftOut,omitempty"`
	// TurnedOff is as in StatusResult, and lists hooks that did not run.
	TurnedOff []string `json:"turnedOff,omitempty"`
}

// LeftOut is a file that was not committed, with the reason.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Commit implements git_commit.
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
	if err := r.runCommit(ctx, args, plan); err != nil {
		return CommitResult{}, err
	}
	result, err = r.describeHead(ctx)
	result.Amended, result.LeftOut = before, plan.leftOut
	result.TurnedOff = append(r.turnedOff(), r.disabledHooks(ctx, args.Hooks, "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")...)
	return result, err
}

// checkCommit validates the arguments.
func checkCommit(args CommitArgs) error {
	switch {
	case !utf8.ValidString(args.Message) || strings.ContainsRune(args.Message, 0):
		return invalid("Give text.", "the message is not text")
	case strings.TrimSpace(args.Message) == "" && !args.Amend:
		return invalid("Give a message that describes the change and its reason.", "there is no message")
	case args.All && len(args.Paths) > 0:
		return invalid("Leave one of both out.", "all and paths are two different choices")
	}
	return nil
}

// runCommit stages the files of the plan and commits.
func (r *repo) runCommit(ctx context.Context, args CommitArgs, plan *commitPlan) error {
	list := []byte(strings.Join(plan.paths, "\x00"))
	fromList := []string{"--pathspec-from-file=-", "--pathspec-file-nul"}
	if len(plan.stage) > 0 && !plan.allChanges {
		stage := []byte(strings.Join(plan.stage, "\x00"))
		if _, err := r.runLocked(ctx, gitcmd.Call{Args: append([]string{"add", "--all"}, fromList...), Input: stage, Limit: localTimeout}); err != nil {
			return gitError("staging", err)
		}
	}
	command := []string{"commit", "--quiet", "--cleanup=whitespace", "--no-status"}
	if args.Amend {
		command = append(command, "--amend")
	}
	if plan.allChanges {
		command = append(command, "--all")
	}
	call := gitcmd.Call{Limit: localTimeout}
	if len(plan.paths) > 0 && !plan.fullIndex && !plan.allChanges {
		// standard input can carry only one of the list and the message
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
	_, err := r.runLocked(ctx, call)
	if err == nil {
		return nil
	}
	r.unstage(ctx, plan)
	if failure, ok := errors.AsType[*gitcmd.Failure](err); ok && args.Hooks && !plan.hasIdentityProblem(failure) {
		return problem(codeHookFailed, "Correct what the hook names, or commit without hooks.", "the commit was refused, probably by a hook: %s", sanitize(failure.Said))
	}
	return gitError("committing", err)
}

// hasIdentityProblem reports whether git lacks the name or mail of the user.
func (*commitPlan) hasIdentityProblem(f *gitcmd.Failure) bool {
	_, locked := gitcmd.FindLock(f)
	return locked || strings.Contains(f.Said, "identity") || strings.Contains(f.Said, "ident name")
}

// unstage removes new files from the index after a failed commit.
func (r *repo) unstage(ctx context.Context, plan *commitPlan) {
	if len(plan.added) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	_, _ = r.Run(ctx, gitcmd.Call{Args: []string{"rm", "--cached", "--quiet", "--force", "--ignore-unmatch", "--pathspec-from-file=-", "--pathspec-file-nul"}, Input: []byte(strings.Join(plan.added, "\x00"))})
}

// describeHead returns the description of HEAD.
func (r *repo) describeHead(ctx context.Context) (CommitResult, error) {
	out, err := r.Run(ctx, gitcmd.Call{Args: []string{"log", "-1", "--no-show-signature", "--no-mailmap", "--encoding=UTF-8", "--no-patch", "--format=%H%n%P%n%aI%n%an <%ae>%n%D%n%B"}})
	if err != nil {
		return CommitResult{}, gitError("reading the new commit", err)
	}
	commit, err := parseCommit(string(out), false)
	if err != nil {
		return CommitResult{}, gitError("reading the new commit", err)
	}
	result := CommitResult{Hash: commit.Hash, Subject: commit.Subject, Author: commit.Author, Files: []DiffFile{}}
	if branch, err := r.Run(ctx, gitcmd.Call{Args: []string{"symbolic-ref", "--quiet", "--short", "HEAD"}}); err == nil {
		result.Branch = toUTF8(trim(branch))
	}
	result.Detached = result.Branch == ""
	from := commit.Hash + "^"
	if _, err := r.Resolve(ctx, from); err != nil {
		if from, err = r.emptyTree(ctx); err != nil {
			return result, err
		}
	}
	files, err := r.diffFiles(ctx, comparison{args: []string{from, commit.Hash}}, selection{})
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

// TextContent returns the text for the model.
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
	fmt.Fprintf(&b, "%s %s %s: %s\n%s changed, %d lines added, %d deleted\n", verb, short(r.Hash), where, r.Subject, plural.Count(r.TotalFiles, "file"), r.Insertions, r.Deletions)
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
