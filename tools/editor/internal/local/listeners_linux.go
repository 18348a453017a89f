package local

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// Listeners finds the Unix sockets on which the processes of a program listen, wherever they are. It is not safe for concurrent use.
type Listeners struct {
	// Program is the name of the processes, at most 15 bytes.
	Program string

	known map[string]bool // by the inode of a listening socket: whether it belongs to the program
}

// Paths returns the absolute paths of the sockets; those of processes that this user may not inspect are missing. Processes are
// examined only after new sockets have appeared.
func (l *Listeners) Paths() []string {
	sockets := listeningSockets()
	known := make(map[string]bool, len(sockets))
	isNew := false
	for inode := range sockets {
		of, ok := l.known[inode]
		known[inode] = of
		isNew = isNew || !ok
	}
	if isNew {
		for inode := range l.socketsOfProgram() {
			if _, listens := sockets[inode]; listens {
				known[inode] = true
			}
		}
	}
	l.known = known
	var paths []string
	for inode, path := range sockets {
		if known[inode] {
			paths = append(paths, path)
		}
	}
	return paths
}

// listeningSockets returns the absolute paths of listening stream sockets by inode; see unix(7) for the format.
func listeningSockets() map[string]string {
	f, err := os.Open("/proc/net/unix")
	if err != nil {
		return nil
	}
	defer f.Close()
	const accepts, stream = "00010000", "0001"
	sockets := make(map[string]string)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.SplitN(lines.Text(), " ", 7) // address, references, protocol, flags, type, state; inode and path
		if len(fields) < 7 || fields[3] != accepts || fields[4] != stream {
			continue
		}
		inode, path, _ := strings.Cut(strings.TrimLeft(fields[6], " "), " ") // a path can have blanks
		if filepath.IsAbs(path) {
			sockets[inode] = path
		}
	}
	return sockets
}

// socketsOfProgram returns the inodes of the sockets that processes of the program have open.
func (l *Listeners) socketsOfProgram() map[string]bool {
	inodes := make(map[string]bool)
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		name, err := os.ReadFile(process + "/comm")
		if err != nil || string(bytes.TrimSuffix(name, []byte("\n"))) != l.Program {
			continue
		}
		for _, target := range descriptors(process) {
			if inode, ok := strings.CutPrefix(target, "socket:["); ok {
				inodes[strings.TrimSuffix(inode, "]")] = true
			}
		}
	}
	return inodes
}
