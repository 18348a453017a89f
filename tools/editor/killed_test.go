package editor_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

const killedFiles = 20

// killedStates are the states between the changes of editUntilKilled: before them, after replace_code, and after a refactoring.
func killedStates() []map[string]string {
	states := make([]map[string]string, 3)
	for i, word := range []string{"alpha", "beta", "gamma"} {
		states[i] = make(map[string]string)
		for n := range killedFiles {
			states[i][fmt.Sprintf("dir%d/f%d.txt", n%3, n)] = strings.Repeat(fmt.Sprintf("%s in line %d\n", word, n), 50+n)
		}
	}
	for _, s := range states[:2] {
		s["m/first"], s["d"] = "moved\n", "removed\n"
	}
	states[2]["m/second"], states[2]["n"] = "moved\n", "made\n"
	return states
}

// editUntilKilled is the work of a child process: one change of several files after the other.
func editUntilKilled(dir, state string) error {
	ctx := context.Background()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: state, Durability: security.Process})
	if err != nil {
		return err
	}
	mind := newFakeServer()
	e, err := editor.New(ctx, tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{mind}, Feedback: -1})
	if err != nil {
		return err
	}
	path := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	refactor := func(from, to map[string]string, more ...adapter.FileEdit) error {
		mind.refactorings = func(adapter.Document, adapter.Range, []string) ([]adapter.Refactoring, error) {
			return []adapter.Refactoring{{Title: "all", Kind: "refactor"}}, nil
		}
		mind.refactor = func(adapter.Refactoring) (edits []adapter.FileEdit, err error) {
			for name, content := range from {
				if strings.HasPrefix(name, "dir") {
					word, _, _ := strings.Cut(content, " ")
					by, _, _ := strings.Cut(to[name], " ")
					edits = append(edits, adapter.FileEdit{Path: path(name), Edits: replaceAll(content, word, by)})
				}
			}
			return append(edits, more...), nil
		}
		listed, err := e.ListRefactorings(ctx, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "dir0/f0.txt", StartLine: 1}})
		if err != nil {
			return err
		}
		if len(listed.Refactorings) != 1 {
			return fmt.Errorf("listed %+v", listed)
		}
		_, err = e.ApplyRefactoring(ctx, editor.ApplyRefactoringArgs{RefactoringID: listed.Refactorings[0].RefactoringID, Preview: new(false)})
		return err
	}
	states := killedStates()
	made := func(name, content string) adapter.FileEdit {
		return adapter.FileEdit{Op: adapter.CreateFile, Path: path(name), Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: content}}}
	}
	now := killedState(dir, states)
	fmt.Println("ready")
	for ; ; now = (now + 1) % 3 {
		switch now {
		case 0:
			_, err = e.ReplaceCode(ctx, editor.ReplaceCodeArgs{Path: ".", Glob: "**/*.txt", Pattern: "alpha", Replacement: "beta", Preview: new(false)})
		case 1:
			err = refactor(states[1], states[2], adapter.FileEdit{Op: adapter.RenameFile, Path: path("m/first"), NewPath: path("m/second")},
				adapter.FileEdit{Op: adapter.DeleteFile, Path: path("d")}, made("n", "made\n"))
		case 2:
			err = refactor(states[2], states[0], adapter.FileEdit{Op: adapter.RenameFile, Path: path("m/second"), NewPath: path("m/first")},
				adapter.FileEdit{Op: adapter.DeleteFile, Path: path("n")}, made("d", "removed\n"))
		default:
			err = errors.New("the project is in no known state")
		}
		if err != nil {
			return err
		}
	}
}

// killedState returns the index of the state of the files in a directory, or -1.
func killedState(dir string, states []map[string]string) int {
	got := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == security.TrashDir:
			return filepath.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), ".dougu-tmp-"):
			return nil
		}
		content, err := os.ReadFile(name)
		if rel, relErr := filepath.Rel(dir, name); relErr == nil {
			got[filepath.ToSlash(rel)] = string(content)
		}
		return err
	})
	if err != nil {
		return -1
	}
	for i, state := range states {
		if maps.Equal(got, state) {
			return i
		}
	}
	return -1
}

// A server is killed at random moments of replace_code and of refactorings that create, move and remove files. After the next
// start all files have the state before or after the change, and the next result reports the outcome.
func TestEditor_Killed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process that is killed there keeps its files open for a moment")
	}
	rounds := 500
	if testing.Short() {
		rounds = 30
	}
	states := killedStates()
	p := newProject(t, setup{}, states[0])
	state := t.TempDir()
	torn := 0
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "DOUGU_TEST_EDITOR="+p.dir, "DOUGU_TEST_STATE="+state)
		cmd.Stderr = os.Stderr
		waittest.KillOnceReady(t, cmd, rand.N(80*time.Millisecond))

		half := killedState(p.dir, states) < 0
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: state, Durability: security.Process})
		if err != nil {
			t.Fatal(err)
		}
		if killedState(p.dir, states) < 0 {
			t.Fatalf("round %d: the project is half changed: %q", round, root.TakeNotices())
		}
		if half {
			torn++
			wantNotice(t, root)
		}
		root.TakeNotices()
		if err := root.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d kills left a half-done project", torn, rounds)
	if torn == 0 && rounds >= 500 {
		t.Error("no kill hit a change: the test shows nothing")
	}
}

// wantNotice calls a tool twice: only the first result reports the outcome.
func wantNotice(t *testing.T, root *security.Root) {
	t.Helper()
	e, err := editor.New(t.Context(), tools.Env{Root: root}, editor.Options{Feedback: -1})
	if err != nil {
		t.Fatal(err)
	}
	const args = `{"path":"dir0/f0.txt","pattern":"a line that is not there","replacement":"x"}`
	var answers [2]string
	for i := range answers {
		for _, block := range toolsettest.Call(t, e, "replace_code", args).Content {
			if text, ok := block.(mcp.TextContent); ok {
				answers[i] += text.Text
			}
		}
	}
	if !strings.Contains(answers[0], "has been taken back") || strings.Contains(answers[0], "except") || strings.Contains(answers[1], "taken back") {
		t.Fatalf("the answers are\n%s\n%s", answers[0], answers[1])
	}
}
