package main

import (
	"context"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// room is the limit of memory for each agent, independent of its output, in bytes.
const room = 1 << 20

// torrents are prompts of agents with large output.
var torrents = []struct{ name, prompt string }{
	{"steady: words and tools", "[steady for=10m words=20 tools=2]"},
	{"huge: lines of 20 and of 5 MB, then the end", "[fake:huge]"},
	{"flood: events without an end", "[fake:flood]"},
	{"endless: a line without an end", "[fake:endless]"},
}

// memory measures the maximum memory of the server while many agents print as fast as they can, compared with the memory before.
func (b *bench) memory(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n## Memory of the server, %d agents at once for %v\n\n| what they print | before | at most | an agent | when they have ended | asked for | |\n|---|---:|---:|---:|---:|---|---|\n", b.crew, b.flood)
	for _, t := range torrents {
		before, most, after, err := b.torrent(ctx, t.prompt)
		if err != nil {
			return fmt.Errorf("with agents that print %s: %w", t.name, err)
		}
		each := (most - before) / int64(b.crew)
		fmt.Fprintf(b.stdout, "| %s | %s | %s | %s | %s | ≤ %s | %s |\n", t.name, mb(before), mb(most), mb(each), mb(after), mb(room), b.verdict("memory, "+t.name, each <= room))
	}
	return nil
}

// torrent runs agents and returns the memory of the server before, its maximum, and the memory afterwards.
func (b *bench) torrent(ctx context.Context, prompt string) (before, most, after int64, err error) {
	s, err := b.open(ctx, b.crew, 0)
	if err != nil {
		return 0, 0, 0, err
	}
	defer s.Close()
	p, err := dial(ctx, s.page)
	if err != nil {
		return 0, 0, 0, err
	}
	defer p.close()
	if before, _, err = s.Resident(); err != nil {
		return 0, 0, 0, err
	}
	ids, err := s.orders(b.crew, prompt)
	if err != nil {
		return 0, 0, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, driver.MeasurementTimeout)
	defer cancel()
	over := time.Now().Add(b.flood)
	for time.Now().Before(over) { // the page reads events, as a browser does
		reading, stop := context.WithDeadline(ctx, over)
		_, _, err := p.read(reading)
		stop()
		if err != nil {
			break
		}
	}
	if err := s.cancel(ids); err != nil {
		return 0, 0, 0, err
	}
	after, most, err = s.Resident()
	return before, most, after, err
}
