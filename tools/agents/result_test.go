package agents_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// git runs git in a directory.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// newRepository makes a directory with committed files.
func newRepository(t testing.TB, files ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "--quiet")
	for _, name := range files {
		write(t, dir, name, "first\n")
	}
	if len(files) > 0 {
		git(t, dir, "add", "--all")
		git(t, dir, "commit", "--quiet", "--message", "first")
	}
	return dir
}

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Error(err)
	}
}

// changesText formats the changes of a result.
func changesText(r *record.Result) string {
	var all []string
	for _, c := range r.Changes {
		sources := make([]string, len(c.Sources))
		for i, s := range c.Sources {
			sources[i] = string(s)
		}
		said := fmt.Sprintf("%s %s (%s)", c.Kind, c.Path, strings.Join(sources, " "))
		if c.Uncertain {
			said += "?"
		}
		all = append(all, said)
	}
	return strings.Join(all, "\n")
}

// fileChanges is the event of a call that has changed files.
func fileChanges(changes ...executor.FileChange) executor.Event {
	return executor.Event{Kind: executor.ToolCompleted, Tool: &executor.Tool{CallID: fmt.Sprint(changes), Type: "editToolCall", Changes: changes, Diff: "--- a\n+++ b"}}
}

// A result combines the changes of events, git and the report.
func TestResult_ChangeSources(t *testing.T) {
	dir := newRepository(t, "told.go", "quiet.go", "gone.go", "dirty.go", "same.go")
	write(t, dir, "dirty.go", "mine\n")
	write(t, dir, "mine.go", "mine\n")
	c := newFixtureIn(t, dir, agents.Options{})
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "told.go", "second\n")
		write(t, s.Dir, "quiet.go", "second\n")
		write(t, s.Dir, "dirty.go", "second\n")
		write(t, s.Dir, "new/made.go", "second\n")
		if err := os.Remove(filepath.Join(s.Dir, "gone.go")); err != nil {
			t.Error(err)
		}
		tell(fileChanges(executor.FileChange{Path: filepath.Join(s.Dir, "told.go"), Kind: "edited"}))
		tell(fileChanges(executor.FileChange{Path: "new/made.go", Kind: "created"}))
		tell(fileChanges(executor.FileChange{Path: "new/made.go", Kind: "edited"}))
		tell(fileChanges(executor.FileChange{Path: "brief.go", Kind: "created"}, executor.FileChange{Path: "brief.go", Kind: "deleted"}))
		tell(fileChanges(executor.FileChange{Path: "../outside.go", Kind: "edited"}))
		tell(fileChanges(executor.FileChange{Path: "x", Kind: "exploded"}, executor.FileChange{Path: "", Kind: "edited"}, executor.FileChange{Path: "a\x00b", Kind: "edited"}))
		return lostReports(`{"status":"success","summary":"s","editedFiles":["./told.go","only/said.go"],"createdFiles":["new/made.go"]}`)(ctx, s, tell)
	})
	id := c.run(t, agents.RunArgs{Prompt: "@work"})
	c.end(t, id)
	r := c.status(t, id).Result
	want := "edited " + filepath.ToSlash(filepath.Join(filepath.Dir(dir), "outside.go")) + ` (stream)
edited dirty.go (git)
deleted gone.go (git)
created new/made.go (stream git report)
edited only/said.go (report)
edited quiet.go (git)
edited told.go (stream git report)`
	if diff := cmp.Diff(want, changesText(r)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(r.CreatedFiles, " ") + "|" + strings.Join(r.DeletedFiles, " "); got != "new/made.go|gone.go" {
		t.Errorf("created and deleted: %s", got)
	}
	out, err := c.Output(t.Context(), agents.OutputArgs{AgentID: id, Kind: "diff"})
	if err != nil || strings.Count(out.Text, "diff --git ") != 5 || !strings.Contains(out.Text, "-mine\n+second\n") || strings.Contains(out.Text, "mine.go") || out.Note != "" {
		t.Errorf("the diff is %q, %v", out.Text, err)
	}
}

// A change that only git shows is uncertain if several agents work in one tree.
func TestResult_SharedTree(t *testing.T) {
	dir := newRepository(t, "a.go")
	c := newFixtureIn(t, dir, agents.Options{})
	begun, gate := make(chan struct{}), make(chan struct{})
	c.stage.on("@first", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "first/told.go", "x")
		write(t, s.Dir, "first/quiet.go", "x")
		tell(fileChanges(executor.FileChange{Path: "first/told.go", Kind: "created"}))
		close(begun)
		<-gate
		return succeed(ctx, s, tell)
	})
	c.stage.on("@second", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		<-begun
		write(t, s.Dir, "second/told.go", "x")
		tell(fileChanges(executor.FileChange{Path: "second/told.go", Kind: "created"}))
		return succeed(ctx, s, tell)
	})
	group := c.group(t)
	first := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@first"})
	second := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@second"})
	c.end(t, second)
	close(gate)
	c.end(t, first)
	if got := changesText(c.status(t, first).Result); got != "created first/quiet.go (git)?\ncreated first/told.go (stream git)" {
		t.Errorf("the first: %s", got)
	}
	if got := c.status(t, first).Result.CreatedFiles; len(got) != 1 {
		t.Errorf("the first has created %q", got)
	}
	if got := changesText(c.status(t, second).Result); !strings.HasSuffix(got, "created second/told.go (stream git)") || strings.Contains(got, "first/told.go") {
		t.Errorf("the second: %s", got)
	}
	alone := c.run(t, agents.RunArgs{GroupID: group})
	c.end(t, alone)
	if got := changesText(c.status(t, alone).Result); got != "" {
		t.Errorf("one that does nothing: %s", got)
	}
}

func TestRun_Worktree(t *testing.T) {
	dir := newRepository(t, "a.go", "sub/b.go")
	c := newFixtureIn(t, dir, agents.Options{})
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "made.go", "x")
		git(t, s.Dir, "add", "--all")
		git(t, s.Dir, "commit", "--quiet", "--message", "work")
		return succeed(ctx, s, tell)
	})
	c.stage.on("@more", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "more.go", "x")
		return succeed(ctx, s, tell)
	})
	group := c.group(t)
	id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work", WorkingDirectory: "sub", Isolation: "worktree"})
	idle := c.run(t, agents.RunArgs{GroupID: group, Isolation: "worktree"})
	c.end(t, id, idle)
	r := c.status(t, id).Result
	if r.Branch != "kuromajutsu/"+id || changesText(r) != "created made.go (git)" {
		t.Fatalf("the result is %+v", r)
	}
	spec := c.stage.spec(t, id)
	if spec.Dir != filepath.Join(r.Worktree, "sub") || !strings.Contains(spec.Prompt, "on the branch "+r.Branch) {
		t.Errorf("it worked in %s, told %q", spec.Dir, spec.Prompt)
	}
	if _, err := os.Stat(filepath.Join(dir, "sub/made.go")); err == nil {
		t.Error("the file is in the main tree")
	}
	// A follow-up works in the same worktree.
	f, err := c.Followup(t.Context(), agents.FollowupArgs{AgentID: id, Prompt: "@more"})
	if err != nil {
		t.Fatal(err)
	}
	c.end(t, f.AgentID)
	if got := c.status(t, f.AgentID).Result; got.Worktree != r.Worktree || got.Branch != r.Branch || changesText(got) != "created more.go (git)" {
		t.Errorf("the one after it: %+v", got)
	}
	d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
	if err != nil || !d.Deleted || len(d.KeptWorktrees) != 1 || d.KeptWorktrees[0].Path != r.Worktree || !strings.Contains(d.TextContent(), "not committed") {
		t.Errorf("deleting answers %+v, %v", d, err)
	}
	if got := git(t, dir, "branch", "--list", "--format=%(refname:short)", "kuromajutsu/*"); got != r.Branch {
		t.Errorf("the branches are %s", got)
	}
	// A kept worktree is removed by a later call, after its work is merged.
	again, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
	if err != nil || len(again.KeptWorktrees) != 1 {
		t.Errorf("deleting again answers %+v, %v", again, err)
	}
	git(t, r.Worktree, "add", "--all")
	git(t, r.Worktree, "commit", "--quiet", "--message", "more")
	git(t, dir, "merge", "--quiet", r.Branch)
	if again, err = c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group}); err != nil || len(again.KeptWorktrees) != 0 {
		t.Errorf("deleting after the merge answers %+v, %v", again, err)
	}
	if got := git(t, dir, "branch", "--list", "--format=%(refname:short)", "kuromajutsu/*"); got != "" {
		t.Errorf("the branches are %s", got)
	}
	_, err = c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
	toolsettest.WantError(t, err, "UNKNOWN_GROUP")
}

// A directory that is no longer a valid worktree is kept and reported.
func TestDeleteGroup_BrokenWorktree(t *testing.T) {
	dir := newRepository(t, "a.go")
	c := newFixtureIn(t, dir, agents.Options{})
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "made.go", "x")
		if err := os.Remove(filepath.Join(s.Dir, ".git")); err != nil {
			t.Error(err)
		}
		return succeed(ctx, s, tell)
	})
	group := c.group(t)
	id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work", Isolation: "worktree"})
	c.end(t, id)
	d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
	if err != nil || len(d.KeptWorktrees) != 1 || !strings.Contains(d.KeptWorktrees[0].Reason, "no longer a git work tree") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestRun_WorktreeWithoutRepository(t *testing.T) {
	args := agents.RunArgs{Role: "impl-code", Prompt: "x", Isolation: "worktree"}
	for _, c := range []fixture{newFixture(t, agents.Options{}), newFixtureIn(t, newRepository(t), agents.Options{})} {
		args.GroupID = c.group(t)
		_, err := c.Run(t.Context(), args)
		toolsettest.WantError(t, err, "NOT_A_REPOSITORY", "worktree of")
	}
}

// Successive changes of a file are combined into one kind.
func TestChanges_Combined(t *testing.T) {
	for _, tc := range []struct{ told, want string }{
		{"created", "created f.go (stream)"},
		{"created edited edited", "created f.go (stream)"},
		{"created deleted", ""},
		{"created deleted created", "created f.go (stream)"},
		{"edited deleted", "deleted f.go (stream)"},
		{"deleted created", "edited f.go (stream)"},
		{"deleted created deleted", "deleted f.go (stream)"},
		{"edited edited", "edited f.go (stream)"},
	} {
		t.Run(tc.told, func(t *testing.T) {
			c := newFixture(t, agents.Options{})
			var events []executor.Event
			for i, kind := range strings.Fields(tc.told) {
				e := fileChanges(executor.FileChange{Path: "f.go", Kind: kind})
				e.Tool.CallID = fmt.Sprint(i)
				events = append(events, e)
			}
			c.stage.on("@work", calls(events...))
			id := c.run(t, agents.RunArgs{Prompt: "@work"})
			c.end(t, id)
			if got := changesText(c.status(t, id).Result); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}
