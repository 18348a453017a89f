package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"github.com/dougu-go/dougu/internal/wait"
)

// busyPause is the delay between attempts while a pipe serves another client.
const busyPause = 20 * time.Millisecond

// Dial opens a named pipe for reading and writing. The server cannot impersonate this user.
func Dial(ctx context.Context, path string) (Conn, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const flags = windows.FILE_FLAG_OVERLAPPED | windows.SECURITY_SQOS_PRESENT | windows.SECURITY_ANONYMOUS
	for {
		handle, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING, flags, 0)
		if err == nil {
			return os.NewFile(uintptr(handle), path), nil
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, err
		}
		if err := wait.Sleep(ctx, busyPause); err != nil {
			return nil, err
		}
	}
}

// IsPrivate returns true: other users cannot access a user's profile.
func IsPrivate(fs.FileInfo) bool { return true }

// IsAlive reports whether a process with this id exists.
func IsAlive(pid int) bool {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(process, &code) == nil && code == stillActive
}
