package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/git"
)

const (
	// worktrees is the directory of worktrees in Options.StateDir.
	worktrees = "worktrees"
	// branches is before the IDs of agents in the names of their branches.
	branches = "kuromajutsu/"
)

// worktreeOf is where an agent works that has a worktree of its own, and its branch.
func (a *Agents) worktreeOf(agentID string) (path, branch string) {
	return filepath.Join(a.options.StateDir, worktrees, agentID), branches + agentID
}

// isolate makes the worktree of a run, or finds that of the run that it follows.
func (w *workplace) isolate(ctx context.Context) error {
	repository, err := git.Open(ctx, w.dir)
	if err != nil {
		return notARepository(w.dir, err)
	}
	prefix := filepath.FromSlash(repository.Prefix())
	if w.worktree, w.branch = w.r.worktree, w.r.branch; w.worktree == "" {
		w.worktree, w.branch = w.a.worktreeOf(w.r.id)
		w.a.adding.Lock()
		defer w.a.adding.Unlock()
		if err := os.MkdirAll(filepath.Dir(w.worktree), 0o700); err != nil {
			return fmt.Errorf("making a directory for worktrees: %w", err)
		}
		err := repository.AddWorktree(ctx, w.worktree, w.branch)
		if _, refused := errors.AsType[*git.Unsafe](err); refused {
			return notARepository(w.dir, err)
		}
		if err != nil {
			return fmt.Errorf("making a worktree: %w", err)
		}
	}
	w.dir = filepath.Join(w.worktree, prefix)
	return os.MkdirAll(w.dir, 0o755) // nothing of it may be committed
}

// checkRepository says before an order is taken whether worktrees can be made.
func (a *Agents) checkRepository(ctx context.Context, dir string) error {
	repository, err := git.Open(ctx, dir)
	if err == nil {
		err = repository.CheckCommit(ctx)
	}
	if err != nil && ctx.Err() == nil {
		return notARepository(dir, err)
	}
	return err
}

func notARepository(dir string, err error) error {
	next := "Leave isolation out."
	if errors.Is(err, git.ErrNoCommit) {
		next = "Commit something first, or leave isolation out."
	}
	if unsafe, refused := errors.AsType[*git.Unsafe](err); refused {
		next = unsafe.Next + " Or leave isolation out."
	}
	return problem(codeNotARepository, next, "there can be no worktree of %s: %v", quote(dir), err)
}

// worktreeLeft is the worktree of an agent that has ended: that of its result, or one that was made and that no result names.
func (a *Agents) worktreeLeft(agent *record.Agent) found {
	if r := agent.Result; r != nil && r.Worktree != "" {
		return found{worktree: r.Worktree, branch: r.Branch}
	}
	return a.remains(agent)
}

// removeWorktrees removes the worktrees of agents in which nothing would be lost, and answers the others.
func (a *Agents) removeWorktrees(ctx context.Context, all []record.Agent) []KeptWorktree {
	var kept []KeptWorktree
	done := make(map[string]bool)
	for _, agent := range all {
		r := a.worktreeLeft(&agent)
		if r.worktree == "" || done[r.worktree] {
			continue
		}
		done[r.worktree] = true
		reason := ""
		repository, err := git.Open(ctx, agent.WorkingDirectory)
		if err == nil {
			a.adding.Lock()
			reason, err = repository.RemoveWorktree(ctx, r.worktree, r.branch)
			a.adding.Unlock()
		}
		if err != nil {
			reason = err.Error()
		}
		if reason != "" {
			kept = append(kept, KeptWorktree{AgentID: agent.ID, Path: r.worktree, Branch: r.branch, Reason: reason})
		}
	}
	return kept
}
