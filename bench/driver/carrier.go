package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// carrier takes calls to a server and brings their answers back.
type carrier interface {
	// carry makes the calls of an exchange and returns the answers that it
	// kept, each a JSON-RPC message. After an error, and when ctx has ended, the
	// carrier carries nothing more.
	carry(ctx context.Context, x exchange) ([][]byte, error)
	// tell sends a notification.
	tell(message []byte) error
	close()
}

// way is how a server is reached.
type way struct {
	listens bool     // the server does
	args    []string // of the server, beside those that it has in any case
	// dial connects to a server that has been started with args, by so many
	// connections where the way is one of several, and shakes hands with it.
	dial func(ctx context.Context, p *process, connections int) (carrier, error)
}

// pipes is the way over standard input and output.
func pipes() way {
	return way{dial: func(ctx context.Context, p *process, _ int) (carrier, error) {
		return p.pipes(), shakeHands(ctx, p.pipes())
	}}
}

// link is a stream each way.
type link struct {
	in    io.Writer
	out   batcher
	abort func()                // ends reads and writes under way; may be called again
	frame func(request) request // how a request is sent; nil for as it is, a line
}

// batcher splits a stream into messages.
type batcher interface {
	// batch hands every whole message at hand to visit and returns how many
	// there were; when there is none it first reads until there is. A message is
	// good until visit returns.
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

// shakeHands opens a session and ends the handshake.
func shakeHands(ctx context.Context, c carrier) error {
	if err := openSession(ctx, c); err != nil {
		return err
	}
	if err := c.tell(initialized()); err != nil {
		return fmt.Errorf("end the handshake: %w", err)
	}
	return nil
}

// openSession opens a session of the revision protocol.
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

// protocol is the revision that is spoken where there is a handshake: the
// newest one of those that every measured library knows.
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
