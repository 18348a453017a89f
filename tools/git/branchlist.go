package git

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
)

// switchTimeout bounds changes of a complete worktree.
const switchTimeout = toolTimeout - localTimeout/6

// BranchInfo is a branch of a list.
type BranchInfo struct {
	Name    string `json:"name"`
	Remote  bool   `json:"remote,omitempty"`
	Current bool   `json:"current,omitempty"`
	Hash    string `json:"hash"`
	Date    string `json:"date"` // date of its last commit, RFC 3339
	Subject string `json:"subject"`
	// Upstream is the tracked branch. Track is the difference: "[ahead 1, behind 2]", or "[gone]".
	Upstream string `json:"upstream,omitempty"`
	Track    string `json:"track,omitempty"`
	// Worktree means that another worktree has the branch checked out.
	Worktree bool `json:"worktree,omitempty"`
}

const defaultBranches = 100

// listBranches implements the action list.
func (r *repo) listBranches(ctx context.Context, args BranchArgs) (BranchResult, error) {
	head, err := r.currentHead(ctx)
	if err != nil {
		return BranchResult{}, err
	}
	result := BranchResult{Head: head, Branches: []BranchInfo{}}
	command := []string{"for-each-ref", "--sort=-committerdate", "--format=%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(upstream:short)%00%(upstream:track)%00%(worktreepath)%00%(HEAD)%00%(symref)%00%(subject)%00", "refs/heads"}
	if args.Remote {
		command = append(command, "refs/remotes")
	}
	out, err := r.Run(ctx, gitcmd.Call{Args: command, Limit: localTimeout, Most: 16 << 20})
	if err != nil && len(out) == 0 {
		return BranchResult{}, gitError("listing branches", err)
	}
	if args.Limit <= 0 {
		args.Limit = defaultBranches
	}
	room := r.g.limits.Answer
	const fields = 9
	parts := strings.Split(string(out), "\x00")
	for ; len(parts) > fields; parts = parts[fields:] {
		branch := branchInfo(parts)
		if parts[7] != "" || args.Contains != "" && !strings.Contains(strings.ToLower(branch.Name), strings.ToLower(args.Contains)) {
			continue // origin/HEAD is an alias of a branch
		}
		result.Total++
		if room -= len(branch.Name) + len(branch.Subject) + len(branch.Upstream) + 140; room < 0 || len(result.Branches) == args.Limit {
			continue
		}
		result.Branches = append(result.Branches, branch)
	}
	return result, nil
}

// branchInfo converts the fields of git for-each-ref.
func branchInfo(parts []string) BranchInfo {
	ref := strings.TrimPrefix(parts[0], "\n")
	local, is := strings.CutPrefix(ref, "refs/heads/")
	current := parts[6] == "*"
	return BranchInfo{
		Name: toUTF8(strings.TrimPrefix(local, "refs/remotes/")), Remote: !is, Current: current, Hash: parts[1], Date: parts[2],
		Upstream: toUTF8(parts[3]), Track: parts[4], Worktree: parts[5] != "" && !current, Subject: truncate.Line(parts[8], 200),
	}
}

// text returns the line of a branch.
func (b BranchInfo) text() string {
	mark := " "
	switch {
	case b.Current:
		mark = "*"
	case b.Worktree:
		mark = "+"
	}
	upstream := ""
	if b.Upstream != "" {
		upstream = strings.TrimRight(" -> "+name(b.Upstream)+" "+b.Track, " ")
	}
	kind := ""
	if b.Remote {
		kind = " (remote)"
	}
	return fmt.Sprintf("%s %s%s %s %s%s: %s\n", mark, name(b.Name), kind, short(b.Hash), b.Date, upstream, b.Subject)
}
