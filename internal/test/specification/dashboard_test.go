package specification

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// page is a page of the dashboard of kuromajutsu.
type page struct {
	t        *testing.T
	address  string
	token    string
	conn     *websocket.Conn
	unread   []message
	snapshot map[string]any
}

// message is an event, a snapshot or a reply.
type message struct {
	Type string         `json:"type"`
	Seq  int64          `json:"seq"`
	ID   int64          `json:"id"`
	OK   bool           `json:"ok"`
	At   time.Time      `json:"at"`
	Data map[string]any `json:"data"`
}

// openPage connects to a dashboard and waits for its snapshot.
func openPage(t *testing.T, address, token string) *page {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(strings.TrimRight(address, "/"), "http")+"/ws", &websocket.DialOptions{HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	p := &page{t: t, address: address, token: token, conn: conn}
	p.ask(map[string]any{"type": "hello", "id": 1, "token": token})
	p.snapshot = p.until("snapshot").Data
	return p
}

// fetch returns the body of a page over HTTP.
func (p *page) fetch(path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.address+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return body, errors.Join(err, expect(response.StatusCode == http.StatusOK, response.Status))
}

// get returns the object of a JSON answer over HTTP.
func (p *page) get(path string) (map[string]any, error) {
	body, err := p.fetch(path)
	if err != nil {
		return nil, err
	}
	var object map[string]any
	err = json.Unmarshal(body, &object)
	return object, err
}

// ask sends a request.
func (p *page) ask(request map[string]any) {
	p.t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.conn.Write(p.t.Context(), websocket.MessageText, body); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next message.
func (p *page) next() message {
	p.t.Helper()
	for len(p.unread) == 0 {
		ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
		_, body, err := p.conn.Read(ctx)
		cancel()
		if err != nil {
			p.t.Fatal(err)
		}
		if err := json.Unmarshal(body, &p.unread); err != nil {
			p.t.Fatalf("%v: %.300s", err, body)
		}
	}
	m := p.unread[0]
	p.unread = p.unread[1:]
	return m
}

// until returns the next message of a type.
func (p *page) until(kind string) message {
	p.t.Helper()
	for {
		if m := p.next(); m.Type == kind {
			return m
		}
	}
}

// collect returns the events up to one of a type, inclusive.
func (p *page) collect(last string) []message {
	p.t.Helper()
	var all []message
	for {
		m := p.next()
		if m.Seq > 0 && m.Type != "snapshot" {
			all = append(all, m)
		}
		if m.Type == last {
			return all
		}
	}
}

// kinds returns the types of events, each once, in the order of their first appearance.
func kinds(events []message) []string {
	var all []string
	seen := make(map[string]bool)
	for _, e := range events {
		if !seen[e.Type] {
			seen[e.Type] = true
			all = append(all, e.Type)
		}
	}
	return all
}

// event returns the last event of a type, or an error.
func event(events []message, kind string) (message, error) {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == kind {
			return events[i], nil
		}
	}
	return message{}, fmt.Errorf("no %s in %v", kind, kinds(events))
}
