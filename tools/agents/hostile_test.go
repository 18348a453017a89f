package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/internal/git/gittest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// Running an agent in a hostile repository executes none of its programs, with or without a
// worktree.
func TestRun_HostileRepository(t *testing.T) {
	gittest.EachGroup(t, func(t *testing.T, r *gittest.Repository, kind gittest.Kind) {
		c := newFixtureIn(t, filepath.Join(r.Dir, kind.Dir), agents.Options{})
		group := c.group(t)
		c.end(t, c.run(t, agents.RunArgs{GroupID: group}))
		r.Check(t)
		args := agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x", Isolation: "worktree"}
		if ran, err := c.Run(t.Context(), args); err == nil {
			c.end(t, ran.AgentID)
		} else if kind.Unsafe == "" {
			t.Error(err)
		} else {
			toolsettest.WantError(t, err, "NOT_A_REPOSITORY", "worktree of")
		}
		r.Check(t)
		if _, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group}); err != nil {
			t.Error(err)
		}
		r.Check(t)
	})
}

// Removing a worktree executes no program that an agent has configured in it.
func TestDeleteGroup_HostileWorktree(t *testing.T) {
	r := gittest.New(t).Build(t, gittest.Kind{Config: "[extensions]\n\tworktreeConfig = true\n"})
	c := newFixtureIn(t, r.Dir, agents.Options{})
	ran := filepath.Join(t.TempDir(), "ran")
	c.stage.on("@hostile", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		git(t, s.Dir, "config", "--worktree", "filter.evil.clean", "touch '"+filepath.ToSlash(ran)+"'; cat")
		write(t, filepath.Join(git(t, s.Dir, "rev-parse", "--git-common-dir"), "info"), "attributes", "*.txt filter=evil\n")
		write(t, s.Dir, "a.txt", "1\nmain\n3\n")
		return succeed(ctx, s, tell)
	})
	group := c.group(t)
	c.end(t, c.run(t, agents.RunArgs{GroupID: group, Prompt: "@hostile", Isolation: "worktree"}))
	d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
	if err != nil || len(d.KeptWorktrees) > 0 {
		t.Errorf("deleting answers %+v, %v", d, err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the program of the worktree ran")
	}
}
