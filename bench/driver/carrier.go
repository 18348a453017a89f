package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// carrier sends calls to a server and receives the responses.
type carrier interface {
	// carry makes the calls of an exchange and returns the sampled responses, each a JSON-RPC message. The carrier cannot be used
	// after an error, or after ctx has ended.
	carry(ctx context.Context, x exchange) ([][]byte, error)
	// tell sends a notification.
	tell(message []byte) error
	close()
}

// way is a transport to a server.
type way struct {
	listens bool     // the server listens
	args    []string // additional arguments of the server
	// dial connects to a server that was started with args, and performs the handshake. connections is the number of connections,
	// for transports with several.
	dial func(ctx context.Context, p *process, connections int) (carrier, error)
}

// pipes is the transport over standard input and output.
func pipes() way {
	return way{dial: func(ctx context.Context, p *process, _ int) (carrier, error) {
		return p.pipes(), shakeHands(ctx, p.pipes())
	}}
}

// link is a bidirectional stream.
type link struct {
	in    io.Writer
	out   batcher
	abort func()                // interrupts reads and writes; can be called again
	frame func(request) request // encodes a request; nil sends it as a line
}

// batcher splits a stream into messages.
type batcher interface {
	// batch passes every complete buffered message to visit and returns their number. If there is none, it reads first. A message
	// is valid until visit returns.
	batch(visit func(message []byte)) (int, error)
}

func (l link) carry(ctx context.Context, x exchange) ([][]byte, error) {
	if l.frame != nil {
		x.request = l.frame(x.request)
	}
	return x.run(ctx, l)
}

func (l link) tell(message []byte) error {
	r := request{line: append(message, '\n')}
	if l.frame != nil {
		r = l.frame(r)
	}
	_, err := l.in.Write(r.line)
	return err
}

func (l link) close() { l.abort() }

// shakeHands opens a session completely.
func shakeHands(ctx context.Context, c carrier) error {
	if err := openSession(ctx, c); err != nil {
		return err
	}
	if err := c.tell(initialized()); err != nil {
		return fmt.Errorf("end the handshake: %w", err)
	}
	return nil
}

// openSession sends initialize for the revision protocol.
func openSession(ctx context.Context, c carrier) error {
	r, err := initialize()
	if err != nil {
		return err
	}
	x := exchange{request: r, first: firstID, calls: 1, inFlight: 1, every: 1}
	answers, err := c.carry(ctx, x)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if err := x.verify(answers, checkInitialize); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	return nil
}

// protocol is the revision of sessions: the newest one that every measured library supports.
const protocol = "2025-06-18"

func initialize() (request, error) {
	return newRequest("initialize", map[string]any{
		"protocolVersion": protocol,
		"capabilities":    struct{}{},
		"clientInfo":      clientInfo(),
	})
}

func clientInfo() map[string]string { return map[string]string{"name": "bench", "version": "1.0.0"} }

func initialized() []byte { return []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`) }

func checkInitialize(result json.RawMessage) error {
	var got struct{ ProtocolVersion string }
	if err := json.Unmarshal(result, &got); err != nil {
		return err
	}
	if got.ProtocolVersion != protocol {
		return fmt.Errorf("the server speaks %q, not %q", got.ProtocolVersion, protocol)
	}
	return nil
}
