package unity_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

var _ tools.Watcher = (*unity.Tools)(nil)

func TestFeatures_Listed(t *testing.T) {
	w := newWorld(t)
	listed := func() (names []string) {
		for _, tool := range w.tools.Features().Tools {
			if !tool.Options().Unlisted {
				names = append(names, tool.Tool().Name)
			}
		}
		return names
	}
	if got := listed(); !slices.Equal(got, []string{"read_console", "run_tests", "unity_refresh"}) {
		t.Errorf("%q", got)
	}
	w.fake.Quit()
	waittest.Until(t, "they are not listed", func() bool { return listed() == nil })
	_, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{})
	toolsettest.WantError(t, err, "IDE_NOT_RUNNING", "Stdio")
}

func TestReadConsole(t *testing.T) {
	w := newWorld(t)
	for i := range 1200 {
		w.fake.Log(unitytest.Entry{Type: "Log", Message: fmt.Sprintf("message %d", i)})
	}
	w.fake.Log(unitytest.Entry{Type: "Error", Message: "Assets/A.cs(3,14): error CS0103: no x"})
	read := func(in unity.ReadConsoleArgs) unity.ReadConsoleResult {
		t.Helper()
		r, err := w.tools.ReadConsole(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := read(unity.ReadConsoleArgs{})
	if want := (unity.ConsoleEntry{Type: "error", Message: "no x", Code: "CS0103", Path: "Game/Assets/A.cs", Line: 3, Column: 14}); len(r.Entries) != 1 || r.Entries[0] != want || r.Project != "Game" {
		t.Errorf("%+v", r)
	}
	if text := r.TextContent(); !strings.Contains(text, "Game/Assets/A.cs:3:14: error CS0103: no x") {
		t.Errorf("%s", text)
	}
	// The newest first, page after page, and each once.
	next := 0
	var all []string
	for pages := 0; pages < 5; pages++ {
		r := read(unity.ReadConsoleArgs{Types: []string{"log"}, Count: 300, Before: next})
		var page []string
		for _, e := range r.Entries {
			page = append(page, e.Message)
		}
		all = append(page, all...)
		if next = r.NextBefore; next == 0 {
			break
		}
	}
	if len(all) != 1200 || all[0] != "message 0" || all[1199] != "message 1199" || !slices.Equal(all, slices.Compact(slices.Clone(all))) {
		t.Errorf("%d messages from %q", len(all), all[0])
	}
	if r := read(unity.ReadConsoleArgs{Types: []string{"log"}, Filter: "AGE 77", Count: 500}); r.Total != 11 {
		t.Errorf("the filter leaves %d", r.Total)
	}
	w.fake.Clear()
	w.fake.Log(unitytest.Entry{Type: "Exception", Message: strings.Repeat("x", 10_000), Stack: "A:B () (at Assets/A.cs:9)"})
	if r := read(unity.ReadConsoleArgs{StackTraces: true}); len(r.Entries[0].Message) > 5000 || r.Entries[0].Line != 9 || !strings.Contains(r.TextContent(), "A:B ()") {
		t.Errorf("%+v", r)
	}
}

// An answer has a budget.
func TestReadConsole_Budget(t *testing.T) {
	w := newWorld(t)
	for range 100 {
		w.fake.Log(unitytest.Entry{Type: "Error", Message: strings.Repeat("long ", 500)})
	}
	r, err := w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{Count: 100})
	if err != nil || len(r.TextContent()) > 40_000 || r.NextBefore == 0 {
		t.Errorf("%d bytes, %v", len(r.TextContent()), err)
	}
}

func TestRunTests(t *testing.T) {
	w := newWorld(t)
	w.write(t, "Assets/Tests/MathTests.cs", "namespace Game {\n  public class MathTests {\n    void Run() { Adds(1); }\n    [Test]\n    public void Adds(int n) {}\n  }\n}\n")
	w.fake.HasTests(
		unitytest.Test{Name: "Game.MathTests.Adds(1)", Failure: "Expected: 2\n  But was: 1"},
		unitytest.Test{Name: "Game.Other.Throws", Failure: "System.Exception : no\n  at Game.Other.Throws () [0x00001] in " + filepath.Join(w.fake.Project, "Assets/Other.cs") + ":21"},
		unitytest.Test{Name: "Game.Other.Lost", Failure: "lost"},
		unitytest.Test{Name: "Game.Other.Passes"},
	)
	// Each look does a test, and the first call looks once.
	first, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{WaitMs: new(0)})
	if err != nil || first.Status != "running" || first.Completed != 1 || first.Total != 4 || first.Current == "" || first.JobID == "" {
		t.Fatalf("%+v, %v", first, err)
	}
	_, err = w.tools.RunTests(t.Context(), unity.RunTestsArgs{})
	toolsettest.WantError(t, err, "TESTS_RUNNING", "jobId")
	_, err = w.tools.Refresh(t.Context(), unity.RefreshArgs{})
	toolsettest.WantError(t, err, "TESTS_RUNNING")
	last, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{JobID: first.JobID})
	if err != nil || last.Status != "failed" || last.Completed != 4 || last.MoreFailures {
		t.Fatalf("%+v, %v", last, err)
	}
	want := []unity.TestFailure{
		{Name: "Game.MathTests.Adds(1)", Message: "Expected: 2\n  But was: 1", Path: "Game/Assets/Tests/MathTests.cs", Line: 5},
		{Name: "Game.Other.Throws", Message: last.Failures[1].Message, Path: "Game/Assets/Other.cs", Line: 21},
		{Name: "Game.Other.Lost", Message: "lost"},
	}
	if !slices.Equal(last.Failures, want) {
		t.Errorf("%+v", last.Failures)
	}
	if text := last.TextContent(); !strings.Contains(text, "Game/Assets/Tests/MathTests.cs:5: Game.MathTests.Adds(1): Expected: 2") || !strings.Contains(text, "3 failed") {
		t.Errorf("%s", text)
	}
	passed, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{Tests: []string{"Game.Other.Passes"}, Mode: "PlayMode"})
	if err != nil || passed.Status != "passed" || passed.Total != 1 || passed.Seconds != 0.25 || passed.Mode != "PlayMode" {
		t.Errorf("%+v, %v", passed, err)
	}
	_, err = w.tools.RunTests(t.Context(), unity.RunTestsArgs{JobID: "none"})
	toolsettest.WantError(t, err, "UNKNOWN_TEST_RUN")
}

// Tests start once, also if the answer to the start is lost.
func TestRunTests_StartedOnce(t *testing.T) {
	begun := func(w *world) (n int) {
		for _, command := range w.fake.Commands() {
			if command == "run_tests" {
				n++
			}
		}
		return n
	}
	w := newWorld(t)
	w.fake.HasTests(unitytest.Test{Name: "A.B"}, unitytest.Test{Name: "A.C"})
	w.fake.Drop("run_tests")
	r, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{})
	if err != nil || r.Status != "passed" || !strings.Contains(r.Note, "connection ended") || begun(w) != 1 {
		t.Errorf("%+v, %v, begun %d times", r, err, begun(w))
	}
	// Nothing runs after it, so it came to nothing.
	w.fake.Handle("run_tests", func([]byte) any { return nil })
	w.fake.Drop("run_tests")
	_, err = w.tools.RunTests(t.Context(), unity.RunTestsArgs{})
	toolsettest.WantError(t, err, "UNITY_UNCERTAIN", "runs none")
	if begun(w) != 2 {
		t.Errorf("begun %d times", begun(w))
	}
}

// Unity reloads while tests run, as it does to enter play mode.
func TestRunTests_Reload(t *testing.T) {
	w := newWorld(t)
	w.fake.HasTests(unitytest.Test{Name: "A.B"}, unitytest.Test{Name: "A.C"})
	first, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{WaitMs: new(0)})
	if err != nil || first.Status != "running" {
		t.Fatalf("%+v, %v", first, err)
	}
	end := w.fake.BeginReload(t)
	done := make(chan unity.RunTestsResult, 1)
	go func() {
		r, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{JobID: first.JobID})
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	select {
	case r := <-done:
		t.Errorf("%+v", r)
	case <-time.After(300 * time.Millisecond):
	}
	end()
	if r := <-done; r.Status != "passed" {
		t.Errorf("%+v", r)
	}
}

func TestRefresh(t *testing.T) {
	w := newWorld(t)
	w.fake.Log(
		unitytest.Entry{Type: "Error", Message: "Assets/A.cs(3,14): error CS0103: no x"},
		unitytest.Entry{Type: "Warning", Message: "Assets/A.cs(4,1): warning CS0168: unused"},
		unitytest.Entry{Type: "Error", Message: "at run time"},
	)
	r, err := w.tools.Refresh(t.Context(), unity.RefreshArgs{Recompile: true})
	if err != nil || r.State != "ready" || len(r.Errors) != 1 || r.Errors[0].Code != "CS0103" || r.Warnings != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	// The reload that it brings ends the connection, and it is not put again.
	w.fake.Drop("refresh_unity")
	if r, err = w.tools.Refresh(t.Context(), unity.RefreshArgs{}); err != nil || r.State != "ready" || !strings.Contains(r.Note, "reloaded") {
		t.Errorf("%+v, %v", r, err)
	}
	n := 0
	for _, command := range w.fake.Commands() {
		if command == "refresh_unity" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("it was put %d times", n)
	}
	w.fake.SetCompiled(time.Now(), true)
	w.fake.Handle("refresh_unity", func([]byte) any { return map[string]any{"success": true} })
	if r, err = w.tools.Refresh(t.Context(), unity.RefreshArgs{WaitMs: new(50)}); err != nil || r.State == "ready" || !strings.Contains(r.Note, "not ready") {
		t.Errorf("%+v, %v", r, err)
	}
}

// Errors of Unity name the next step.
func TestErrors(t *testing.T) {
	w := newWorld(t)
	w.fake.TurnOff("run_tests")
	_, err := w.tools.RunTests(t.Context(), unity.RunTestsArgs{})
	toolsettest.WantError(t, err, "UNITY_COMMAND_OFF", "turn it on")
	w.fake.Handle("read_console", func([]byte) any { return map[string]any{"success": false, "error": "no\nluck"} })
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{})
	toolsettest.WantError(t, err, "UNITY_FAILED", "no luck")
	w.fake.Handle("read_console", func([]byte) any { return map[string]any{"success": true, "data": 7} })
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{})
	toolsettest.WantError(t, err, "UNITY_FAILED", "not understood")
	w.fake.CommandTimeout = 10 * time.Millisecond
	release := w.fake.Block()
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{})
	toolsettest.WantError(t, err, "UNITY_BUSY", "dialog")
	release()
	w.fake.Greet("SSH-2.0-OpenSSH_9.2\r\n")
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{})
	toolsettest.WantError(t, err, "IDE_NOT_RUNNING", "another program")
	second := unitytest.Start(t, w.fake.StatusDir, filepath.Join(w.dir, "Second"))
	waittest.Until(t, "the second is found", func() bool { return len(w.unity.State().Folders) == 2 })
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{})
	toolsettest.WantError(t, err, "AMBIGUOUS_PROJECT", "Game, Second")
	_, err = w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{Project: "Third"})
	toolsettest.WantError(t, err, "AMBIGUOUS_PROJECT", "Third")
	for _, project := range []string{"Second", "./Second", second.Project} {
		if r, err := w.tools.ReadConsole(t.Context(), unity.ReadConsoleArgs{Project: project}); err != nil || r.Project != "Second" {
			t.Errorf("%s: %+v, %v", project, r, err)
		}
	}
}

// Where nothing may be changed, no tests are begun.
func TestReadOnly(t *testing.T) {
	w := newWorld(t)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{w.dir}, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	set, err := unity.NewTools(tools.Env{Root: root}, w.unity)
	if err != nil {
		t.Fatal(err)
	}
	_, err = set.RunTests(t.Context(), unity.RunTestsArgs{})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
	_, err = set.Refresh(t.Context(), unity.RefreshArgs{})
	toolsettest.WantError(t, err, "PERMISSION_DENIED")
	if got := toolsettest.Call(t, w.tools, "read_console", `{"types":["error"]}`); got.IsError {
		t.Errorf("%s", toolsettest.Text(t, got))
	}
}
