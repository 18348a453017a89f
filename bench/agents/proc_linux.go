package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is the information of /proc/PID/stat.
type process struct {
	pid, parent int
	state       string
	threads     int
	children    time.Duration // processor time of ended children
}

// processes returns all processes of the machine.
func processes() ([]process, error) {
	names, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil {
			continue
		}
		if p, err := processOf(pid); err == nil { // the process may have ended
			all = append(all, p)
		}
	}
	return all, nil
}

func processOf(pid int) (process, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, err
	}
	_, rest, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')'):]), " ")
	fields := strings.Fields(rest) // fields from the third on
	if len(fields) < 18 {
		return process{}, fmt.Errorf("the state of process %d is %q", pid, stat)
	}
	number := func(field int) int { n, _ := strconv.Atoi(fields[field-3]); return n }
	const tick = 10 * time.Millisecond
	return process{pid: pid, parent: number(4), state: fields[0], threads: number(20), children: time.Duration(number(16)+number(17)) * tick}, nil
}

// look counts the resources of a server.
func (h *holding) look(s *server) error {
	*h = holding{goroutines: h.goroutines, made: h.made}
	all, err := processes()
	if err != nil {
		return err
	}
	for _, p := range all {
		switch {
		case p.pid == s.pid:
			h.threads = p.threads
			continue
		case p.parent == s.pid && p.state == "Z":
			h.zombies++
		case p.parent == s.pid:
			h.children++
		}
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
		if err == nil && bytes.Contains(environ, []byte(s.mark)) {
			h.strangers++
		}
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.pid))
	if err != nil {
		return err
	}
	h.files = len(files)
	h.resident, _, err = s.Resident()
	return err
}

// childrenTime returns the processor time of a process's ended children.
func childrenTime(pid int) (time.Duration, error) {
	p, err := processOf(pid)
	return p.children, err
}

// over reports whether a process is a zombie.
func over(pid int) bool {
	p, err := processOf(pid)
	return err != nil || p.state == "Z"
}
