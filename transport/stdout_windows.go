package transport

import (
	"os"

	"golang.org/x/sys/windows"
)

// claimStdout returns standard output. For this process and its children,
// standard output becomes standard error.
func claimStdout() (*os.File, error) {
	out := os.Stdout
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, os.NewSyscallError("SetStdHandle", err)
	}
	os.Stdout = os.Stderr
	return out, nil
}

// catchSIGPIPE does nothing. On Windows a broken pipe is an error of the write.
func catchSIGPIPE() {}
