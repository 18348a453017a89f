package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// Conflict is a file with merge conflicts.
type Conflict struct {
	Path string `json:"path"`
	// Kind describes the changes of both sides, for example "both modified".
	Kind string `json:"kind"`
	// Hunks are the conflicting parts, within the budget.
	Hunks []ConflictHunk `json:"hunks,omitempty"`
	// Hidden means that the content is omitted because the file is blocked.
	Hidden bool `json:"hidden,omitempty"`
}

// ConflictHunk is a part of a file with conflict markers.
type ConflictHunk struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Text      string `json:"text"`
}

// kinds maps the two status letters of git to words.
var kinds = map[string]string{
	"DD": "both deleted", "AU": "added by us", "UD": "deleted by them", "UA": "added by them", "DU": "deleted by us", "AA": "both added", "UU": "both modified",
}

const mostConflicts = 200

// conflicts lists the files with conflicts.
func (r *repo) conflicts(ctx context.Context) ([]Conflict, error) {
	_, entries, err := r.Look(ctx, gitcmd.Look{Untracked: "no", Submodules: "all", Limit: localTimeout})
	if err != nil {
		return nil, gitError("looking at the work tree", err)
	}
	room := r.g.limits.Answer / 2
	var all []Conflict
	for _, e := range entries {
		if !e.Conflicted || len(all) == mostConflicts {
			continue
		}
		c := Conflict{Path: r.path(e.Path), Kind: kinds[string([]byte{e.Index, e.Tree})], Hidden: r.isBlocked(ctx, e.Path)}
		if !c.Hidden && room > 0 {
			c.Hunks = r.conflictHunks(ctx, c.Path, &room)
		}
		all = append(all, c)
	}
	return all, nil
}

// conflictHunks parses the conflict markers of a file.
func (r *repo) conflictHunks(ctx context.Context, path string, room *int) []ConflictHunk {
	text, _, err := r.g.root.ReadFile(ctx, path, r.g.limits.MaxFile)
	if err != nil {
		return nil // the file is deleted, a link, or has an unusable name
	}
	var hunks []ConflictHunk
	var now *ConflictHunk
	var b strings.Builder
	n := 0
	for line := range strings.Lines(decoded(text)) {
		n++
		if now == nil && strings.HasPrefix(line, "<<<<<<< ") {
			now = &ConflictHunk{StartLine: n}
			b.Reset()
		}
		if now == nil {
			continue
		}
		b.WriteString(truncate.Cut(strings.TrimRight(line, "\r\n"), 1<<10) + "\n")
		if strings.HasPrefix(line, ">>>>>>> ") || b.Len() > *room {
			now.EndLine, now.Text = n, b.String()
			hunks = append(hunks, *now)
			*room -= b.Len()
			now = nil
		}
		if *room <= 0 {
			break
		}
	}
	return hunks
}

// text returns the lines of a conflict.
func (c Conflict) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "conflict in %s (%s)\n", name(c.Path), c.Kind)
	if c.Hidden {
		b.WriteString("[not shown: files of that name hold secrets]\n")
	}
	for _, h := range c.Hunks {
		fmt.Fprintf(&b, "lines %d-%d:\n%s", h.StartLine, h.EndLine, h.Text)
	}
	return b.String()
}

// abort aborts the operation in progress.
func (r *repo) abort(ctx context.Context, state string) (result PullResult, err error) {
	if state == "" || state == gitcmd.Bisecting {
		return PullResult{}, problem(codeNotInProgress, "git_status shows the operation in progress.", "there is nothing to abort")
	}
	before, err := r.currentHead(ctx)
	if err != nil {
		return PullResult{}, err
	}
	c, err := r.begin(ctx, "git_pull", map[string]any{"abort": state})
	if err != nil {
		return PullResult{}, err
	}
	defer func() { err = c.end(err) }()
	if _, err := r.runLocked(ctx, gitcmd.Call{Args: []string{state, "--abort"}, Limit: switchTimeout}); err != nil {
		return PullResult{}, gitError("aborting the "+state, err)
	}
	head, err := r.currentHead(ctx)
	return PullResult{Head: head, Done: "aborted the " + state, From: before.Commit, To: head.Commit, TurnedOff: r.turnedOff()}, err
}

// continueRebase continues a rebase after its conflicts are resolved.
func (r *repo) continueRebase(ctx context.Context, state string) (result PullResult, err error) {
	switch {
	case state == gitcmd.Merging:
		return PullResult{}, problem(codeInProgress, "Call git_commit with the paths that were in conflict and a message.", "a merge is concluded by a commit")
	case state != gitcmd.Rebasing:
		return PullResult{}, problem(codeNotInProgress, "git_status shows the operation in progress.", "there is no rebase to continue")
	}
	if err := r.checkTodo(); err != nil {
		return PullResult{}, err
	}
	before, entries, err := r.Look(ctx, gitcmd.Look{Untracked: "no", Submodules: "dirty", Limit: localTimeout})
	if err != nil {
		return PullResult{}, gitError("looking at the work tree", err)
	}
	plan := &commitPlan{head: before}
	for _, e := range entries {
		if e.Conflicted && r.hasMarkers(e.Path) {
			return PullResult{}, problem(codeConflicts, "Edit the file until no line with <<<<<<<, ======= or >>>>>>> is left.", "%s is still in conflict", quote(r.path(e.Path)))
		}
		if e.Conflicted || e.Tree != '.' {
			plan.paths, plan.entries = append(plan.paths, e.Path), append(plan.entries, e)
		}
	}
	if err := r.checkCommitFilters(ctx, plan); err != nil {
		return PullResult{}, err
	}
	if err := r.checkSecrets(ctx, plan); err != nil {
		return PullResult{}, err
	}
	c, err := r.begin(ctx, "git_pull", map[string]any{"continue": state})
	if err != nil {
		return PullResult{}, err
	}
	defer func() { err = c.end(err) }()
	if len(plan.paths) > 0 {
		list := []byte(strings.Join(plan.paths, "\x00"))
		if _, err := r.runLocked(ctx, gitcmd.Call{Args: []string{"add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"}, Input: list, Limit: localTimeout}); err != nil {
			return PullResult{}, gitError("staging", err)
		}
	}
	_, err = r.runLocked(ctx, gitcmd.Call{Args: []string{"rebase", "--continue"}, Limit: switchTimeout})
	return r.pulledResult(ctx, r.head(before), "the rebase is done", 0, err)
}

// checkTodo refuses to continue a rebase that would run programs, or whose steps this package does not support.
func (r *repo) checkTodo() error {
	refuse := problem(codeUnsafe, "Ask the user to continue with git rebase --continue in a terminal, or call git_pull with abort=true.", "the rest of the rebase does more than pick commits")
	dir := filepath.Join(r.own, "rebase-merge")
	todo, err := os.ReadFile(filepath.Join(dir, "git-rebase-todo"))
	if err != nil || len(todo) > 4<<20 {
		return refuse
	}
	for line := range strings.Lines(string(todo)) {
		fields := strings.Fields(line)
		if len(fields) > 0 && !strings.HasPrefix(fields[0], "#") && !slices.Contains([]string{"pick", "p", "drop", "d", "noop"}, fields[0]) {
			return refuse
		}
	}
	strategy, err := os.ReadFile(filepath.Join(dir, "strategy"))
	if err == nil && !slices.Contains([]string{"", "ort", "recursive"}, strings.TrimSpace(string(strategy))) {
		return refuse
	}
	return nil
}
