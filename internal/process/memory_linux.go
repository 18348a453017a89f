package process

import (
	"bytes"
	"os"
	"strconv"
)

// memory returns the resident memory of the process and its descendants.
func (p *running) memory() (int64, bool) {
	if p.ended() {
		return 0, false
	}
	return residentTree(p.PID(), true)
}

// memory returns the resident memory of all processes below the supervisor, orphans included.
func (p *supervised) memory() (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.supervisor == nil {
		return 0, false
	}
	return residentTree(p.supervisor.process.Pid, false)
}

// residentTree adds up the resident memory of the descendants of a process, in bytes. withRoot adds that of the process itself.
func residentTree(root int, withRoot bool) (int64, bool) {
	below, err := family{root: root}.find()
	if err != nil {
		return 0, false
	}
	var sum int64
	for _, p := range below {
		sum += resident(p.pid)
	}
	if withRoot {
		sum += resident(root)
	}
	return sum, true
}

// resident returns the resident memory of one process in bytes; 0 if the process has ended. See proc(5), statm.
func resident(pid int) int64 {
	text, err := readProc(pid, "statm", 256)
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
