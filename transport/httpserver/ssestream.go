package httpserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp"
)

// sseServer is the server's side of one HTTP+SSE session, as a transport.Stream:
// what is read has been posted, and what is written goes out as events.
type sseServer struct {
	reply
	id, principal string
	arrived       chan []byte // from who posts to who reads, without anything in between
	closed        chan struct{}
	once          sync.Once
}

// deliver hands a message to the reader, in the order of arrival.
func (s *sseServer) deliver(ctx context.Context, message []byte, patience time.Duration) *refusal {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case s.arrived <- message:
		return nil
	case <-timer.C:
		return busy(http.StatusServiceUnavailable, "what was sent before has not been read")
	case <-s.closed:
		return refuse(http.StatusNotFound, mcp.CodeInvalidRequest, "The stream has ended; open another with GET")
	case <-ctx.Done():
		return refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "The client has left") // it does not see this
	}
}

// Read implements transport.Stream.
func (s *sseServer) Read() ([]byte, error) {
	select {
	case message := <-s.arrived:
		return message, nil
	case <-s.closed:
		return nil, io.EOF
	}
}

// Write implements transport.Stream.
func (s *sseServer) Write(frames []byte) error {
	b := buffers.Get().(*[]byte)
	events := (*b)[:0]
	for line := range bytes.Lines(frames) {
		events = sse.Event{Name: "message", Data: bytes.TrimSuffix(line, []byte("\n"))}.Append(events)
	}
	*b = events
	err := s.send(events)
	putBuffer(b, err)
	return err
}

// Close implements transport.Stream.
func (s *sseServer) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.abandon()
	return nil
}
