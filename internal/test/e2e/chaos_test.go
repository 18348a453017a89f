package e2e

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// foreign is a server of another library over HTTP. It has the same address after each restart.
type foreign struct {
	url     string
	address string
	command func() *exec.Cmd

	mu  sync.Mutex
	cmd *exec.Cmd
}

// start starts the server and waits until it listens.
func (f *foreign) start(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cmd = f.command()
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	awaitListener(t, f.address)
}

// awaitListener waits until a server listens at an address.
func awaitListener(t *testing.T, address string) {
	t.Helper()
	for late := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.DialTimeout("tcp", address, patience)
		if err == nil {
			_ = conn.Close()
			return
		}
		if time.Now().After(late) {
			t.Fatalf("nothing listens at %s: %v", address, err)
		}
	}
}

// kill ends the server as a crash does.
func (f *foreign) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cmd != nil {
		_ = f.cmd.Process.Kill()
		_ = f.cmd.Wait() // it was killed
		f.cmd = nil
	}
}

func (f *foreign) process() *os.Process {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cmd.Process
}

// foreignServers returns the servers of other libraries, each with a tool and its arguments.
func foreignServers(t *testing.T) map[string]struct {
	server *foreign
	tool   string
	args   map[string]any
} {
	node := needNode(t)
	everything := filepath.Join("node", "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
	example := filepath.Join("node", "node_modules", "@modelcontextprotocol", "sdk", "dist", "esm", "examples", "server", "simpleStreamableHttp.js")
	at := func(path string, command func(port string) *exec.Cmd) *foreign {
		port := freePort(t)
		return &foreign{url: "http://127.0.0.1:" + port + path, address: "127.0.0.1:" + port, command: func() *exec.Cmd { return command(port) }}
	}
	script := func(path, variable string, args ...string) func(port string) *exec.Cmd {
		return func(port string) *exec.Cmd {
			cmd := exec.Command(node, append([]string{path}, args...)...)
			cmd.Env = append(os.Environ(), variable+"="+port)
			return cmd
		}
	}
	peer := func(name string) func(port string) *exec.Cmd {
		program := sync.OnceValue(func() string { return buildPeer(t, name) })
		return func(port string) *exec.Cmd {
			return exec.Command(program(), "-tools=5", "-fixture", "-sessions", "-http=127.0.0.1:"+port)
		}
	}
	small := map[string]any{"name": "x", "count": 1, "tags": []string{}, "opt": map[string]any{"deep": true, "f": 1.5}}
	type one = struct {
		server *foreign
		tool   string
		args   map[string]any
	}
	return map[string]one{
		"server-everything": {at("/mcp", script(everything, "PORT", "streamableHttp")), "echo", map[string]any{"message": "x"}},
		"SDK example":       {at("/mcp", script(example, "MCP_PORT")), "greet", map[string]any{"name": "x"}},
		"gosdk":             {at("/mcp", peer("gosdk")), "small", small},
		"mcpgo":             {at("/mcp", peer("mcpgo")), "small", small},
	}
}

// Timeouts of responses while a server is stopped, and after its restart.
const (
	failsWithin  = 3 * time.Second
	returnWithin = 5 * time.Second
	// slack is added on a machine that is busy with other tests.
	slack = 2 * time.Second
)

// TestChaos_Restart restarts foreign servers, which lose their sessions, while a client of this module uses them directly and
// through a gateway.
func TestChaos_Restart(t *testing.T) {
	t.Parallel()
	pauses := []time.Duration{100 * time.Millisecond, time.Second}
	if !testing.Short() {
		pauses = append(pauses, 10*time.Second)
	}
	for name, peer := range foreignServers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			peer.server.start(t)
			t.Cleanup(peer.server.kill)
			g := chaosGateway(t, &httpclient.Client{URL: peer.server.url})
			clients := map[string]struct {
				*mcp.Client
				tool string
			}{
				"gateway": {mcptest.Connect(t, g, &mcp.ClientOptions{}), "up_" + peer.tool},
				"client":  {connect(t, &httpclient.Client{URL: peer.server.url}, &mcp.ClientOptions{}), peer.tool},
				"session": {connect(t, &httpclient.Client{URL: peer.server.url}, &mcp.ClientOptions{Revision: protocol.Rev20251125}), peer.tool},
			}
			for who, c := range clients {
				if result, err := c.CallTool(t.Context(), c.tool, peer.args, nil); err != nil || result.IsError {
					t.Fatalf("%s, before: %+v, %v", who, result, err)
				}
			}
			for _, pause := range pauses {
				peer.server.kill()
				back := time.Now().Add(pause)
				for pause > failsWithin && time.Now().Before(back) {
					began := time.Now()
					result, err := clients["gateway"].CallTool(t.Context(), "up_"+peer.tool, peer.args, nil)
					if took := time.Since(began); err != nil || !result.IsError || result.ErrorCode() != "SERVER_UNAVAILABLE" || took > failsWithin+slack {
						t.Errorf("while it is away, after %v: %+v, %v", took, result, err)
					}
					if state := g.Status()[0].State; state == gateway.Ready {
						t.Error("while calls fail the server is said to be ready")
					}
					time.Sleep(200 * time.Millisecond)
				}
				time.Sleep(time.Until(back))
				peer.server.start(t)
				for who, c := range clients {
					began := time.Now()
					for {
						result, err := c.CallTool(t.Context(), c.tool, peer.args, nil)
						if err == nil && !result.IsError {
							t.Logf("%s, away for %v: answers after %v", who, pause, time.Since(began).Round(time.Millisecond))
							break
						}
						if time.Since(began) > returnWithin+slack {
							t.Fatalf("%s, away for %v: after %v %+v, %v", who, pause, time.Since(began), result, err)
						}
						time.Sleep(100 * time.Millisecond)
					}
				}
			}
		})
	}
}

// chaosGateway returns a gateway with one upstream, "up".
func chaosGateway(t *testing.T, way protocol.Transport) *gateway.Gateway {
	t.Helper()
	g, err := gateway.New(gateway.Options{ListTimeout: patience}, gateway.Upstream{Name: "up", Connect: gateway.Always(way)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("closing the gateway: %v", err)
		}
	})
	return g
}

// TestChaos_BrokenStream breaks the connection during a call.
func TestChaos_BrokenStream(t *testing.T) {
	t.Parallel()
	peer := foreignServers(t)["server-everything"].server
	peer.start(t)
	t.Cleanup(peer.kill)
	args := map[string]any{"duration": 60, "steps": 60}
	g := chaosGateway(t, &httpclient.Client{URL: peer.url})
	for who, c := range map[string]struct {
		*mcp.Client
		tool string
	}{
		"gateway": {mcptest.Connect(t, g, &mcp.ClientOptions{}), "up_trigger-long-running-operation"},
		"client":  {connect(t, &httpclient.Client{URL: peer.url}, &mcp.ClientOptions{}), "trigger-long-running-operation"},
	} {
		began := make(chan struct{})
		var once sync.Once
		var cut time.Time
		done := make(chan struct{})
		go func() {
			defer close(done)
			<-began
			cut = time.Now()
			peer.kill()
		}()
		result, err := c.CallTool(t.Context(), c.tool, args, &mcp.CallOptions{OnProgress: func(protocol.ProgressNotification) { once.Do(func() { close(began) }) }})
		once.Do(func() { close(began) })
		<-done
		took := time.Since(cut)
		told := errors.Is(err, transport.ErrRequestLost)
		if who == "gateway" {
			told = err == nil && result.IsError && strings.Contains(textOf(result), "may have taken effect")
		}
		if !told || took > failsWithin+slack {
			t.Errorf("%s: %v after the cut %+v, %v", who, took, result, err)
		}
		t.Logf("%s: the call ended %v after the cut", who, took.Round(time.Millisecond))
		peer.start(t)
	}
}

// textOf returns the text of a result.
func textOf(r *mcp.ToolResult) string {
	var text strings.Builder
	for _, block := range r.Blocks() {
		if t, ok := block.(mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	return text.String()
}
