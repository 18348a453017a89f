package main

import (
	"context"
	"fmt"
	"time"
)

// least is what the decoder must reach on the mixed stream, in megabytes a second, timesFaster how much faster than encoding/json
// it must be.
const (
	least       = 150
	timesFaster = 2
)

// parse measures how fast the output of agents is read, in megabytes a second of one processor's time: by the decoder
// for the Cursor CLI, by a run of the executor that gets the same lines from a process, and by encoding/json into structs. The
// lines have the shapes of recorded streams: bits of text, results of tools that read, and edits with whole files in them.
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

// measure reads a stream once, and answers the megabytes a second of processor time.
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

// background is never cancelled: a round ends by itself.
var background = context.Background()
