package e2e

import (
	"context"
	"iter"
	"net"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// connect connects this module's client, and closes it when the test ends.
func connect(t *testing.T, tr protocol.Transport, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	client, err := mcp.Connect(ctx, tr, mcp.Implementation{Name: "e2e", Version: "1.0.0"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return client
}

// all reads a list completely and returns the key of each item.
func all[T, K any](t *testing.T, list iter.Seq2[T, error], key func(T) K) []K {
	t.Helper()
	var keys []K
	for item, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key(item))
	}
	return keys
}

// said returns the text of a prompt's first message.
func said(p *mcp.PromptResult) string {
	text, _ := p.Messages[0].Content.(mcp.TextContent)
	return text.Text
}

// receive returns the next value of a channel.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("waited for %s: nothing for %v", what, patience)
		panic("not reached")
	}
}

// freePort returns an unused port whose successor is unused, too, for servers that cannot choose their ports themselves.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		next, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+1)))
		l.Close()
		if err == nil {
			next.Close()
			return strconv.Itoa(port)
		}
	}
	t.Fatal("there are no two free ports in a row")
	panic("not reached")
}

// runServer runs a server of another project until the test ends. It returns when the server listens at address.
func runServer(t *testing.T, cmd *exec.Cmd, address string) {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	says := follow("standard error", stderr)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		says.all(t)
		_ = cmd.Wait()
	})
	for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", address, patience)
		if err == nil {
			conn.Close()
			return
		}
		lines, ended, _ := says.now()
		if ended || time.Now().After(late) {
			t.Fatalf("%s does not listen at %s: %v; it says %q", cmd.Path, address, err, lines)
		}
	}
}
