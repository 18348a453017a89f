package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
)

const (
	maxProcesses = 1 << 16 // that are looked at
	maxEnviron   = 1 << 20 // bytes of one environment that are read
)

// family is a set of processes: the ones with the token in the environment and their descendants. If root is not 0,
// the descendants of root and the members of its session belong to it, too, while root is alive.
type family struct {
	root  int
	token string
	old   bool // it may be older than this program
	// except are processes that do not belong to it, and neither do their descendants.
	except map[int]bool
}

// procStat are the fields of /proc/PID/stat that this package uses.
type procStat struct {
	pid, parent, session int
	state                byte
	kernel               bool   // it is a thread of the kernel
	start                uint64 // in clock ticks since the system was started
}

// find returns the living processes of the family without root.
func (f family) find() ([]procStat, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	me, _ := readStat(os.Getpid())
	member := make(map[int]bool)
	var open []procStat
	for _, p := range all {
		if f.except[p.pid] {
			continue
		}
		if f.root != 0 && (p.parent == f.root || p.session == f.root) || (f.old || p.start >= me.start) && f.marks(p.pid) { // descendants of this program are younger
			member[p.pid] = true
		} else {
			open = append(open, p)
		}
	}
	for grown := true; grown; { // children may come before their parents
		grown = false
		rest := open[:0]
		for _, p := range open {
			if member[p.parent] {
				member[p.pid], grown = true, true
			} else {
				rest = append(rest, p)
			}
		}
		open = rest
	}
	found := all[:0]
	for _, p := range all {
		if member[p.pid] && p.pid != f.root && p.pid != me.pid && p.state != 'Z' && p.state != 'X' {
			found = append(found, p)
		}
	}
	return found, nil
}

// processes lists all processes that are not the kernel's own.
func processes() ([]procStat, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer dir.Close()
	var all []procStat
	for len(all) < maxProcesses {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			pid, err := strconv.Atoi(name)
			if err != nil {
				continue
			}
			if p, ok := readStat(pid); ok && !p.kernel {
				all = append(all, p)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return all, fmt.Errorf("listing processes: %w", err)
		}
	}
	return all, nil
}

// readStat reads /proc/PID/stat; see proc(5). It returns false for a process that does not exist.
func readStat(pid int) (procStat, bool) {
	text, err := readProc(pid, "stat", 4096)
	if err != nil {
		return procStat{}, false
	}
	// The second field is a name in parentheses, which may hold anything.
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return procStat{}, false
	}
	fields := bytes.Fields(text[end+1:])
	const state, parent, session, flags, start = 0, 1, 3, 6, 19 // after the name
	if len(fields) <= start {
		return procStat{}, false
	}
	p := procStat{pid: pid, state: fields[state][0]}
	p.parent, _ = strconv.Atoi(string(fields[parent]))
	p.session, _ = strconv.Atoi(string(fields[session]))
	bits, _ := strconv.ParseUint(string(fields[flags]), 10, 64)
	const kernelThread = 0x00200000 // PF_KTHREAD of linux/sched.h
	p.kernel = bits&kernelThread != 0
	p.start, err = strconv.ParseUint(string(fields[start]), 10, 64)
	return p, err == nil
}

// marks reports whether a process has the token in the environment that it was
// started with. That of other users cannot be read, and is not ours.
func (f family) marks(pid int) bool {
	if f.token == "" {
		return false
	}
	environ, err := readProc(pid, "environ", maxEnviron)
	if err != nil {
		return false
	}
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(variable, []byte(Variable+"=")); ok {
			return bytes.Contains(value, []byte(f.token))
		}
	}
	return false
}

func readProc(pid int, name string, most int64) ([]byte, error) {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/" + name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}
