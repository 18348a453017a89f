package websocket_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/dougu-go/dougu/transport/websocket"
)

// A connection on which nothing happens costs little, the client's end of the
// socket included.
func TestAnIdleConnectionIsSmall(t *testing.T) {
	const (
		n    = 300
		most = 16 << 10
	)
	for name, hello := range map[string]string{
		"2026-07-28": ping,
		"2025-11-25": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := serve(t, fixture(t), &websocket.Options{Connection: quiet})
			connect := func() {
				c, _ := open(t, url, "Sec-WebSocket-Protocol: mcp\r\n")
				c.sendText(hello)
				c.message()
				c.in = nil // the client's memory is not what is measured
			}
			connect()
			before, goroutines := settled(0)
			for range n {
				connect()
			}
			after, more := settled(goroutines + 2*n)
			size := (after - before) / n
			t.Logf("a connection takes %d bytes and %.1f goroutines", size, float64(more-goroutines)/n)
			if size > most && !raceDetector {
				t.Errorf("a connection takes %d bytes, at most %d are allowed", size, most)
			}
		})
	}
}

// settled is the memory in use once at most some goroutines are left, or nothing
// changes any more.
func settled(most int) (bytes uint64, goroutines int) {
	for begun := time.Now(); time.Since(begun) < 3*time.Second || runtime.NumGoroutine() > most && most > 0 && time.Since(begun) < patience; time.Sleep(20 * time.Millisecond) {
	}
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc + stats.StackInuse, runtime.NumGoroutine()
}
