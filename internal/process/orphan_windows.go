package process

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
)

// Birth tells a process apart from all others that have, had or will have its
// number: what it answers is the same as long as the process lives.
func Birth(pid int) (string, error) {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", errors.Join(ErrNoProcess, err)
	}
	defer func() { _ = windows.CloseHandle(handle) }()
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(handle, &created, &exited, &kernel, &user); err != nil {
		return "", err
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), nil
}

// endGroup does nothing: a job ends with the program that holds it.
func endGroup(int) error { return nil }

// killOld does nothing; see endGroup.
func killOld(context.Context, string) error { return nil }
