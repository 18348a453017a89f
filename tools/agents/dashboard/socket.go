package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"

	"golang.org/x/sync/semaphore"
)

// unauthorized is the WebSocket close status for a missing or wrong token.
const unauthorized websocket.StatusCode = 4401

// page is a connected browser.
type page struct {
	d        *Dashboard
	conn     *websocket.Conn
	queue    *queue
	writable bool
	busy     *semaphore.Weighted // limits concurrent requests
}

// socket serves a page until either side closes the connection.
func (d *Dashboard) socket(w http.ResponseWriter, r *http.Request) {
	if !d.pages.TryAcquire(1) {
		answerError(w, http.StatusServiceUnavailable, &problem{"BUSY", "too many pages are connected", "close some of them"})
		return
	}
	defer d.pages.Release(1)
	// The handler has checked host and origin.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return // Accept has sent the response
	}
	conn.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(d.ctx)
	defer cancel()
	p := &page{d: d, conn: conn, queue: newQueue(), busy: semaphore.NewWeighted(8)}
	status, reason := p.serve(ctx, cancel)
	_ = conn.Close(status, reason)
}

// serve processes the requests of the page and returns the reason for the end of the connection.
func (p *page) serve(ctx context.Context, cancel context.CancelFunc) (websocket.StatusCode, string) {
	hello, err := p.hello(ctx)
	if err != nil {
		return websocket.StatusPolicyViolation, "the first message must be a hello"
	}
	p.writable = p.d.isTokenValid(hello.Token)
	if p.d.needsToken() && !p.writable {
		return unauthorized, "the token is missing or wrong"
	}
	p.reply(hello.ID, map[string]bool{"writable": p.writable}, nil)
	p.d.running.Go(func() { defer cancel(); p.write(ctx) })
	p.d.running.Go(func() { defer cancel(); p.follow(ctx) })
	for {
		kind, data, err := p.conn.Read(ctx)
		switch {
		case err != nil && p.d.ctx.Err() != nil:
			return websocket.StatusGoingAway, "the server is stopping"
		case err != nil:
			return websocket.StatusNormalClosure, ""
		case kind != websocket.MessageText:
			return websocket.StatusUnsupportedData, "messages are text"
		}
		p.receive(ctx, data)
		if p.queue.isFull() { // the page sends requests without reading replies
			select {
			case <-ctx.Done():
			case <-p.queue.drained():
			}
		}
	}
}

// request is a message from a page.
type request struct {
	Type  string `json:"type"`
	ID    int64  `json:"id"`
	Token string `json:"token"`
	raw   []byte
}

func (p *page) hello(ctx context.Context) (request, error) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	var r request
	_, data, err := p.conn.Read(ctx)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Type != "hello" {
		return r, errors.New("no hello")
	}
	return r, nil
}

// write sends the queued messages, at most one batch in each messageInterval.
func (p *page) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.queue.wake:
		}
		messages := p.queue.take()
		if len(messages) == 0 {
			continue
		}
		data, err := json.Marshal(messages)
		if err != nil {
			p.d.o.Log.Error("events for the dashboard cannot be encoded", "error", err)
			return
		}
		if err := p.send(ctx, data); err != nil {
			return
		}
		if wait.Sleep(ctx, messageInterval) != nil {
			return
		}
	}
}

func (p *page) send(ctx context.Context, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return p.conn.Write(ctx, websocket.MessageText, data)
}

// follow queues a snapshot and then events. A page that falls behind receives another snapshot
// after it has read the queue.
func (p *page) follow(ctx context.Context) {
	for {
		s, err := p.d.snapshot(ctx, p.writable)
		if err != nil {
			if ctx.Err() == nil {
				p.d.o.Log.Error("the dashboard cannot create a snapshot", "error", err)
			}
			return
		}
		encoded, err := json.Marshal(s)
		if err != nil {
			p.d.o.Log.Error("the dashboard cannot create a snapshot", "error", err)
			return
		}
		p.queue.send(encoded)
		if !p.events(ctx, s.Seq) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-p.queue.drained():
		}
	}
}

// events queues new events. It returns true if the page needs another snapshot.
func (p *page) events(ctx context.Context, after int64) bool {
	for e, err := range p.d.o.Events.Follow(ctx, after) {
		switch {
		case errors.Is(err, record.ErrGone):
			return true
		case err != nil:
			return false
		case !p.queue.push(e):
			return true
		}
	}
	return false
}

// reply queues the reply to a request.
func (p *page) reply(id int64, data any, failed *problem) {
	r := struct {
		Type  string    `json:"type"`
		ID    int64     `json:"id"`
		OK    bool      `json:"ok"`
		Data  any       `json:"data,omitempty"`
		Error *problem  `json:"error,omitempty"`
		At    time.Time `json:"at"`
	}{"reply", id, failed == nil, data, failed, time.Now().UTC()}
	encoded, err := json.Marshal(r)
	if err != nil {
		p.d.o.Log.Error("a reply of the dashboard cannot be encoded", "error", err)
		return
	}
	p.queue.send(encoded)
}
