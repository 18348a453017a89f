package driver

import (
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMeasure_Holds(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("memory is known on Linux alone")
	}
	all, err := holds(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range Servers() {
		t.Run(server.Name, func(t *testing.T) {
			t.Parallel()
			const held = 50
			report, err := Measure(t.Context(), []Binary{built(t, server)}, Holds(), Options{Held: held, Tools: 3, Calm: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			for _, hold := range all {
				h := report.Holding(hold.name, server.Name)
				if takesPart := slices.Contains(hold.servers, server.Name); takesPart != (h != nil) {
					t.Errorf("%s: takes part %t, got %+v", hold.name, takesPart, h)
				}
				if h == nil {
					continue
				}
				if h.Count != held/hold.share || h.Answer <= 0 || h.Before.RSS <= 0 || h.Full <= 0 || h.During.Heap <= 0 || h.After.Stack <= 0 {
					t.Errorf("%s: got %+v", hold.name, h)
				}
				if h.Refused > 0 && hold.name != HalfOpen { // a server may close half-open connections
					t.Errorf("%s: the server has closed %d of %d", hold.name, h.Refused, h.Count)
				}
			}
		})
	}
}

func TestMeasure_OpenFilesLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("limits are known on Linux alone")
	}
	_, err := Measure(t.Context(), nil, []string{Listens}, Options{Held: 1 << 31})
	if err == nil || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("got %v, want advice", err)
	}
}

func TestHold_OpenFails(t *testing.T) {
	t.Parallel()
	u := posting(t, echoPost) // serves no sessions, streams or sockets
	all, err := holds(3)
	if err != nil {
		t.Fatal(err)
	}
	for _, hold := range all {
		if hold.name == HalfOpen {
			continue // every server can have them
		}
		if _, err := hold.open(t.Context(), u, 20); err == nil || !strings.Contains(err.Error(), "of 20") {
			t.Errorf("%s: got %v, want an error that says which could not be opened", hold.name, err)
		}
	}
}

func TestHold_ConnectionsClosed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("it is known on Linux alone")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if hungUp(client) {
		t.Error("an open connection is said to be closed")
	}
	io.WriteString(server, "goodbye")
	server.Close()
	deadline := time.Now().Add(10 * time.Second)
	for !hungUp(client) && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if !hungUp(client) {
		t.Error("a closed connection with something left to read is said to be open")
	}
}
