package localuser

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// dialVariable makes the test program a client, which tells whether it was greeted.
const dialVariable = "DOUGU_TEST_DIAL"

func TestMain(m *testing.M) {
	if address := os.Getenv(dialVariable); address != "" {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			os.Stdout.WriteString(err.Error())
			os.Exit(1)
		}
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		greeting, _ := io.ReadAll(conn)
		os.Stdout.Write(greeting)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// greet serves connections with a word, and returns the address and the log.
func greet(t *testing.T, network, at string) (address string, log *bytes.Buffer) {
	t.Helper()
	inner, err := net.Listen(network, at)
	testrequire.Thing(t, err == nil, at, "enable IPv6 on the loopback interface")
	log = new(bytes.Buffer)
	l := Listen(inner, slog.New(slog.NewTextHandler(log, nil)))
	if l == inner {
		t.Fatal("the kernel does not tell the users of connections")
	}
	var serving group.Group
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "hello")
			conn.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		serving.Wait()
	})
	return l.Addr().String(), log
}

func TestListen_AcceptsTheSameUser(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		address, log := greet(t, "tcp", at)
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(conn)
		if string(got) != "hello" || err != nil {
			t.Errorf("%s: read %q, %v; log: %s", at, got, err, log)
		}
		conn.Close()
	}
}

func TestListen_RefusesOtherUsers(t *testing.T) {
	testrequire.Thing(t, os.Geteuid() == 0, "the rights of root", "run the tests as root, which can start a program as another user")
	address, log := greet(t, "tcp", "127.0.0.1:0")
	program := "/proc/self/exe"
	for _, test := range []struct {
		uid  uint32
		want string
	}{{65534, ""}, {0, "hello"}} {
		cmd := exec.Command(program)
		cmd.Env = []string{dialVariable + "=" + address}
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: test.uid, Gid: test.uid}}
		cmd.Dir = "/"
		got, err := cmd.Output()
		if string(got) != test.want || err != nil {
			t.Errorf("user %d: read %q, %v", test.uid, got, err)
		}
	}
	if !strings.Contains(log.String(), "belongs to the user 65534") {
		t.Errorf("the log has %q", log)
	}
}

func TestListen_LeavesOtherAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if Listen(l, slog.New(slog.DiscardHandler)) != l {
		t.Error("a listener on all addresses is changed")
	}
}

func TestParse(t *testing.T) {
	const row = "   1: 0100007F:1F90 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0000000000000000 20 4 30 10 -1"
	s, ok := parse(row)
	want := socket{local: netip.MustParseAddrPort("127.0.0.1:8080"), remote: netip.MustParseAddrPort("127.0.0.1:54321"), uid: 1000}
	if !ok || s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if s, ok := parse(strings.Replace(row, "4242", "0", 1)); !ok || !s.orphan {
		t.Errorf("an orphan is %+v", s)
	}
	six := strings.ReplaceAll(row, "0100007F", "00000000000000000000000001000000")
	if s, ok := parse(six); !ok || s.local != netip.MustParseAddrPort("[::1]:8080") {
		t.Errorf("IPv6 is %+v", s)
	}
	for _, bad := range []string{"", "a b c", strings.Replace(row, "0100007F", "xx", 1), strings.Replace(row, "1F90", "1F901F", 1)} {
		if _, ok := parse(bad); ok {
			t.Errorf("%q is read", bad)
		}
	}
}
