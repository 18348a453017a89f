package git_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/git"
	gitcmd "github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/git/gittest"
)

// No program of a repository runs, whichever tool is called.
func TestGit_Hostile(t *testing.T) {
	m := gittest.New(t)
	for _, kinds := range gittest.Groups() {
		t.Run(kinds[0].Name, func(t *testing.T) {
			r := m.Build(t, kinds...)
			p := &project{t: t, dir: r.Dir, audit: new(audit.Log)}
			p.reopen(setup{options: git.Options{LocalRemotes: true}})
			where := git.Where{Repository: kinds[0].Dir}
			s, err := p.Status(t.Context(), git.StatusArgs{Where: where})
			if refusal := kinds[0].Unsafe; refusal != "" {
				if next, ok := asNext(err); !ok || next == "" {
					t.Errorf("the refusal %v has no next step", err)
				}
				contains(t, err2text(s, err), refusal)
			} else {
				must0(t, err)
				for _, k := range kinds {
					if len(s.TurnedOff) > 20 {
						break // the answer counts the rest
					}
					contains(t, strings.Join(s.TurnedOff, "\n")+s.TextContent(), k.Off)
				}
			}
			look(t, p, where)
			if !testing.Short() || kinds[0].InSample() {
				doEverything(t, p, where)
			}
			r.Check(t)
		})
	}
}

// doEverything uses every tool in many ways. Calls may fail.
func doEverything(t *testing.T, p *project, where git.Where) {
	t.Helper()
	ctx := t.Context()
	note := func(what string, err error) { t.Helper(); t.Logf("%s: %v", what, err) }
	branch := func(args git.BranchArgs) { _, err := p.Branch(ctx, args); note("branch "+args.Action, err) }
	branch(git.BranchArgs{Where: where, Remote: true})
	_, err := p.Pull(ctx, git.PullArgs{Where: where})
	note("pull", err)
	_, err = p.Commit(ctx, git.CommitArgs{Where: where, Message: "paths", Paths: []string{"new.txt"}})
	note("commit", err)
	_, err = p.Pull(ctx, git.PullArgs{Where: where, Mode: "merge"})
	note("pull", err)
	_, err = p.Commit(ctx, git.CommitArgs{Where: where, Message: "all", All: true})
	note("commit", err)
	_, err = p.Commit(ctx, git.CommitArgs{Where: where, Message: "again", Amend: true})
	note("commit", err)
	p.restore(where)
	branch(git.BranchArgs{Where: where, Action: "create", Name: "x", Switch: true})
	branch(git.BranchArgs{Where: where, Action: "switch", Name: "side"})
	branch(git.BranchArgs{Where: where, Action: "switch", Name: "main"})
	branch(git.BranchArgs{Where: where, Action: "delete", Name: "x"})
	_, err = p.Push(ctx, git.PushArgs{Where: where})
	note("push", err)
	_, err = p.Push(ctx, git.PushArgs{Where: where, SetUpstream: true})
	note("push", err)
	for _, mode := range []string{"merge", "rebase"} {
		_, err = p.Pull(ctx, git.PullArgs{Where: where, Mode: mode, Remote: "here", Branch: "side"})
		note("pull", err)
		look(t, p, where)
		_, err = p.Pull(ctx, git.PullArgs{Where: where, Continue: true})
		note("continue", err)
		_, err = p.Pull(ctx, git.PullArgs{Where: where, Abort: true})
		note("abort", err)
	}
}

// look uses the tools that only read.
func look(t *testing.T, p *project, where git.Where) {
	t.Helper()
	ctx := t.Context()
	note := func(what string, err error) { t.Helper(); t.Logf("%s: %v", what, err) }
	for _, args := range []git.DiffArgs{{}, {Staged: true}, {From: "HEAD"}, {From: "main", To: "side"}, {From: "side", To: "main", MergeBase: true}} {
		args.Where = where
		_, err := p.Diff(ctx, args)
		note("diff", err)
	}
	_, err := p.Log(ctx, git.LogArgs{Where: where, Body: true, Files: true})
	note("log", err)
	_, err = p.Log(ctx, git.LogArgs{Where: where, Path: "a.txt"})
	note("log", err)
	_, err = p.Blame(ctx, git.BlameArgs{Where: where, Path: "a.txt"})
	note("blame", err)
	_, err = p.Status(ctx, git.StatusArgs{Where: where, Path: "."})
	note("status", err)
}

// restore gives the work tree back the committed files.
func (p *project) restore(where git.Where) {
	if r, err := gitcmd.Open(p.t.Context(), filepath.Join(p.dir, where.Repository)); err == nil {
		_, _ = r.Run(p.t.Context(), gitcmd.Call{Args: []string{"switch", "--quiet", "--force", "main"}})
	}
}
