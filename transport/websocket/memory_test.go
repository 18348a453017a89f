package websocket_test

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/transport/websocket"
)

// The test binary opens connections to the server that this names and holds
// them, when it is set.
const holdVariable = "DOUGU_TEST_HOLD"

const (
	heldConns    = 500
	helloModern  = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`
	helloSession = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
)

// hold opens connections, says hello on each, and holds them until its input
// ends. It must not need more memory than it must, but it is another process.
func hold(url string) {
	hello := helloModern
	if os.Getenv(holdVariable+"_SESSION") != "" {
		hello = helloSession
	}
	for range heldConns {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "ws://"), "/ws"))
		if err != nil {
			log.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, handshake+"Sec-WebSocket-Protocol: mcp\r\n\r\n"+string(frame(final|opText, hello))); err != nil {
			log.Fatal(err)
		}
		in := bufio.NewReader(conn)
		if response, err := http.ReadResponse(in, nil); err != nil || response.StatusCode != http.StatusSwitchingProtocols {
			log.Fatal(response, err)
		}
		if _, _, err := (&raw{in: in}).read(); err != nil {
			log.Fatal(err)
		}
		if hello == helloSession {
			if _, err := conn.Write(frame(final|opText, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)); err != nil {
				log.Fatal(err)
			}
		}
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// holder is a process that holds connections.
type holder struct {
	cmd *exec.Cmd
	in  io.Closer
}

func startHolder(t *testing.T, url, session string) *holder {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdVariable+"="+url, holdVariable+"_SESSION="+session)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return &holder{cmd, in}
}

func (h *holder) stop(t *testing.T) {
	h.in.Close()
	if err := h.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A connection on which nothing happens costs little: one goroutine, and no
// buffers but the smallest.
func TestHandler_IdleMemory(t *testing.T) {
	if testrequire.Race || testing.Short() {
		t.Skip("it takes its time, and with the race detector memory holds more than the program's own")
	}
	const most = 20 << 10 // usually less than 16 KB; memory of other tests counts too
	for name, session := range map[string]string{"a request": "", "a session": "1"} {
		t.Run("after "+name, func(t *testing.T) {
			url, _ := serve(t, fixture(t), &websocket.Options{Connection: quiet})
			_, goroutines := settled(0)
			first := startHolder(t, url, session)
			before, some := settled(goroutines + heldConns)
			second := startHolder(t, url, session) // memory that all connections share is allocated
			after, more := settled(goroutines + 2*heldConns)
			first.stop(t)
			second.stop(t)
			size := (after - before) / heldConns
			t.Logf("a connection takes %d bytes and %.1f goroutines", size, float64(more-some)/heldConns)
			if size > most || more > goroutines+2*heldConns {
				t.Errorf("a connection takes %d bytes, at most %d are allowed; there are %d goroutines for %d", size, most, more-goroutines, 2*heldConns)
			}
		})
	}
}

// settled returns the memory in use. If most is not zero, it first waits until at most that many goroutines are left,
// because a connection keeps buffers for a moment after a message.
func settled(most int) (bytes uint64, goroutines int) {
	for late := time.Now().Add(patience); runtime.NumGoroutine() > most && most > 0 && time.Now().Before(late); {
		time.Sleep(20 * time.Millisecond)
	}
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse, runtime.NumGoroutine()
}
