//go:build unix

package transport_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process runs. A zombie does not run.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
