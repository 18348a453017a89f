package conformance

import (
	"bufio"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/test/programs"
)

// patience is the timeout of all waiting. It is reached only if a process hangs.
const patience = time.Minute

var builder programs.Builder

func TestMain(m *testing.M) { builder.Main(m) }

// address matches the URL in the log of a listening program.
var address = regexp.MustCompile(`http://\S+`)

// start starts a server in a directory of its own and returns the URL that it logs, once its port is open. The server must exit
// without an error at the end of the test.
func start(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = t.TempDir()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	named, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if at := address.FindString(lines.Text()); at != "" {
				select {
				case named <- at:
				default:
				}
			}
		}
	}()
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("ending %s: %v", program, err)
		}
		select {
		case <-ended:
		case <-time.After(patience):
			t.Errorf("%s has not ended after %v", program, patience)
			_ = cmd.Process.Kill()
			<-ended
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", program, err)
		}
	})
	select {
	case at := <-named:
		waitForPort(t, at)
		return at
	case <-ended:
		t.Fatalf("%s has ended without naming its address", program)
	case <-time.After(patience):
		t.Fatalf("%s has not named its address after %v", program, patience)
	}
	return ""
}

// waitForPort waits until a port is open. It sends no request, because that would open an endless stream.
func waitForPort(t *testing.T, at string) {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", u.Host, patience)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(late) {
			t.Fatalf("nobody listens at %s: %v", at, err)
		}
	}
}
