package git_test

import (
	"errors"
	"path/filepath"
	"slices"

	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/internal/git/gittest"
)

// corpus returns the kinds of hostile repositories: by groups, or individually in long tests.
func corpus() [][]gittest.Kind {
	if testing.Short() {
		return gittest.Groups()
	}
	var all [][]gittest.Kind
	for _, k := range gittest.Kinds() {
		all = append(all, []gittest.Kind{k})
	}
	return all
}

// No program of a repository runs in any function.
func TestRepository_Hostile(t *testing.T) {
	m := gittest.New(t)
	for _, kinds := range corpus() {
		t.Run(kinds[0].Name, func(t *testing.T) {
			r := m.Build(t, kinds...)
			repository, err := git.Open(t.Context(), filepath.Join(r.Dir, kinds[0].Dir))
			r.Check(t)
			if refusal := kinds[0].Unsafe; refusal != "" || err != nil {
				if err == nil || refusal == "" || !strings.Contains(err.Error(), refusal) {
					t.Fatalf("opened with the error %v, want %q", err, refusal)
				}
				return
			}
			settings, err := repository.Settings(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range kinds {
				if k.Off != "" && !slices.Contains(settings.Off, k.Off) {
					t.Errorf("%s is not off in %q", k.Off, settings.Off)
				}
			}
			callFunctions(t, r, repository)
			if !testing.Short() || kinds[0].InSample() {
				runCommands(t, r, repository)
			}
		})
	}
}

// callFunctions calls every function of a repository. A call may fail: hostile repositories are also broken ones.
func callFunctions(t *testing.T, hostile *gittest.Repository, r *git.Repository) {
	ctx := t.Context()
	note := func(call string, err error) { t.Helper(); noteCall(t, hostile, call, err) }
	before, err := r.Snapshot(ctx)
	note("snapshot", err)
	_, _, err = r.Status(ctx, true)
	note("status", err)
	_, _, err = r.Look(ctx, git.Look{Renames: true, Untracked: "normal", Submodules: "dirty", Paths: []string{"."}})
	note("look", err)
	_, err = r.Log(ctx, 10)
	note("log", err)
	head, err := r.Resolve(ctx, "HEAD")
	note("resolve", err)
	_, err = r.Changed(ctx, head)
	note("changed", err)
	_, err = r.Diff(ctx, head, "a.txt", "b.txt")
	note("diff", err)
	_, err = r.Attribute(ctx, "filter", []string{"a.txt"})
	note("attribute", err)
	note("remote", errors.New(r.Remote(ctx, "origin")))
	worktree := filepath.Join(t.TempDir(), "tree")
	note("add worktree", r.AddWorktree(ctx, worktree, "kuromajutsu/x"))
	if before != nil {
		_, err = r.Since(ctx, before)
		note("since", err)
	}
	kept, err := r.RemoveWorktree(ctx, worktree, "kuromajutsu/x")
	note("remove worktree "+kept, err)
}

// runCommands runs git commands without the options that disable programs.
func runCommands(t *testing.T, hostile *gittest.Repository, r *git.Repository) {
	ctx := t.Context()
	for _, args := range []string{
		"diff", "diff HEAD", "diff --cached", "diff main side", "log -p -3", "log --show-signature -1", "blame a.txt", "ls-files -m", "add b.txt", "commit --allow-empty --message=x", "switch --quiet --force side",
		"switch --quiet --force main", "merge --no-edit side", "merge --abort", "rebase side", "rebase --abort", "fetch origin", "push origin HEAD:refs/heads/y", "remote", "check-ref-format refs/heads/x",
	} {
		_, err := r.Run(ctx, git.Call{Args: strings.Fields(args)})
		noteCall(t, hostile, args, err)
	}
}

// noteCall fails the test if a call ran a program.
func noteCall(t *testing.T, hostile *gittest.Repository, call string, err error) {
	t.Helper()
	if said, ran := hostile.Ran(); ran {
		t.Fatalf("%s (%v) had a program run:\n%s", call, err, said)
	}
}
