package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// well are recordings of agents that end normally, ill of agents that fail or leave processes behind.
var (
	well = []string{"normal"}
	ill  = []string{"crash", "failure", "noresult", "garbage", "strays", "parallel", "report", "plainerror", "edits", "huge", "nologin", "noexit"}
)

// holding are the resources of a server.
type holding struct {
	children, zombies, strangers, files, threads, goroutines int
	resident                                                 int64
	made                                                     map[string]int // goroutines, by the function in which they started
}

// leaks runs many agents, with and without faults, and counts the remaining resources. The number of runs per hour of a server is
// limited, so several servers run one after the other.
func (b *bench) leaks(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n## %d runs, %d at once\n\n| agents | runs | a second | processor time of the server a run | of the agents and git | children left | zombies | processes of agents | open files | goroutines | threads | memory |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", b.runs, b.crew)
	sound, err := b.shift(ctx, "behave", b.runs, well)
	if err != nil {
		return err
	}
	clean, err := b.shift(ctx, "fail, crash, hang, leave processes", min(b.runs, 200), ill)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "\nAsked for: no child, zombie, process, open file and goroutine more than after %d runs: %s\n", b.crew, b.verdict("nothing is left", sound && clean))
	return nil
}

// shift runs agents on one server and reports whether no resources remain. The reference is the state after a wave of as many
// agents as may run concurrently.
func (b *bench) shift(ctx context.Context, name string, runs int, recordings []string) (clean bool, err error) {
	fresh, err := b.warm(ctx)
	if err != nil {
		return false, err
	}
	before := &holding{}
	if err := fresh.dump(before); err != nil {
		return false, err
	}
	s, err := b.warm(ctx)
	if err != nil {
		return false, err
	}
	defer s.Close()
	if err := before.look(s.server); err != nil {
		return false, err
	}
	own, children, err := times(s.server)
	if err != nil {
		return false, err
	}
	begun := time.Now()
	if err := s.wave(runs, recordings); err != nil {
		return false, err
	}
	took := time.Since(begun)
	ownAfter, childrenAfter, err := times(s.server)
	if err != nil {
		return false, err
	}
	after, err := s.atRest(ctx, before, b.settle)
	if err != nil {
		return false, err
	}
	n := time.Duration(runs)
	fmt.Fprintf(b.stdout, "| %s | %d | %.1f | %s | %s | %+d | %+d | %+d | %+d | %+d | %+d | %s → %s |\n", name, runs, float64(runs)/took.Seconds(), ms((ownAfter-own)/n), ms((childrenAfter-children)/n),
		after.children-before.children, after.zombies-before.zombies, after.strangers-before.strangers, after.files-before.files, after.goroutines-before.goroutines, after.threads-before.threads,
		mb(before.resident), mb(after.resident))
	for name, n := range after.made {
		if n > before.made[name] {
			fmt.Fprintf(b.stderr, "agents: %d more goroutines in %s\n", n-before.made[name], name)
		}
	}
	return after.within(before), nil
}

// within reports whether no resource exceeds before.
func (h *holding) within(before *holding) bool {
	return h.children <= before.children && h.zombies <= before.zombies && h.strangers <= before.strangers && h.files <= before.files && h.goroutines <= before.goroutines
}

// times returns the processor times of a server and of its ended children.
func times(s *server) (own, children time.Duration, err error) {
	if own, err = s.CPU(); err != nil {
		return 0, 0, err
	}
	children, err = childrenTime(s.pid)
	return own, children, err
}

// wave runs n agents, as many concurrently as the server allows.
func (s *server) wave(n int, recordings []string) error {
	var ids []string
	for i := range n {
		id, _, err := s.order("[fake:" + recordings[i%len(recordings)] + "]")
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for some := range slices.Chunk(ids, 20) {
		if err := s.await(some); err != nil {
			return err
		}
	}
	return nil
}

// dumped is a server that prints its goroutines at SIGQUIT.
type dumped struct {
	*server
	stderr string // path of a file
	quit   func() error
}

// warm starts a server and runs as many agents as may run concurrently.
func (b *bench) warm(ctx context.Context) (*dumped, error) {
	cmd, at, err := b.command(ctx, b.crew, 0)
	if err != nil {
		return nil, err
	}
	d := &dumped{stderr: filepath.Join(at.dir, "stderr")}
	shell := exec.CommandContext(ctx, "/bin/sh", slices.Concat([]string{"-c", `exec 2>"$0" "$@"`, d.stderr}, cmd.Args)...)
	if d.server, err = start(shell, at); err != nil {
		return nil, err
	}
	d.quit = func() error { return shell.Process.Signal(syscall.SIGQUIT) }
	if err := d.wave(b.crew, well); err != nil {
		d.Close()
		return nil, err
	}
	time.Sleep(b.settle)
	return d, nil
}

// dump ends the server and counts its goroutines.
func (d *dumped) dump(h *holding) error {
	if err := d.quit(); err != nil {
		return fmt.Errorf("making the server tell its goroutines: %w", err)
	}
	for deadline := time.Now().Add(10 * time.Second); !over(d.pid) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond) // the regular end would change the goroutines
	}
	d.Close()
	text, err := os.ReadFile(d.stderr)
	if err != nil {
		return err
	}
	h.goroutines, h.made = 0, make(map[string]int)
	for stack := range strings.SplitSeq(string(text), "\n\n") {
		if maker := beginning(stack); maker != "" && !strings.HasPrefix(maker, "runtime.") {
			h.goroutines++
			h.made[maker]++
		}
	}
	if h.goroutines == 0 {
		return fmt.Errorf("the server does not tell its goroutines: %.500s", text)
	}
	return nil
}

// beginning returns the function in which a goroutine started, from its stack; empty for goroutines of the runtime.
func beginning(stack string) string {
	begun := ""
	for line := range strings.Lines(stack) {
		switch name, by := strings.CutPrefix(line, "created by "); {
		case by && strings.HasPrefix(name, "runtime."):
			return ""
		case by && begun == "":
			return name
		case by || strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "runtime.goexit") || strings.Contains(line, "/internal/group."):
		default:
			begun = line[:max(strings.LastIndexByte(line, '('), 0)]
		}
	}
	return begun
}

// atRest waits until the server holds no more than before, or the time settle has passed. Its goroutines are counted at its end.
func (s *dumped) atRest(ctx context.Context, before *holding, settle time.Duration) (*holding, error) {
	var h *holding
	for deadline := time.Now().Add(20 * time.Second); ; {
		h = &holding{}
		if err := h.look(s.server); err != nil {
			return nil, err
		}
		if h.within(before) || time.Now().After(deadline) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	time.Sleep(settle)
	if err := h.look(s.server); err != nil {
		return nil, err
	}
	return h, s.dump(h)
}
