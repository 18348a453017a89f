package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// The test binary is a server if this variable is set. The value selects the server.
const serverVariable = "DOUGU_TEST_SERVER"

func TestMain(m *testing.M) {
	process.Supervise()
	if kind := os.Getenv(serverVariable); kind != "" {
		serveAs(kind)
		return
	}
	testleak.Main(m)
}

func serveAs(kind string) {
	switch kind {
	case "modern":
		srv := mcp.NewServer(mcp.Implementation{Name: "child", Version: "1"}, nil)
		err := mcp.AddTool(srv, mcp.Tool{Name: "noise"}, func(context.Context, struct{}) (string, error) {
			fmt.Println("printed to standard output")
			_, _ = os.Stdout.WriteString("written to standard output\n")
			child := exec.Command("echo", "echoed by a child")
			child.Stdout = os.Stdout
			return "quiet", child.Run()
		})
		if err == nil {
			err = transport.Serve(context.Background(), srv, transport.Stdio{})
		}
		if err != nil {
			log.Fatal(err)
		}
	case "dies":
		// An old server that ends when it does not understand a message.
		newNetLines := bufio.NewScanner(os.Stdin)
		for newNetLines.Scan() {
			switch text := newNetLines.Text(); {
			case strings.Contains(text, "server/discover"):
				os.Exit(3)
			case strings.Contains(text, `"initialize"`):
				fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"touchy","version":"1"}}}`)
			}
		}
	case "crashes":
		// A server that ends with a reason: at once, or in the middle of a call.
		if os.Getenv(serverVariable+"_LATE") != "" {
			newNetLines := bufio.NewScanner(os.Stdin)
			newNetLines.Scan()
			fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`)
			newNetLines.Scan()
		}
		fmt.Fprint(os.Stderr, "reading the settings\n\ndatabase.example: no such host\n")
		os.Exit(7)
	case "silent":
		// A program that is no server: it reads and says nothing, also at the end of its input.
		fmt.Fprintln(os.Stderr, "waiting for the database")
		_, _ = io.Copy(io.Discard, os.Stdin)
		time.Sleep(time.Hour)
	case "greets":
		// A server that answers only the first request.
		newNetLines := bufio.NewScanner(os.Stdin)
		newNetLines.Scan()
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "stubborn":
		// A server that does not end with its input, with a child of its own.
		child := exec.Command("sleep", "600")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			log.Fatal(err)
		}
		fmt.Fprintf(os.Stderr, "child %d\n", child.Process.Pid)
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // an answer must not come before its request
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private"}}`)
		for {
			time.Sleep(time.Hour)
		}
	}
}

// self runs the test binary as a server with a long Grace.
func self(kind string, stderr func(string)) transport.Command {
	return transport.Command{Path: os.Args[0], Env: []string{serverVariable + "=" + kind}, Stderr: stderr, Grace: time.Minute, Options: quiet}
}

// lineLog collects lines of standard error.
type lineLog struct {
	mu          sync.Mutex
	newNetLines []string
}

func (l *lineLog) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.newNetLines = append(l.newNetLines, line)
}

func (l *lineLog) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.newNetLines, "\n")
}

func TestCommand_Calls(t *testing.T) {
	var stderr lineLog
	client, err := mcp.Connect(t.Context(), self("modern", stderr.add), mcp.Implementation{Name: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := mcp.Call[string](t.Context(), client, "noise", nil); err != nil || text != "quiet" {
		t.Errorf("noise: %q, %v", text, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	for _, want := range []string{"printed to standard output", "written to standard output", "echoed by a child"} {
		if !strings.Contains(stderr.text(), want) {
			t.Errorf("%q did not arrive on standard error:\n%s", want, stderr.text())
		}
	}
	select {
	case <-client.Done():
	default:
		t.Error("the connection is not done after Close")
	}
}

// The time limit of a client ends the connection to a silent child, and a call to one, on time. The
// child is ended. Only the lower bounds of the times are checked exactly.
func TestCommand_SilentServer(t *testing.T) {
	for name, tc := range map[string]struct {
		kind     string
		revision protocol.Revision
		calls    bool
		method   string
	}{
		"a connection":        {kind: "silent", method: "initialize"},
		"of the newest":       {kind: "silent", revision: protocol.Latest, method: "server/discover"},
		"of an older one":     {kind: "silent", revision: protocol.Rev20251125, method: "initialize"},
		"a call":              {kind: "greets", calls: true, method: "tools/call"},
		"a deaf child's call": {kind: "greets", revision: protocol.Latest, calls: true, method: "tools/call"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const limit = 400 * time.Millisecond
			command := self(tc.kind, nil)
			opts := &mcp.ClientOptions{Timeout: limit, Revision: tc.revision}
			if tc.calls {
				opts.Timeout = time.Minute
			}
			start := time.Now()
			client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "c", Version: "1"}, opts)
			if tc.calls {
				if err != nil {
					t.Fatal(err)
				}
				start = time.Now()
				_, err = client.CallTool(t.Context(), "any", nil, &mcp.CallOptions{Timeout: limit})
			}
			took := time.Since(start)
			var late *mcp.TimeoutError
			if !errors.As(err, &late) || late.Method != tc.method || late.After != limit {
				t.Errorf("the error is %v", err)
			}
			if tc.kind == "silent" && !strings.Contains(err.Error(), "the server said last: waiting for the database") {
				t.Errorf("the error does not have the last lines: %v", err)
			}
			// Far less than the grace of the command, which is a minute, and than the probe of 5 s with the limit.
			if took < limit || took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			if tc.calls {
				_ = client.Close()
			}
		})
	}
}

// Errors contain the exit code and the last lines of a server that ends by itself.
func TestCommand_ServerThatCrashes(t *testing.T) {
	const want = "the server has ended with exit code 7 and said last: reading the settings | database.example: no such host"
	_, err := mcp.Connect(t.Context(), self("crashes", nil), mcp.Implementation{Name: "test"}, nil)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("connecting: %v", err)
	}
	late := self("crashes", nil)
	late.Env = append(late.Env, serverVariable+"_LATE=1")
	client, err := mcp.Connect(t.Context(), late, mcp.Implementation{Name: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mcp.Call[string](t.Context(), client, "noise", nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a call: %v", err)
	}
	_ = client.Close()
	conn, err := late.Connect(t.Context(), &protocol.Host{Info: mcp.Implementation{Name: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	ender := conn.(protocol.Ender)
	if err := ender.Err(); err != nil {
		t.Errorf("while it lasts: %v", err)
	}
	_, _ = conn.Dispatch(t.Context(), &protocol.Request{Method: "tools/call", Params: []byte(`{"name":"noise","arguments":{}}`)})
	<-conn.Done()
	if err := ender.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("once it has ended: %v", err)
	}
	_ = conn.Close()
}

func TestCommand_ServerEndsOnProbe(t *testing.T) {
	client, err := mcp.Connect(t.Context(), self("dies", nil), mcp.Implementation{Name: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if client.Server().Server.Name != "touchy" || client.Revision() != protocol.Rev20251125 {
		t.Errorf("connected at %s to %+v", client.Revision(), client.Server())
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

func TestCommand_StubbornServer(t *testing.T) {
	if _, err := exec.LookPath("sleep"); err != nil {
		t.Skip("there is no sleep command")
	}
	var stderr lineLog
	command := self("stubborn", stderr.add)
	command.Grace = 300 * time.Millisecond
	client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	var pid int
	if _, err := fmt.Sscanf(stderr.text(), "child %d", &pid); err != nil {
		t.Fatalf("no child was named: %q", stderr.text())
	}
	for late := time.Now().Add(time.Minute); alive(pid); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("process %d, a child of the server, still runs", pid)
		}
	}
}

func TestCommand_UnknownProgram(t *testing.T) {
	_, err := mcp.Connect(t.Context(), transport.Command{Path: "/none/such", Options: quiet}, mcp.Implementation{Name: "test"}, nil)
	if err == nil || !strings.Contains(err.Error(), "/none/such") {
		t.Errorf("connecting: %v", err)
	}
}

func TestServeListener_Networks(t *testing.T) {
	for _, tc := range []struct{ network, address string }{
		{"tcp", "127.0.0.1:0"},
		{"unix", filepath.Join(t.TempDir(), "s")},
	} {
		t.Run(tc.network, func(t *testing.T) {
			l, err := net.Listen(tc.network, tc.address)
			if err != nil {
				t.Skipf("listening on %s: %v", tc.network, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- transport.ServeListener(ctx, fixture(t), l, quiet) }()
			dial := transport.Dial{Network: tc.network, Address: l.Addr().String(), Options: quiet}
			for range 3 {
				client, err := mcp.Connect(t.Context(), dial, mcp.Implementation{Name: "test"}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if text, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "net"}); err != nil || text != "Hello, net" {
					t.Errorf("greet: %q, %v", text, err)
				}
				if err := client.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
			}
			open, err := mcp.Connect(t.Context(), dial, mcp.Implementation{Name: "test"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("serving: %v", err)
			}
			<-open.Done()
			if _, err := mcp.Call[string](t.Context(), open, "greet", person{Name: "x"}); err == nil {
				t.Error("a call on a connection that has ended succeeded")
			}
			_ = open.Close()
			// Another process may have the address by now: connecting to it says
			// nothing.
			if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
				t.Errorf("the listener is still there: %v", err)
			}
		})
	}
}

// brokenListener fails to accept.
type brokenListener struct{ net.Listener }

func (brokenListener) Accept() (net.Conn, error) { return nil, errors.New("no more files") }
func (brokenListener) Close() error              { return nil }

func TestServeListener_AcceptError(t *testing.T) {
	err := transport.ServeListener(t.Context(), fixture(t), brokenListener{}, quiet)
	if err == nil || !strings.Contains(err.Error(), "no more files") {
		t.Errorf("serving: %v", err)
	}
}

func TestConnect_ContextEndsLater(t *testing.T) {
	client := dial(t, mcp.NewServer(mcp.Implementation{Name: "empty"}, nil), nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if _, err := client.CallTool(ctx, "x", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call without time: %v", err)
	}
	if _, err := client.CallTool(t.Context(), "x", func() {}, nil); err == nil {
		t.Error("arguments that are no JSON were sent")
	}
	for _, err := range client.Tools(t.Context()) {
		if err == nil || !strings.Contains(err.Error(), "tools/list") {
			t.Errorf("listing what does not exist: %v", err)
		}
	}
}
