package process

import (
	"context"
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
)

// Birth returns an identifier of a process that no other process has, even with the same number later. It is constant
// while the process lives. The error is ErrNoProcess if the process has ended.
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

// killMarkedOrphans does nothing; see endGroup.
func killMarkedOrphans(context.Context, string) error { return nil }
