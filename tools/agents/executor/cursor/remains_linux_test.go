package cursor_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
)

// findProcesses returns the processes with a variable in their environment.
func findProcesses(t testing.TB, variable string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, name := range all {
		if environ, err := os.ReadFile(name); err == nil && bytes.Contains(environ, []byte(variable)) {
			found = append(found, name)
		}
	}
	return found
}

// descriptors returns the number of open file descriptors of this process.
func descriptors(t testing.TB) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

func TestRun_LeavesNoProcess(t *testing.T) {
	for _, recording := range []string{"normal", "strays", "stubborn"} {
		t.Run(recording, func(t *testing.T) {
			o := longTimeouts()
			o.Process.StateDir = filepath.Join(t.TempDir(), "state")
			o.Process.Grace = time.Millisecond
			if recording == "stubborn" {
				o.Process.Begin = time.Minute
			}
			s := spec(t, "[fake:"+recording+"]")
			mine := "REMAINS_TEST=" + rand.Text()
			s.Env = append(s.Env, mine)
			x := fake(t, o)
			var exit executor.Exit
			if recording == "stubborn" {
				exit = cancelled(t, x, s)
			} else {
				exit, _ = run(t, x, s)
			}
			if found := findProcesses(t, mine); len(found) > 0 {
				t.Errorf("these are alive: %v", found)
			}
			if want := recording == "strays"; exit.Leftover != want {
				t.Errorf("that something was left is %v", exit.Leftover)
			}
			if files, err := os.ReadDir(o.Process.StateDir); err != nil || len(files) != 0 {
				t.Errorf("of processes that have ended is still written down %v, %v", files, err)
			}
		})
	}
}

// A thousand agents, fifty of them concurrently, leave no process, descriptor, goroutine or
// file.
func TestRun_ThousandAgents(t *testing.T) {
	runs, atOnce := 1000, 50
	if testing.Short() || testrequire.Race {
		runs = 100
	}
	t.Setenv("TMPDIR", t.TempDir())
	o := longTimeouts()
	o.Process.StateDir = filepath.Join(t.TempDir(), "state")
	x := fake(t, o)
	mine := "SOAK_TEST=" + rand.Text()
	dir := t.TempDir()
	one := func(i int) error {
		recording := []string{"normal", "parallel", "edits", "report", "plainerror"}[i%5]
		s := executor.Spec{AgentID: fmt.Sprint("agent-", i), Prompt: "[fake:" + recording + "]", Dir: filepath.Join(dir, fmt.Sprint(i)), Trust: true, Env: []string{"FAKEAGENT_SPEED=0", "GORACE=atexit_sleep_ms=0", mine}}
		if err := os.Mkdir(s.Dir, 0o700); err != nil {
			return err
		}
		exit, err := x.Run(t.Context(), s, func(executor.Event) {})
		if err == nil && (exit.Finished != (recording != "plainerror") || exit.Leftover) {
			err = fmt.Errorf("the exit of %s is %+v", recording, exit)
		}
		return err
	}
	if err := one(runs); err != nil { // opens the descriptors that the executor keeps
		t.Fatal(err)
	}
	before := descriptors(t)

	numbers := make(chan int, runs)
	for i := range runs {
		numbers <- i
	}
	close(numbers)
	var all group.Group
	var mu sync.Mutex
	for range atOnce {
		all.Go(func() {
			for i := range numbers {
				if err := one(i); err != nil {
					mu.Lock()
					t.Error(i, err)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	if after := descriptors(t); after > before+4 { // idle supervisors keep descriptors
		t.Errorf("%d descriptors are open, before it were %d", after, before)
	}
	if found := findProcesses(t, mine); len(found) > 0 {
		t.Errorf("these are alive: %v", found)
	}
	for _, where := range []string{o.Process.StateDir, os.Getenv("TMPDIR")} {
		if files, err := os.ReadDir(where); err != nil || len(files) != 0 {
			t.Errorf("%s still has %v, %v", where, files, err)
		}
	}
}

// cancelled runs an agent and cancels it after its first message.
func cancelled(t *testing.T, x *cursor.Executor, s executor.Spec) executor.Exit {
	t.Helper()
	ctx, cancel := withCancel(t)
	exit, err := x.Run(ctx, s, func(e executor.Event) {
		if e.Kind == executor.Said {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return exit
}
