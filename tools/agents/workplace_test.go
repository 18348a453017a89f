package agents_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// difference returns the diff of an agent from get_agent_output.
func (c fixture) difference(t testing.TB, id string) agents.OutputResult {
	t.Helper()
	out, err := c.Output(t.Context(), agents.OutputArgs{AgentID: id, Kind: "diff", Length: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantText(t testing.TB, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q is missing in\n%s", word, text)
		}
	}
}

// Changes by commands and commits are in the diff, although the agent did not report them.
func TestOutput_DifferenceByGit(t *testing.T) {
	lines := strings.Repeat("a line of the file\n", 10)
	dir := newRepository(t, "committed.go", "changed.go", "gone.go", "untouched.go", ".env")
	write(t, dir, "old.go", lines)
	write(t, dir, "moved.go", lines+"moved\n")
	write(t, dir, "image.bin", "a\x00b")
	git(t, dir, "add", "--all")
	git(t, dir, "commit", "--quiet", "--message", "second")
	write(t, dir, "dirty.go", "of the user\n")
	c := newFixtureIn(t, dir, agents.Options{})
	begun, gate := make(chan struct{}), make(chan struct{})
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init})
		write(t, s.Dir, "committed.go", "second\n")
		git(t, s.Dir, "mv", "moved.go", "sub.go")
		git(t, s.Dir, "commit", "--quiet", "--all", "--message", "work of the agent")
		write(t, s.Dir, "changed.go", "third\n")
		close(begun)
		<-gate
		write(t, s.Dir, "new/made.go", "made\n")
		write(t, s.Dir, "dirty.go", "of the user\nof the agent\n")
		write(t, s.Dir, "image.bin", "a\x00c")
		write(t, s.Dir, ".env", "KEY=hunter2\n")
		if err := os.Rename(filepath.Join(s.Dir, "old.go"), filepath.Join(s.Dir, "renamed.go")); err != nil {
			t.Error(err)
		}
		if err := os.Remove(filepath.Join(s.Dir, "gone.go")); err != nil {
			t.Error(err)
		}
		return succeed(ctx, s, tell)
	})
	id := c.run(t, agents.RunArgs{Prompt: "@work"})
	<-begun
	live := c.difference(t, id)
	wantText(t, live.Text, "+++ b/committed.go\n", "+++ b/changed.go\n", "-first\n+third\n")
	if strings.Contains(live.Text, "made.go") || !live.Running {
		t.Errorf("while it runs: %s", live.Text)
	}
	close(gate)
	c.end(t, id)
	out := c.difference(t, id)
	wantText(t, out.Text, "since the start of the agent, by git: 9 files]", "--- a/committed.go\n+++ b/committed.go\n@@ -1 +1 @@\n-first\n+second\n", "-first\n+third\n",
		"diff --git a/new/made.go b/new/made.go\nnew file\n--- /dev/null\n", "+made\n", "deleted file\n--- a/gone.go\n+++ /dev/null\n", " of the user\n+of the agent\n",
		"Binary files a/image.bin and b/image.bin differ\n", "rename from old.go\nrename to renamed.go\n", "rename from moved.go\nrename to sub.go\n",
		"diff --git a/.env b/.env\n[not shown: files of that name hold secrets]\n")
	for _, word := range []string{"hunter2", "untouched"} {
		if strings.Contains(out.Text, word) {
			t.Errorf("%q is in\n%s", word, out.Text)
		}
	}
	if out.Running || out.Note != "" || out.NextOffset != out.Size {
		t.Errorf("%+v", out)
	}
}

// Without git, the files before and after the run are compared.
func TestOutput_DifferenceWithoutGit(t *testing.T) {
	c := newFixture(t, agents.Options{})
	write(t, c.dir, "a.txt", "first\n")
	write(t, c.dir, "old.txt", strings.Repeat("a line\n", 20))
	c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		write(t, s.Dir, "a.txt", "second\n")
		write(t, s.Dir, "new.txt", "new\n")
		if err := os.Rename(filepath.Join(s.Dir, "old.txt"), filepath.Join(s.Dir, "renamed.txt")); err != nil {
			t.Error(err)
		}
		return succeed(ctx, s, tell)
	})
	id := c.run(t, agents.RunArgs{Prompt: "@work"})
	c.end(t, id)
	wantText(t, c.difference(t, id).Text, "git knows nothing of the directory: 3 files]", "-first\n+second\n", "+++ b/new.txt\n", "rename from old.txt\nrename to renamed.txt\n")
	if got := changesText(c.status(t, id).Result); got != "edited a.txt (files)\ncreated new.txt (files)\ndeleted old.txt (files)\ncreated renamed.txt (files)" {
		t.Errorf("the result has %s", got)
	}
	idle := c.run(t, agents.RunArgs{})
	c.end(t, idle)
	wantText(t, c.difference(t, idle).Text, "[no file has changed since the start of the agent, by the files before and after")
}

// The diff of an agent that has not started, or whose server died, is reported as missing instead
// of empty.
func TestOutput_NotCompared(t *testing.T) {
	c := newFixture(t, agents.Options{MaxConcurrent: 1})
	group := c.group(t)
	c.await(t, c.run(t, agents.RunArgs{GroupID: group, Prompt: "linger"}), "running")
	queued := c.run(t, agents.RunArgs{GroupID: group})
	wantText(t, c.difference(t, queued).TextContent(), "the agent has not started")
}

// Files that the ready programs make in the project while an agent runs are no changes of the agent, with and without git.
func TestResult_OwnFiles(t *testing.T) {
	for name, dir := range map[string]string{"git": newRepository(t, "main.go"), "without git": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			write(t, dir, "logs/app.log", "of the user\n")
			c := newFixtureIn(t, dir, agents.Options{})
			c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
				write(t, s.Dir, ".cursorcli-mcp/config.json", "{}")
				write(t, s.Dir, ".cursorcli-mcp/.gitignore", projectfile.GitignoreContent("config.json", "logs/"))
				write(t, s.Dir, "logs/.gitignore", projectfile.GitignoreContent("audit.log", "audit.log.[0-9]*"))
				write(t, s.Dir, "logs/audit.log", "{}\n")
				write(t, s.Dir, "logs/app.log", "of the user\nof the agent\n")
				write(t, s.Dir, "data/chunks/.gitignore", projectfile.GitignoreContent("chunks.jsonl"))
				write(t, s.Dir, "data/chunks/chunks.jsonl", "{}\n")
				write(t, s.Dir, "main.go", "package main\n")
				return succeed(ctx, s, tell)
			})
			id := c.run(t, agents.RunArgs{Prompt: "@work"})
			c.end(t, id)
			var changed []string
			for _, change := range c.status(t, id).Result.Changes {
				changed = append(changed, change.Path)
			}
			if want := []string{"logs/app.log", "main.go"}; !slices.Equal(changed, want) {
				t.Errorf("the changes are %q, want %q", changed, want)
			}
			if diff := c.difference(t, id).Text; strings.Contains(diff, "audit") || strings.Contains(diff, "chunks") || strings.Contains(diff, "cursorcli") {
				t.Errorf("the diff is\n%s", diff)
			}
		})
	}
}
