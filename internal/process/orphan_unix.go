//go:build unix && !linux

package process

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// Birth returns an identifier of a process that no other process has, even with the same number later. It is constant
// while the process lives. The error is ErrNoProcess if the process has ended.
func Birth(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	born := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if born == "" && (err == nil || errors.As(err, &exit)) {
		return "", ErrNoProcess
	}
	return born, err
}

// killMarkedOrphans does nothing: marks can be read on Linux only.
func killMarkedOrphans(context.Context, string) error { return nil }
