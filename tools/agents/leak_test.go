package agents_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor/command"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Agents that complete, fail, crash, hang, leave processes or are cancelled leave no process, open
// file or goroutine (see TestMain).
func TestRun_ReleasesResources(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes and open files are counted as Linux shows them")
	}
	runs, atOnce := 120, 30
	if testing.Short() {
		runs, atOnce = 36, 12
	}
	mark := fmt.Sprintf("DOUGU_LEAK_TEST=%d-%d", os.Getpid(), time.Now().UnixNano())
	t.Setenv("DOUGU_LEAK_TEST", mark[len("DOUGU_LEAK_TEST="):])
	dir := newRepository(t, "README")
	c := newReplayFixture(t, dir, agents.Options{MaxConcurrent: atOnce, MaxQueued: runs}, command.Options{Farewell: 100 * time.Millisecond, Grace: 100 * time.Millisecond, Begin: time.Minute})
	c.play(t, 3, []string{"normal"}) // fills caches that remain
	before := openFiles(t)
	recordings := []string{"normal", "parallel", "edits", "crash", "noresult", "garbage", "strays", "noexit", "stubborn", "silent", "plainerror", "report"} // none whose output needs a file
	c.play(t, runs, recordings)
	eventually(t, func() error {
		if left := markedProcesses(t, mark); len(left) > 0 {
			return fmt.Errorf("processes are left: %v", left)
		}
		if now := openFiles(t); now > before {
			return fmt.Errorf("%d files are open, and %d were", now, before)
		}
		return nil
	})
}

// play runs agents and disturbs them while they run.
func (c fixture) play(t *testing.T, n int, recordings []string) {
	t.Helper()
	groups := []string{c.group(t), c.group(t)}
	var ids []string
	for i := range n {
		r, err := c.Run(t.Context(), agents.RunArgs{
			GroupID: groups[i%len(groups)], Role: "impl-code", Prompt: "[fake:" + recordings[i%len(recordings)] + "]", TimeoutMs: 500 + rand.Int64N(1000),
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.AgentID)
		if i%7 == 3 {
			if err := c.Stop(t.Context(), ids[rand.IntN(len(ids))], "enough"); err != nil {
				t.Log("stopping:", err) // it may have ended
			}
		}
	}
	if err := c.RemoveGroup(t.Context(), groups[1], true); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, id := range ids {
		for {
			w, err := c.Wait(ctx, agents.WaitArgs{AgentIDs: []string{id}})
			if err != nil {
				t.Fatal(err)
			}
			if len(w.Pending) == 0 {
				break
			}
		}
		status, err := c.memory.Agent(ctx, id)
		if err != nil || !status.Status.Ended() || status.Result == nil && status.Status != record.Cancelled {
			t.Fatalf("%s is %s without a result: %v", id, status.Status, err)
		}
	}
}

// eventually repeats a check until it succeeds or a time has passed.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	deadline, tick := time.Now().Add(20*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// openFiles returns the number of open files of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// markedProcesses returns other processes with a variable in their environment, and ended children
// that were not reaped.
func markedProcesses(t *testing.T, variable string) (left []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		if filepath.Base(dir) == fmt.Sprint(os.Getpid()) {
			continue
		}
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err == nil && bytes.Contains(environ, []byte(variable)) {
			left = append(left, filepath.Base(dir))
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err == nil && bytes.Contains(stat, fmt.Appendf(nil, ") Z %d ", os.Getpid())) {
			left = append(left, filepath.Base(dir)+", a zombie")
		}
	}
	return left
}
