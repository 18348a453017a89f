package process

import (
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"syscall"
)

const (
	maxAncestors = 32
	// maxInherited is how many bytes of the environment of one ancestor are read: more
	// than Linux lets a program be started with.
	maxInherited = 8 << 20
)

// Ancestors returns the initial environments of the ancestors of this process, the parent first, in the format of
// os.Environ. The sequence ends before process 1, after 32 ancestors, and at the first one that belongs to another
// user or cannot be read. On other systems than Linux it is empty.
func Ancestors() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		child, ok := readStat(os.Getpid())
		if !ok {
			return
		}
		for range maxAncestors {
			if child.parent <= 1 {
				return
			}
			parent, ok := readStat(child.parent)
			if !ok || parent.start > child.start { // the number is another's now
				return
			}
			environ, err := environment(parent.pid)
			if err != nil || !yield(environ) {
				return
			}
			child = parent
		}
	}
}

// environment returns the initial environment of a process of the same user.
func environment(pid int) ([]string, error) {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("process %d is another user's", pid)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxInherited))
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 }), nil
}
