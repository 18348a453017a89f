package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// Numbers of requests to a server with an index of the Go tree.
const (
	getBar    = time.Millisecond
	searchBar = 10 * time.Millisecond
	changeBar = 50 * time.Millisecond
	startBar  = 100 * time.Millisecond
	maxRSS    = 300_000_000
)

// changing is the file that the measurement changes.
const changing = "net/http/server.go"

// queries returns names as users search them: complete, partial, with their container, as initials, single letters, and one without
// a match.
func queries() []string {
	return []string{"ServeHTTP", "Server.ListenAndServe", "json.Marshal", "unmarshal", "lstnsrv", "Reader", "parseRange", "e", "er", "newreq", "roundTrip", "qqxzqqj"}
}

// chunkIDs returns functions in small and in large files.
func chunkIDs() []string {
	return []string{
		"net/http/server.go#Server.Shutdown", "net/http/fs.go#parseRange", "strings/strings.go#Fields", "runtime/proc.go#newproc",
		"encoding/json/encode.go#Marshal", "errors/errors.go#New", "go/parser/parser.go#parser.parseFile",
	}
}

// callTimes measures calls with an index of the Go tree.
func (b *bench) callTimes(ctx context.Context) error {
	c, dir := measured()[0], filepath.Join(b.dir, "tree")
	from, within, err := c.open[0](b)
	if err != nil {
		return err
	}
	names, err := sources(from, within, c.ending)
	if err != nil {
		return err
	}
	if b.most > 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return !isRequested(name) })
	}
	if _, err := copyFiles(dir, from, names); err != nil {
		return err
	}
	cpu, _, err := driver.CPUOf(exec.CommandContext(ctx, b.ours, "index", "-root", dir))
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "\n%d files of Go, indexed in %.2f s of processor time\n", len(names), cpu.Seconds())
	fmt.Fprintf(b.stdout, "\n| what | where | times | median | p99 | CPU each | asked for | |\n|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, measure := range []func(context.Context, string) error{b.inProcess, b.overPipes, b.starts, b.memory} {
		if err := measure(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// isRequested reports whether a file is in a directory of a requested chunk. A short run indexes only these files.
func isRequested(name string) bool {
	return slices.ContainsFunc(chunkIDs(), func(id string) bool { return filepath.Dir(name) == filepath.Dir(id) })
}

// series are repeated measurements of one operation.
type series struct {
	what, where string
	bar         time.Duration // limit of the median; 0 is none
	wall        []time.Duration
	cpu         time.Duration // total processor time
}

// time runs and measures f once.
func (s *series) time(f func() error) error {
	before, begun := driver.OwnCPU(), time.Now()
	if err := f(); err != nil {
		return fmt.Errorf("%s: %w", s.what, err)
	}
	s.wall = append(s.wall, time.Since(begun))
	s.cpu += driver.OwnCPU() - before
	return nil
}

// row prints the series as a table row.
func (s *series) row(b *bench) {
	slices.Sort(s.wall)
	n := len(s.wall)
	fmt.Fprintf(b.stdout, "| %s | %s | %d | %v | %v | %v |", s.what, s.where, n, micro(s.wall[n/2]), micro(s.wall[n*99/100]), micro(s.cpu/time.Duration(n)))
	if s.bar == 0 {
		fmt.Fprintf(b.stdout, " | |\n")
		return
	}
	fmt.Fprintf(b.stdout, " < %v | %s |\n", s.bar, met(s.wall[n/2] < s.bar))
}

func micro(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// overPipes measures calls over standard input and output.
func (b *bench) overPipes(ctx context.Context, dir string) error {
	s, err := driver.OpenSession(b.command(ctx, ours, dir, "-structured", "always"))
	if err != nil {
		return err
	}
	defer s.Close()
	w := &worker{dir: dir, Session: s, byTool: make(map[string]*cost)}
	search := &series{what: "search_symbols", where: "stdio", bar: searchBar}
	get := &series{what: "get_chunk", where: "stdio", bar: getBar}
	for _, one := range []struct {
		*series
		argument string
		values   []string
	}{{search, "query", queries()}, {get, "chunkId", chunkIDs()}} {
		before, err := s.CPU()
		if err != nil {
			return err
		}
		for i := range b.calls {
			took, err := w.timed(one.what, map[string]any{one.argument: one.values[i%len(one.values)]})
			if err != nil {
				return err
			}
			one.wall = append(one.wall, took)
		}
		after, err := s.CPU()
		if err != nil {
			return err
		}
		one.cpu = after - before
		one.row(b)
	}
	return nil
}

// starts measures the time from before the start of the process until its first search result.
func (b *bench) starts(ctx context.Context, dir string) error {
	started := &series{what: "start, and search_symbols", where: "stdio", bar: startBar}
	for range max(b.rounds, 3) {
		begun := time.Now()
		s, err := driver.OpenSession(b.command(ctx, ours, dir, "-structured", "always"))
		if err != nil {
			return err
		}
		w := &worker{dir: dir, Session: s, byTool: make(map[string]*cost)}
		_, err = w.timed("search_symbols", map[string]any{"query": "ServeHTTP"})
		started.wall = append(started.wall, time.Since(begun))
		cpu, cpuErr := s.CPU()
		started.cpu += cpu
		s.Close()
		if err != nil || cpuErr != nil {
			return fmt.Errorf("starting: %w, %w", err, cpuErr)
		}
	}
	started.row(b)
	return nil
}

// memory measures the memory of a server.
func (b *bench) memory(ctx context.Context, dir string) error {
	fmt.Fprintf(b.stdout, "\n| server | resident | at most | asked for | |\n|---|---:|---:|---:|---|\n")
	s, err := driver.OpenSession(b.command(ctx, ours, dir, "-structured", "always"))
	if err != nil {
		return err
	}
	defer s.Close()
	w := &worker{dir: dir, Session: s, byTool: make(map[string]*cost)}
	for _, step := range []struct {
		name, tool string
		args       []map[string]any
	}{
		{"with an index that was kept", "search_symbols", each("query", "ServeHTTP")},
		{"after searches", "search_symbols", each("query", queries()...)},
		{"after reading chunks", "get_chunk", each("chunkId", chunkIDs()...)},
		{"after a map of the project", "get_repo_map", []map[string]any{{}}},
		{"after reading all files again", "analyze_project", []map[string]any{{"projectPath": ".", "force": true}}},
	} {
		for _, args := range step.args {
			if _, err := w.timed(step.tool, args); err != nil {
				return err
			}
		}
		now, peak, err := s.Resident()
		if err != nil {
			return err
		}
		fmt.Fprintf(b.stdout, "| %s | %.0f MB | %.0f MB | ≤ %d MB | %s |\n", step.name, float64(now)/1e6, float64(peak)/1e6, maxRSS/1_000_000, met(now <= maxRSS))
	}
	return nil
}

// each returns arguments with one member, for each value.
func each(name string, values ...string) []map[string]any {
	var all []map[string]any
	for _, value := range values {
		all = append(all, map[string]any{name: value})
	}
	return all
}
