package httpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// chaos runs clients that share sessions and send random requests.
type chaos struct {
	t      *testing.T
	server *httptest.Server
	// hasty is for requests that are given up. Their connections are their own: one
	// that is given up while its answer arrives can hand the error of that to the
	// next request on it.
	hasty *http.Client

	mu       sync.Mutex
	sessions []string
}

// send sends a request and reads its answer, until ctx ends.
func (c *chaos) send(ctx context.Context, method, body string, header ...string) {
	r, err := http.NewRequestWithContext(ctx, method, c.server.URL, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	client := c.server.Client()
	if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < time.Second {
		client = c.hasty
	}
	resp, err := client.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		c.opened(resp.Header.Get("Mcp-Session-Id"))
	}
	if ofSession := len(header) > 1 && header[0] == "Mcp-Session-Id"; err != nil && !ended(ctx) && !(ofSession && cutOff(err)) {
		c.t.Errorf("%s %s: %v", method, body, err)
	}
}

// cutOff reports whether err is the error of a response that another client of
// the session ended or took over with Last-Event-ID.
func cutOff(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

// ended reports whether ctx has ended, or will at once: a connection has the same
// deadline, and may notice first that it has passed.
func ended(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

func (c *chaos) opened(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if session != "" {
		c.sessions = append(c.sessions, session)
	}
}

// brief sends a request without waiting for its response.
func (c *chaos) brief(ctx context.Context, method, body string, header ...string) {
	ctx, leave := context.WithTimeout(ctx, 20*time.Millisecond)
	defer leave()
	c.send(ctx, method, body, header...)
}

// act does something.
func (c *chaos) act(ctx context.Context, r *rand.Rand) {
	c.mu.Lock()
	session := []string{"Mcp-Session-Id", c.sessions[r.IntN(len(c.sessions))]}
	c.mu.Unlock()
	id := fmt.Sprint(r.IntN(20))
	switch r.IntN(10) {
	case 0:
		c.send(ctx, http.MethodPost, initializeBody(protocol.Revisions()[1+r.IntN(3)]))
	case 1, 2:
		c.send(ctx, http.MethodPost, callBody(id, "work", `{}`), session...)
	case 3:
		c.send(ctx, http.MethodPost, callBody(id, "sleep", `{"seconds":0.005,"report":true}`), session...)
	case 4:
		c.send(ctx, http.MethodPost, callBody(id, "poll", `{"seconds":0.005}`), session...)
	case 5:
		c.brief(ctx, http.MethodGet, "", append(session, "Last-Event-ID", fmt.Sprintf("%d-%d", r.IntN(5), r.IntN(5)))...)
	case 6:
		c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, session...)
	case 7:
		c.brief(ctx, http.MethodPost, callBody(id, "ask", `{}`), session...)
		c.send(ctx, http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"result":{"action":"decline"}}`, session...)
	case 8:
		c.send(ctx, http.MethodPost, modernBody(id, "work", `{}`), modernHeader("work")...)
	case 9:
		c.send(ctx, http.MethodPost, "["+callBody(id, "work", `{}`)+","+callBody(id, "sleep", `{"seconds":0.001}`)+"]", session...)
		if r.IntN(4) == 0 {
			c.send(ctx, http.MethodDelete, "", session...)
		}
	}
}

// Concurrent clients with random requests in shared sessions all receive
// responses, and no goroutine or session remains.
func TestHandler_ManyClients(t *testing.T) {
	_, server := onNetwork(t, &httpserver.Options{MaxSessions: 6, SessionConcurrency: 2, Concurrency: 12}, false)
	hasty := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	c := &chaos{t: t, server: server, hasty: hasty, sessions: []string{"none"}}
	var clients sync.WaitGroup
	for client := range uint64(8) {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(client, 7))
			for range 60 {
				timeout := time.Minute
				if r.IntN(3) == 0 {
					timeout = time.Duration(r.IntN(5)) * time.Millisecond
				}
				ctx, leave := context.WithTimeout(t.Context(), timeout)
				c.act(ctx, r)
				leave()
			}
		})
	}
	clients.Wait()
	for _, session := range c.sessions { // what still asks would be waited for
		c.send(t.Context(), http.MethodDelete, "", "Mcp-Session-Id", session)
	}
}
