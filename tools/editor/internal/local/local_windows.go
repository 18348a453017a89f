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

// busyPause is how long to wait for a pipe that takes one caller at a time.
const busyPause = 20 * time.Millisecond

// Dial opens a named pipe so that it can be read and written at once. The other side does not get to act as this user.
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

// IsPrivate is always true: the profile of a user belongs to that user.
func IsPrivate(fs.FileInfo) bool { return true }
