package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
)

const (
	// helloPatience is how long a bridge may take to greet, which it does without Unity's main thread.
	helloPatience = 5 * time.Second
	// maxHello bounds the greeting.
	maxHello = 512
	// answerPatience is how long an answer may take. The bridge itself gives a command up after 30 seconds, and says so.
	answerPatience = 40 * time.Second
	maxErrorText   = 500
)

// Errors of connections.
var (
	// ErrForeign means that the port belongs to another program than the bridge of Unity. No command was sent.
	ErrForeign = errors.New("the listening program is not the bridge of Unity")
	// ErrDropped means that a command was sent without an answer. Unity may have executed it.
	ErrDropped = errors.New("the connection ended before the answer")
)

// Refusal is an error message of Unity instead of a result.
type Refusal struct{ Message string }

func (r *Refusal) Error() string { return "Unity refuses: " + r.Message }

// TimedOut tells whether the main thread of Unity has not come to the command in time. It may still come to it.
func (r *Refusal) TimedOut() bool {
	return strings.Contains(r.Message, "timed out") || strings.Contains(r.Message, "Command evicted")
}

// Disabled tells whether the user has turned the command off in the window of the package.
func (r *Refusal) Disabled() bool {
	return strings.Contains(r.Message, "is disabled in the Unity Editor")
}

// Unknown tells whether the package does not have the command.
func (r *Refusal) Unknown() bool {
	return strings.Contains(r.Message, "Unknown or unsupported command type")
}

// Answer is the result of a command in the format of MCP for Unity.
type Answer struct {
	Success bool            `json:"success"`
	Message string          `json:"message"`
	Error   string          `json:"error"`
	Code    string          `json:"code"`
	Data    json.RawMessage `json:"data"`
}

// dial connects to the bridge at a port of this machine, and waits for its greeting.
func dial(ctx context.Context, port int) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	if err := greeted(ctx, conn); err != nil {
		conn.Close()
		return nil, fmt.Errorf("port %d: %w", port, err)
	}
	return conn, nil
}

// greeted reads the greeting, "WELCOME UNITY-MCP 1 FRAMING=1", byte by byte, so that nothing behind it is lost.
func greeted(ctx context.Context, conn net.Conn) error {
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var line []byte
	for one := make([]byte, 1); len(line) < maxHello; line = append(line, one[0]) {
		if _, err := io.ReadFull(conn, one); err != nil {
			switch {
			case errors.Is(ctx.Err(), context.Canceled):
				return context.Cause(ctx)
			case ctx.Err() != nil && len(line) == 0:
				return fmt.Errorf("%w: it has not greeted", ErrForeign)
			case errors.Is(err, io.EOF) && len(line) > 0:
				return fmt.Errorf("%w: it says %q", ErrForeign, truncate.Line(string(line), 60))
			}
			return err
		}
		if one[0] == '\n' {
			break
		}
	}
	words := strings.Fields(string(line))
	if len(words) < 3 || words[0] != "WELCOME" || words[1] != "UNITY-MCP" || words[len(words)-1] != "FRAMING=1" {
		return fmt.Errorf("%w: it says %q", ErrForeign, truncate.Line(string(line), 60))
	}
	return nil
}

// call puts a command to the bridge at a port. An error that is ErrDropped comes after the command was sent; with any other error but
// a *Refusal, Unity has not got it.
func call(ctx context.Context, port int, command string, params any) (*Answer, error) {
	question, err := json.Marshal(struct {
		Type   string `json:"type"`
		Params any    `json:"params"`
	}{command, params})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	conn, err := dial(ctx, port)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := writeFrame(conn, question); err != nil {
		// A part of a frame is never carried out.
		return nil, err
	}
	payload, err := readFrame(conn)
	switch {
	case errors.Is(err, errFrame):
		return nil, fmt.Errorf("%w: %w", ErrDropped, err)
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("%w: %w", ErrDropped, context.Cause(ctx))
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrDropped, err)
	}
	return decode(payload)
}

// decode takes the envelope off an answer.
func decode(payload []byte) (*Answer, error) {
	var envelope struct {
		Status  string          `json:"status"`
		Error   string          `json:"error"`
		Message string          `json:"message"`
		Result  json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(payload, &envelope); err != nil {
		return nil, fmt.Errorf("%w: the answer cannot be read: %w", ErrDropped, err)
	}
	switch envelope.Status {
	case "error":
		text := envelope.Error
		if text == "" {
			text = envelope.Message
		}
		return nil, &Refusal{truncate.Line(text, maxErrorText)}
	case "success":
	default:
		return nil, fmt.Errorf("%w: the answer has the status %q", ErrDropped, truncate.Line(envelope.Status, 60))
	}
	var a Answer
	if err := json.Unmarshal(envelope.Result, &a); err != nil {
		return nil, fmt.Errorf("%w: the result cannot be read: %w", ErrDropped, err)
	}
	return &a, nil
}
