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

// Ancestors are the environments of the processes that this one descends from, its
// parent first, as os.Environ has them: those that they were started with. They end
// before process 1, after 32, and at the first that is another user's or cannot be
// read. Only Linux knows any.
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

// environment is what a process of the same user was started with.
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
