package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Conceal keeps other processes of the same user, also the commands that this program runs, from reading its environment
// and its memory in /proc and from tracing it. Root still can. The program leaves no core dumps then. It holds for this
// program alone, not for its children.
func Conceal() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("conceal the memory of this program: %w", err)
	}
	return nil
}
