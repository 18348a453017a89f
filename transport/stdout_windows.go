package transport

import (
	"os"

	"golang.org/x/sys/windows"
)

// claimStdout returns the real standard output and leaves standard error in its
// place, for this process and the children that inherit it.
func claimStdout() (*os.File, error) {
	out := os.Stdout
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, os.NewSyscallError("SetStdHandle", err)
	}
	os.Stdout = os.Stderr
	return out, nil
}

// surviveClosedStderr does nothing: a broken pipe is an error here.
func surviveClosedStderr() {}
