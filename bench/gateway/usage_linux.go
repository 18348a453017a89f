package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// descendants returns the direct and indirect children of a process.
func descendants(of int) ([]int, error) {
	names, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	children := make(map[int][]int)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // the process has ended
		}
		// The name of the program is in parentheses and may contain any characters.
		_, rest, _ := bytes.Cut(text[bytes.LastIndexByte(text, ')')+1:], []byte(" "))
		fields := bytes.Fields(rest)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(string(fields[1])); err == nil {
			children[parent] = append(children[parent], pid)
		}
	}
	all := children[of]
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all, nil
}

// cpuOf returns the processor time of processes, from CPU clocks with nanoseconds (clock_getcpuclockid(3)).
func cpuOf(processes []int) (time.Duration, error) {
	const sched = 2
	var sum time.Duration
	for _, pid := range processes {
		var now unix.Timespec
		if err := unix.ClockGettime(int32(^pid<<3|sched), &now); err != nil {
			return 0, fmt.Errorf("read the CPU clock of process %d: %w", pid, err)
		}
		sum += time.Duration(now.Nano())
	}
	return sum, nil
}
