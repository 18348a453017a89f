//go:build unix && !linux

package process

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// Birth tells a process apart from all others that have, had or will have its
// number: what it answers is the same as long as the process lives.
func Birth(pid int) (string, error) {
	out, err := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid)).Output()
	born := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if born == "" && (err == nil || errors.As(err, &exit)) {
		return "", ErrNoProcess
	}
	return born, err
}

// killOld does nothing: only Linux knows who has a mark.
func killOld(context.Context, string) error { return nil }
