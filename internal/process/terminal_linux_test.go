package process_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/process"
)

// terminal returns a function for CaptureOptions.Terminal, which opens a pseudo-terminal of that size.
func terminal(rows, columns uint16) func() (ours, theirs *os.File, err error) {
	return func() (ours, theirs *os.File, err error) {
		ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return nil, nil, err
		}
		conn, err := ours.SyscallConn()
		if err != nil {
			return nil, nil, errors.Join(err, ours.Close())
		}
		var number uint32
		var failed error
		err = conn.Control(func(fd uintptr) {
			failed = errors.Join(unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}))
			if failed == nil {
				number, failed = unix.IoctlGetUint32(int(fd), unix.TIOCGPTN)
			}
		})
		if err := errors.Join(err, failed); err != nil {
			return nil, nil, errors.Join(err, ours.Close())
		}
		theirs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return nil, nil, errors.Join(err, ours.Close())
		}
		return ours, theirs, nil
	}
}

func TestCapture_Terminal(t *testing.T) {
	w := capture(t, `test -t 0 && test -t 1 && stty size; printf 'name? '; read name; echo "hello $name"; cat >/dev/null; echo bye`,
		process.CaptureOptions{Terminal: terminal(31, 117)})
	if got := w.await(t, "name? "); got != "31 117\r\nname? " {
		t.Errorf("it said %q", got)
	}
	if _, err := w.Write([]byte("you\n")); err != nil {
		t.Fatal(err)
	}
	w.await(t, "hello you\r\n")
	if err := w.CloseInput(); err != nil {
		t.Fatal(err)
	}
	w.await(t, "bye\r\n")
	wait(t, w.Ended())
	if got := w.Exit(); got != (process.Exit{}) {
		t.Errorf("it ended with %+v", got)
	}
}

// The key ^C reaches the process in the foreground of the terminal.
func TestCapture_TerminalInterrupt(t *testing.T) {
	w := capture(t, `trap 'echo caught; exit 5' INT; echo ready; while read x; do :; done`, process.CaptureOptions{Terminal: terminal(24, 80)})
	w.await(t, "ready")
	if _, err := w.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	wait(t, w.Ended())
	if got := w.Exit(); got.Code != 5 {
		t.Errorf("it ended with %+v and said %q", got, w.text(process.Stdout))
	}
}
