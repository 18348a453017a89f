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
	// worktrees is the name of the directory in Options.StateDir.
	worktrees = "worktrees"
	// branches is the prefix of branch names; the agent ID follows.
	branches = "kuromajutsu/"
)

// worktreePath returns the directory and the branch of an agent's worktree.
func (a *Agents) worktreePath(agentID string) (path, branch string) {
	return filepath.Join(a.options.StateDir, worktrees, agentID), branches + agentID
}

// setWorktree creates the worktree of a run, or uses that of the run that it continues.
func (w *workplace) setWorktree(ctx context.Context) error {
	repository, err := git.Open(ctx, w.dir)
	if err != nil {
		return notARepository(w.dir, err)
	}
	prefix := filepath.FromSlash(repository.Prefix())
	if w.worktree, w.branch = w.r.worktree, w.r.branch; w.worktree == "" {
		w.worktree, w.branch = w.a.worktreePath(w.r.id)
		w.a.worktreeMu.Lock()
		defer w.a.worktreeMu.Unlock()
		if err := os.MkdirAll(filepath.Dir(w.worktree), 0o700); err != nil {
			return fmt.Errorf("creating the directory of worktrees: %w", err)
		}
		err := repository.AddWorktree(ctx, w.worktree, w.branch)
		if _, refused := errors.AsType[*git.Unsafe](err); refused {
			return notARepository(w.dir, err)
		}
		if err != nil {
			return fmt.Errorf("creating a worktree: %w", err)
		}
	}
	w.dir = filepath.Join(w.worktree, prefix)
	return os.MkdirAll(w.dir, 0o755) // the directory may be absent if none of its files is committed
}

// checkRepository returns an error if a worktree of dir cannot be created.
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

// notARepository returns the error of checkRepository with the next step.
func notARepository(dir string, err error) error {
	next := "Leave isolation out."
	if errors.Is(err, git.ErrNoCommit) {
		next = "Commit something first, or leave isolation out."
	}
	if unsafe, refused := errors.AsType[*git.Unsafe](err); refused {
		next = unsafe.Next + " Or leave isolation out."
	}
	return problem(codeNotARepository, next, "a worktree of %s cannot be created: %v", quote(dir), err)
}

// recordedWorktree returns the worktree of an ended agent from its result, or an existing directory
// that no result names.
func (a *Agents) recordedWorktree(agent *record.Agent) findings {
	if r := agent.Result; r != nil && r.Worktree != "" {
		return findings{worktree: r.Worktree, branch: r.Branch}
	}
	return a.findWorktree(agent)
}

// removeWorktrees removes the worktrees whose work is saved elsewhere, and returns the others.
func (a *Agents) removeWorktrees(ctx context.Context, all []record.Agent) []KeptWorktree {
	var kept []KeptWorktree
	done := make(map[string]bool)
	for _, agent := range all {
		r := a.recordedWorktree(&agent)
		if r.worktree == "" || done[r.worktree] {
			continue
		}
		done[r.worktree] = true
		reason := ""
		repository, err := git.Open(ctx, agent.WorkingDirectory)
		if err == nil {
			a.worktreeMu.Lock()
			reason, err = repository.RemoveWorktree(ctx, r.worktree, r.branch)
			a.worktreeMu.Unlock()
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
