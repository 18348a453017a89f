package app_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// The log says that the server is ready after its listeners are open, and not if one cannot be.
func TestServe_ReadyAfterListening(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	stderr, ended := new(apptest.Output), make(chan struct{})
	var running group.Group
	running.Go(func() {
		defer close(ended)
		program(strings.NewReader(""), io.Discard, stderr).Run(ctx, []string{"-http", "127.0.0.1:0", "-log-level", "info"})
	})
	if !stderr.Await(`msg="server ready" tools=1`, ended) {
		t.Errorf("the program logged\n%s", stderr)
	}
	before, _, _ := strings.Cut(stderr.String(), `msg="server ready"`)
	apptest.Contains(t, before, "prog 1.2.3 serves http://127.0.0.1:")
	cancel()
	running.Wait()
}

func TestServe_NotReadyWithoutListener(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	stderr := new(apptest.Output)
	code := program(strings.NewReader(""), io.Discard, stderr).Run(t.Context(), []string{"-http", taken.Addr().String(), "-log-level", "info"})
	if code != 1 || strings.Contains(stderr.String(), "server ready") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// On a terminal the server says how to connect a client.
func TestServe_TerminalBanner(t *testing.T) {
	ours, theirs, err := pty.Size{Rows: 40, Columns: 100}.Open()
	if errors.Is(err, pty.ErrNoTerminal) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	stderr, ended := new(apptest.Output), make(chan struct{})
	var running group.Group
	code := -1
	running.Go(func() {
		defer close(ended)
		server := program(nil, io.Discard, stderr)
		server.Stdin, server.Environment = theirs, &app.Environment{GOOS: "linux", Home: t.TempDir()}
		code = server.Run(t.Context(), nil)
	})
	if !stderr.Await("Waiting for messages", ended) {
		t.Errorf("the program wrote\n%s", stderr)
	}
	if _, err := ours.WriteString("\x04"); err != nil { // the end of the input
		t.Error(err)
	}
	running.Wait()
	if err := ours.Close(); err != nil { // the server has closed the other side
		t.Error(err)
	}
	apptest.Contains(t, stderr.String(), `"prog install CLIENT"`, `"prog install cursor"`, `"mcpServers"`)
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}
