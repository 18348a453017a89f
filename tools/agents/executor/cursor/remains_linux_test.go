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

// alive lists the processes that have a variable in their environment.
func alive(t testing.TB, variable string) []string {
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

// descriptors counts what this process holds open.
func descriptors(t testing.TB) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

func TestNothingOfAnAgentIsLeft(t *testing.T) {
	for _, recording := range []string{"normal", "strays", "stubborn"} {
		t.Run(recording, func(t *testing.T) {
			o := patient()
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
			if found := alive(t, mine); len(found) > 0 {
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

// A thousand agents, fifty at once, leave no process, descriptor, goroutine or file.
func TestAThousandAgentsLeaveNothing(t *testing.T) {
	runs, atOnce := 1000, 50
	if testing.Short() || testrequire.Race {
		runs = 100
	}
	t.Setenv("TMPDIR", t.TempDir())
	o := patient()
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
	if err := one(runs); err != nil { // what is opened once for all
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
	if after := descriptors(t); after > before+4 { // supervisors wait for the next command
		t.Errorf("%d descriptors are open, before it were %d", after, before)
	}
	if found := alive(t, mine); len(found) > 0 {
		t.Errorf("these are alive: %v", found)
	}
	for _, where := range []string{o.Process.StateDir, os.Getenv("TMPDIR")} {
		if files, err := os.ReadDir(where); err != nil || len(files) != 0 {
			t.Errorf("%s still has %v, %v", where, files, err)
		}
	}
}

// cancelled runs an agent that is ended once it has said something.
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
