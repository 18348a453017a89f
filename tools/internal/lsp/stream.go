package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
	"github.com/dougu-go/dougu/tools/internal/lsp/frame"
)

// Default limits, in bytes.
const (
	maxMessage = 16 << 20 // of one message that is read
	maxOutbox  = 64 << 20 // of the messages that wait to be written
)

// stream carries the messages of one connection. Writes go to a queue, so that a server that does not read blocks no caller.
type stream struct {
	in    *frame.Reader
	limit int                  // bytes that may wait to be written
	count func(size int) error // of every message that was read
	fail  func(error)

	mu     sync.Mutex
	queue  [][]byte
	queued int
	closed bool
	wake   chan struct{}
}

func newStream(in io.Reader, maxMessage, maxOutbox int, count func(int) error, fail func(error)) *stream {
	return &stream{in: frame.NewReader(in, maxMessage), limit: maxOutbox, count: count, fail: fail, wake: make(chan struct{}, 1)}
}

// ReadObject implements jsonrpc2.ObjectStream. An unreadable message ends the connection.
func (s *stream) ReadObject(v any) error {
	body, err := s.in.Read()
	if err == nil {
		err = s.count(len(body))
	}
	if err == nil {
		if err = json.Unmarshal(body, v); err != nil {
			err = fmt.Errorf("not a message of JSON-RPC: %w", err)
		}
	}
	if err != nil {
		s.fail(fmt.Errorf("it sent %w", err))
	}
	return err
}

// WriteObject implements jsonrpc2.ObjectStream. It does not wait.
func (s *stream) WriteObject(v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	message := frame.Of(body)
	s.mu.Lock()
	full := s.queued+len(message) > s.limit
	if s.closed {
		err = io.ErrClosedPipe
	} else if !full {
		s.queue = append(s.queue, message)
		s.queued += len(message)
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	s.mu.Unlock()
	if full {
		err = fmt.Errorf("it does not read its input: %d MiB wait", s.limit>>20)
		s.fail(err)
	}
	return err
}

// Close implements jsonrpc2.ObjectStream: nothing more is written.
func (s *stream) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.queue = nil
		close(s.wake)
	}
	return nil
}

// write empties the outbox until the stream is closed.
func (s *stream) write(to io.Writer) {
	for range s.wake {
		for {
			message, ok := s.next()
			if !ok {
				break
			}
			if _, err := to.Write(message); err != nil {
				s.fail(&childrpc.WriteError{Text: "it cannot be written to", Err: err})
				return
			}
			s.mu.Lock()
			s.queued -= len(message)
			s.mu.Unlock()
		}
	}
}

func (s *stream) next() ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return nil, false
	}
	message := s.queue[0]
	s.queue = s.queue[1:]
	return message, true
}

// flushed waits until everything was written, or the context ends.
func (s *stream) flushed(ctx context.Context) {
	for {
		s.mu.Lock()
		waiting := s.queued
		s.mu.Unlock()
		if waiting == 0 || wait.Sleep(ctx, time.Millisecond) != nil {
			return
		}
	}
}
