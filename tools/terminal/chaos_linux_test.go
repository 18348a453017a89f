package terminal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/terminal"
)

// nonInteractiveEnv redirects all streams that could hold the output.
const nonInteractiveEnv = ">/dev/null 2>&1 </dev/null"

// supervisors is the most descriptors of the keeper and of two idle supervisors: a socket and a process each.
const supervisors = 6

// Commands of all kinds are run and ended at random moments. No process, zombie or descriptor remains. TestMain checks the
// goroutines.
func TestExecute_NoLeftovers(t *testing.T) {
	commands := 1000
	if testing.Short() {
		commands = 100
	}
	// An environment variable of this test marks its processes.
	marker := fmt.Sprintf("CHAOS_%d", time.Now().UnixNano())
	before := descriptors(t)
	p := newProject(t, setup{options: terminal.Options{MaxProcesses: 64}})
	lines := []string{
		"true",
		"sleep 1000",
		"sleep 1000 & wait",
		"yes",
		"for i in 1 2 3 4; do sleep 1000 & done; wait",
		"setsid sleep 1000 " + nonInteractiveEnv + " & sleep 1000",
		"(setsid sleep 1000 " + nonInteractiveEnv + " &); echo left",
		"(setsid sh -c 'sleep 1000 & sleep 1000' " + nonInteractiveEnv + " &); sleep 0.01",
		"trap '' TERM INT HUP; while :; do sleep 0.01; done",
		"sh -c 'kill -STOP $$'",
		"cat; sleep 1000",
		"seq 1 100000",
		"echo a; exit 3",
		"sleep 0.01; echo b >&2",
		"sh -c 'sh -c \"sleep 1000\"'",
		"sleep 1000 | sleep 1000",
		"read x; echo $x",
		"exec sleep 1000",
		"(sleep 0.005; echo c) & echo d",
		"kill -9 $$",
		"seq 1 10; sleep 1000",
	}
	jobs := make(chan int)
	var workers sync.WaitGroup
	for range 24 {
		workers.Go(func() {
			for i := range jobs {
				disturb(t, p, i, lines[i%len(lines)], marker)
			}
		})
	}
	for i := range commands {
		jobs <- i
	}
	close(jobs)
	workers.Wait()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(hang); ; time.Sleep(10 * time.Millisecond) {
		left, zombies, open := usesMark(t, marker), children(t), descriptors(t)
		if len(left) == 0 && len(zombies) == 0 && open <= before+2+supervisors {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %q, zombies: %q, %d descriptors of %d", left, zombies, open, before)
		}
		runtime.GC()
	}
}

// disturb runs a command and ends it in a random way at a random moment.
func disturb(t *testing.T, p project, i int, line, marker string) {
	random := rand.New(rand.NewPCG(uint64(i), 7))
	moment := time.Duration(random.IntN(20_000)) * time.Microsecond
	args := terminal.CommandArgs{Command: line, Env: map[string]string{marker: "1"}, PTY: i%5 == 4}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch i % 4 {
	case 0: // the caller cancels
		stop := time.AfterFunc(moment, cancel)
		defer stop.Stop()
		_, _ = p.Execute(ctx, args)
	case 1: // the timeout passes
		args.Timeout = 1 + int(moment.Milliseconds())
		_, _ = p.Execute(ctx, args)
	default: // another call kills it
		args.Background, args.WaitMs = true, new(int(moment.Milliseconds()))
		r, err := p.Execute(ctx, args)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			return
		}
		if r.ProcessID == "" {
			return // it has ended without leftovers
		}
		if _, err := p.Kill(ctx, terminal.KillArgs{ProcessID: r.ProcessID, Force: i%4 == 2}); err != nil && !strings.Contains(err.Error(), "no process") {
			t.Errorf("killing %s: %v", line, err)
		}
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}

// usesMark returns the processes with a variable in their environment.
func usesMark(t *testing.T, name string) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if environ, err := os.ReadFile(file); err == nil && strings.Contains(string(environ), name+"=") {
			found = append(found, file)
		}
	}
	return found
}

// children returns the child processes, zombies included, without the keeper of supervisors.
func children(t *testing.T) (found []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all {
		if pids, err := os.ReadFile(file); err == nil {
			for _, pid := range strings.Fields(string(pids)) {
				if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); !strings.HasPrefix(string(line), "dougu-keeper") {
					found = append(found, pid)
				}
			}
		}
	}
	return found
}
