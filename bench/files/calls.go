package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// workload is a call that both servers support.
type workload struct {
	name  string
	bar   float64 // required speed relative to the reference server
	calls int     // in each round
	tool  map[string]string
	args  map[string]map[string]any // by server
	right func(answer string) bool
}

// callTimes measures calls that both servers support, one at a time, over standard input and output.
func (b *bench) callTimes(ctx context.Context) error {
	tree := filepath.Join(b.dir, "small")
	if err := makeTree(tree, b.small, 512); err != nil {
		return err
	}
	file := filepath.Join(tree, "five.txt")
	if err := os.WriteFile(file, []byte(strings.Repeat(line, 5120/len(line))), 0o644); err != nil {
		return err
	}
	servers := []string{ours}
	if b.peer != "" {
		servers = append(servers, reference)
	}
	fmt.Fprintf(b.stdout, "\n| call | server | median | least | greatest | × ours | asked for |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, w := range b.workloads(tree, file) {
		times := make(map[string][]time.Duration)
		for range b.rounds {
			for _, name := range servers {
				took, err := b.round(ctx, name, tree, w)
				if err != nil {
					return err
				}
				times[name] = append(times[name], took)
			}
		}
		for _, name := range servers {
			t := slices.Sorted(slices.Values(times[name]))
			fmt.Fprintf(b.stdout, "| %s | %s | %v | %v | %v |", w.name, name, micro(driver.Median(times[name])), micro(t[0]), micro(t[len(t)-1]))
			if name == ours {
				fmt.Fprintf(b.stdout, " | |\n")
				continue
			}
			fmt.Fprintf(b.stdout, " %.1f | ≥ %.0f |\n", driver.Ratio(times[name], times[ours]), w.bar)
		}
	}
	return nil
}

func (b *bench) workloads(tree, file string) []workload {
	rust := b.small / 50
	return []workload{
		{name: "read of 5 KB", bar: 3, calls: b.calls,
			tool:  map[string]string{ours: "read_file", reference: "read_text_file"},
			args:  map[string]map[string]any{ours: {"path": file}, reference: {"path": file}},
			right: func(answer string) bool { return strings.Count(answer, line[:len(line)-1]) >= 5120/len(line) }},
		{name: fmt.Sprintf("names in %d files", b.small), bar: 8, calls: max(b.calls/40, 2),
			tool:  map[string]string{ours: "search_files", reference: "search_files"},
			args:  map[string]map[string]any{ours: {"pattern": "**/*.rs", "maxResults": 1000}, reference: {"path": tree, "pattern": "**/*.rs"}},
			right: func(answer string) bool { return strings.Count(answer, ".rs") >= rust }},
	}
}

// round starts a server, warms it up and returns the median time of a call.
func (b *bench) round(ctx context.Context, name, dir string, w workload) (time.Duration, error) {
	s, err := driver.OpenSession(b.command(ctx, name, dir))
	if err != nil {
		return 0, fmt.Errorf("opening a session with %s: %w", name, err)
	}
	defer s.Close()
	times := make([]time.Duration, 0, w.calls)
	for i := range w.calls + w.calls/4 + 1 {
		answer, took, err := s.Ask("tools/call", map[string]any{"name": w.tool[name], "arguments": w.args[name]})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if i > w.calls/4 {
			times = append(times, took)
		}
		if (i == 0 || i == w.calls) && !w.right(string(answer)) {
			return 0, fmt.Errorf("%s: a wrong answer to %s: %.200s", name, w.name, answer)
		}
	}
	return driver.Median(times), nil
}

func micro(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
