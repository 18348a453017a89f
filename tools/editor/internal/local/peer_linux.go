package local

import (
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// PeerPID returns the process that listens at the other end of a Unix socket, or 0 if it is not known. It is known on Linux only.
func PeerPID(conn io.ReadWriteCloser) int {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	var peer *syscall.Ucred
	if raw.Control(func(fd uintptr) {
		peer, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}) != nil || err != nil {
		return 0
	}
	return int(peer.Pid)
}

// Arguments returns the arguments of a process without its name, or nil if they are not known. They are known on Linux only.
func Arguments(pid int) []string {
	if pid <= 0 {
		return nil
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(line), "\x00")
	return strings.Split(strings.TrimSuffix(rest, "\x00"), "\x00")
}

// maxOpenFiles limits the open files of a process that are examined.
const maxOpenFiles = 4096

// OpenFiles returns paths of files that a process has open, or nil if they are not known. They are known on Linux only.
func OpenFiles(pid int) []string {
	if pid <= 0 {
		return nil
	}
	var paths []string
	for _, target := range descriptors("/proc/" + strconv.Itoa(pid)) {
		if strings.HasPrefix(target, "/") { // a socket or a pipe has no absolute path
			paths = append(paths, target)
		}
	}
	return paths
}

// descriptors returns the targets of the descriptors of a process, by its directory in /proc.
func descriptors(process string) []string {
	dir, err := os.Open(process + "/fd")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxOpenFiles) // an error ends the list
	var targets []string
	for _, name := range names {
		if target, err := os.Readlink(dir.Name() + "/" + name); err == nil {
			targets = append(targets, target)
		}
	}
	return targets
}

// WorkingDir returns the working directory of a process, or "" if it is not known. It is known on Linux only.
func WorkingDir(pid int) string {
	if pid <= 0 {
		return ""
	}
	dir, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	if err != nil {
		return ""
	}
	return dir
}
