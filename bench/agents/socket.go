package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// socket is the WebSocket connection of a dashboard page.
type socket struct {
	conn *websocket.Conn
	seen map[string]record.Status
}

// dial connects to the dashboard as a browser does.
func dial(ctx context.Context, page string) (*socket, error) { return dialWith(ctx, page, nil) }

func dialWith(ctx context.Context, page string, client *http.Client) (*socket, error) {
	conn, _, err := websocket.Dial(ctx, page+"ws", &websocket.DialOptions{HTTPClient: client, CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(-1)
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"type":"hello","id":1}`)); err != nil {
		return nil, err
	}
	return &socket{conn: conn, seen: make(map[string]record.Status)}, nil
}

// deaf connects a page that never reads, with small buffers of the system.
func deaf(ctx context.Context, page string) (*socket, error) {
	return dialWith(ctx, page, &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	}}})
}

func (p *socket) close() { p.conn.CloseNow() }

// message is an event that a page receives.
type message struct {
	Type    string
	At      time.Time
	AgentID string
	Data    json.RawMessage
}

// read returns the next messages and the time of their arrival.
func (p *socket) read(ctx context.Context) ([]message, time.Time, error) {
	_, data, err := p.conn.Read(ctx)
	at := time.Now()
	if err != nil {
		return nil, at, err
	}
	var all []message
	if data = bytes.TrimSpace(data); data[0] == '[' {
		err = json.Unmarshal(data, &all)
	} else {
		all = make([]message, 1)
		err = json.Unmarshal(data, &all[0])
	}
	if err != nil {
		return nil, at, fmt.Errorf("reading what the dashboard tells: %w", err)
	}
	return all, at, nil
}

// running waits until n agents run.
func (p *socket) running(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	run := make(map[string]bool)
	for len(run) < n {
		all, _, err := p.read(ctx)
		if err != nil {
			return fmt.Errorf("waiting until %d agents run, of which %d do: %w", n, len(run), err)
		}
		for _, m := range all {
			for _, a := range agentsIn(m) {
				if a.Status == record.Running {
					run[a.ID] = true
				}
			}
		}
	}
	return nil
}

// agentsIn returns the agents in a message.
func agentsIn(m message) []record.Agent {
	switch record.EventType(m.Type) {
	case "snapshot":
		var s struct{ Agents []record.Agent }
		if json.Unmarshal(m.Data, &s) == nil {
			return s.Agents
		}
	case record.AgentCreated, record.AgentStatusUpdate, record.AgentCompleted, record.AgentResultReported:
		var a record.Agent
		if json.Unmarshal(m.Data, &a) == nil {
			return []record.Agent{a}
		}
	}
	return nil
}
