package debug_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z' && rest[0] != 'X'
}

// descendants returns the IDs of running processes that have the mark of this process or descend from it.
func descendants(t testing.TB) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parents := make(map[int]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !alive(pid) {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue
		}
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		parents[pid], _ = strconv.Atoi(string(fields[1]))
	}
	var found []int
	for pid := range parents {
		if line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline"); bytes.HasPrefix(line, []byte("dougu-")) {
			continue // the keeper, or a supervisor that waits for the next command
		}
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == os.Getpid() {
				found = append(found, pid)
				break
			}
		}
	}
	return found
}

// wantGone checks that processes have ended.
func wantGone(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		for deadline := time.Now().Add(hang); alive(pid); {
			if time.Now().After(deadline) {
				command, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
				t.Errorf("process %d is still there: %q", pid, command)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// numbers are the ids that a program has printed behind a word.
func numbers(t testing.TB, text, word string) []int {
	t.Helper()
	var all []int
	for _, found := range regexp.MustCompile(word+` (\d+)`).FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// The children of a program end with it, also if they ignore signals or have left its session.
func TestSession_RemainingProcessesEnded(t *testing.T) {
	for name, s := range map[string]daptest.Script{"over its streams": {}, "over TCP": {Listen: true}, "deaf and hanging": {Deaf: true, Does: map[string]string{"disconnect": daptest.Hang}}} {
		t.Run(name, func(t *testing.T) {
			s.Run = `trap "" TERM HUP INT; setsid sh -c 'trap "" TERM; sleep 1000; true' & wait`
			p := stopped(t, s, 2)
			r, err := p.Status(t.Context(), debug.StatusArgs{Offset: new(int64(0))})
			if err != nil {
				t.Fatal(err)
			}
			pids := numbers(t, r.State.Output, "pid")
			if len(pids) != 1 || !alive(pids[0]) {
				t.Fatalf("the program has said %q", r.State.Output)
			}
			for deadline := time.Now().Add(hang); len(under(t, pids[0])) < 2; {
				if time.Now().After(deadline) {
					t.Fatalf("processes %v", under(t, pids[0]))
				}
				time.Sleep(10 * time.Millisecond)
			}
			pids = append(pids, under(t, pids[0])...)
			if _, err := p.Stop(t.Context(), debug.StopArgs{}); err != nil {
				t.Fatal(err)
			}
			wantGone(t, pids...)
		})
	}
}

// under are the processes below one.
func under(t testing.TB, pid int) []int {
	t.Helper()
	var found []int
	for _, task := range []int{pid} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", task, task))
		if err != nil {
			continue
		}
		for field := range strings.FieldsSeq(string(text)) {
			child, _ := strconv.Atoi(field)
			found = append(append(found, child), under(t, child)...)
		}
	}
	return found
}
