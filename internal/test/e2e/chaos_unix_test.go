//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// TestChaos_Stopped stops server-everything and continues it. Over HTTP the same process responds again; on standard input and
// output the gateway may have started another process.
func TestChaos_Stopped(t *testing.T) {
	t.Parallel()
	peer := foreignServers(t)["server-everything"].server
	peer.start(t)
	t.Cleanup(peer.kill)
	g := chaosGateway(t, &httpclient.Client{URL: peer.url})
	c := mcptest.Connect(t, g, &mcp.ClientOptions{})
	echo := func() (*mcp.ToolResult, time.Duration, error) {
		began := time.Now()
		result, err := c.CallTool(t.Context(), "up_echo", map[string]string{"message": "x"}, nil)
		return result, time.Since(began), err
	}
	if result, _, err := echo(); err != nil || result.IsError {
		t.Fatalf("before: %+v, %v", result, err)
	}
	time.Sleep(100 * time.Millisecond) // the last answer must be older than a call needs
	if err := peer.process().Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		result, took, err := echo()
		if err != nil || !result.IsError || took > failsWithin+slack || !strings.Contains(textOf(result), "nothing was done") {
			t.Errorf("while it is stopped, after %v: %+v, %v", took, result, err)
		}
		t.Logf("after %v: %s", took.Round(time.Millisecond), textOf(result))
	}
	if status := g.Status()[0]; status.State == gateway.Ready {
		t.Errorf("while it is stopped the status is %+v", status)
	}
	if err := peer.process().Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for {
		result, _, err := echo()
		if err == nil && !result.IsError {
			t.Logf("answers %v after it goes on", time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > returnWithin+slack {
			t.Fatalf("%v after it goes on: %+v, %v", time.Since(began), result, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// TestChaos_Children stops and kills a server on standard input and output. The gateway reports the reason of its end.
func TestChaos_Children(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	everything := filepath.Join("node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	pid := filepath.Join(t.TempDir(), "pid")
	// The shell writes its process id and then becomes the server.
	way := transport.Command{Path: "/bin/sh", Args: []string{"-c", `echo $$ > "$1"; exec "$2" "$3" stdio`, "sh", pid, node, everything}}
	g := chaosGateway(t, way)
	c := mcptest.Connect(t, g, &mcp.ClientOptions{})
	for name, signal := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stopped": syscall.SIGSTOP} {
		awaitEcho(t, c, name+", before")
		time.Sleep(100 * time.Millisecond) // the last answer must be older than a call needs
		if err := syscall.Kill(readPID(t, pid), signal); err != nil {
			t.Fatal(err)
		}
		awaitEcho(t, c, name)
	}
}

// TestChaos_LastWords reports how a program ended that does not start again, without its secrets.
func TestChaos_LastWords(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	everything := filepath.Join("node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	pid, broken := filepath.Join(t.TempDir(), "pid"), filepath.Join(t.TempDir(), "broken")
	const script = `test -e "$4" || sh -c 'echo $$ > "$0"; exec "$1" "$2" stdio' "$1" "$2" "$3"
echo "fatal: no database for password=hunter2" >&2
exit 7`
	g := chaosGateway(t, transport.Command{Path: "/bin/sh", Args: []string{"-c", script, "sh", pid, node, everything, broken}})
	c := mcptest.Connect(t, g, &mcp.ClientOptions{})
	awaitEcho(t, c, "before")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(readPID(t, pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	result, err := c.CallTool(t.Context(), "up_echo", map[string]string{"message": "x"}, nil)
	if err != nil || !result.IsError || result.ErrorCode() != "SERVER_UNAVAILABLE" {
		t.Fatalf("the call: %+v, %v", result, err)
	}
	status := g.Status()[0]
	for what, text := range map[string]string{"the error": textOf(result), "the status": status.Reason()} {
		if !strings.Contains(text, "exit code 7 and said last: ") || !strings.Contains(text, "fatal: no database") || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s", what, text)
		}
	}
	if status.LastAnswer.IsZero() || time.Since(status.LastAnswer) > patience {
		t.Errorf("the last answer was at %v", status.LastAnswer)
	}
}

func readPID(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// awaitEcho repeats the call of echo until it succeeds. Each call must end in time.
func awaitEcho(t *testing.T, c *mcp.Client, when string) {
	t.Helper()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		asked := time.Now()
		result, err := c.CallTool(t.Context(), "up_echo", map[string]string{"message": "x"}, nil)
		if took := time.Since(asked); err != nil || result.IsError && took > failsWithin+slack {
			t.Fatalf("%s: after %v %+v, %v", when, took, result, err)
		}
		if !result.IsError {
			t.Logf("%s: answers after %v", when, time.Since(began).Round(time.Millisecond))
			return
		}
		if time.Since(began) > 2*returnWithin+slack { // the time to detect a stopped process
			t.Fatalf("%s: after %v %s", when, time.Since(began), textOf(result))
		}
	}
}
