package descriptor

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestCloseOnExec(t *testing.T) {
	for name, mark := range map[string]func(){
		"all at once":    CloseOnExec,
		"by the list":    func() { markOpenFiles("/proc/self/fd") },
		"without a list": func() { markOpenFiles("/none/such") },
	} {
		fd, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		mark()
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
			t.Errorf("%s: the flags are %#x, %v", name, flags, err)
		}
		_ = unix.Close(fd)
	}
}
