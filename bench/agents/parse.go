package main

import (
	"context"
	"fmt"
	"time"
)

// least is the lower limit of the decoder's rate on the mixed stream, in megabytes per second. timesFaster is the lower limit of
// its rate relative to encoding/json.
const (
	least       = 150
	timesFaster = 2
)

// parse measures the rate at which agent output is read, in megabytes per second of processor time. It compares the decoder for the
// Cursor CLI, a run of the executor with the same lines from a process, and encoding/json with structs. The lines resemble recorded
// streams: pieces of text, results of reading tools, and edits with complete files.
func (b *bench) parse(context.Context) error {
	fmt.Fprintf(b.stdout, "\n## Reading what agents print\n\n| stream | lines | mean line | decoder | run of the executor | encoding/json | decoder to json | asked for | |\n|---|---:|---:|---:|---:|---:|---:|---|---|\n")
	for _, s := range streams(b.size << 20) {
		speeds := make([]float64, 3)
		for range b.rounds {
			for i, read := range []func([]byte) (int, error){decode, execute, standard} {
				speed, err := measure(s, read)
				if err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				speeds[i] = max(speeds[i], speed)
			}
		}
		ratio, asked, verdict := speeds[0]/speeds[2], "", ""
		if s.name == mixed {
			asked = fmt.Sprintf("decoder ≥ %d MB/s and × %d", least, timesFaster)
			verdict = b.verdict("decoder", speeds[0] >= least && ratio >= timesFaster)
		}
		fmt.Fprintf(b.stdout, "| %s | %d | %d B | %.0f MB/s | %.0f MB/s | %.0f MB/s | %.1f | %s | %s |\n",
			s.name, s.lines, len(s.text)/s.lines, speeds[0], speeds[1], speeds[2], ratio, asked, verdict)
	}
	return nil
}

// measure reads a stream once and returns megabytes per second of processor time.
func measure(s stream, read func([]byte) (int, error)) (float64, error) {
	before, err := processorTime()
	if err != nil {
		return 0, err
	}
	events, err := read(s.text)
	if err != nil {
		return 0, err
	}
	after, err := processorTime()
	if err != nil {
		return 0, err
	}
	if events != s.lines {
		return 0, fmt.Errorf("of %d lines %d were understood", s.lines, events)
	}
	return float64(len(s.text)) / 1e6 / max(after-before, time.Microsecond).Seconds(), nil
}

// background is a context that is never cancelled: a round ends by itself.
var background = context.Background()
