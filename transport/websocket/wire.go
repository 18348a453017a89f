package websocket

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// Sizes of the buffers that a server's connection keeps while it is open. Larger
// data bypasses them.
const (
	readBuffer  = 512
	writeBuffer = 144 // a control frame
	// maxHeld is how much is gathered before it is written.
	maxHeld = 64 << 10
)

// heldBuffers are buffers for output between hold and release.
var heldBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// wire is the network connection of a server. Output between hold and release is written at once, so that a burst of
// messages needs one write.
type wire struct {
	net.Conn
	before io.Reader // bytes that were read with the handshake

	mu   sync.Mutex
	held *[]byte // nil while nothing is held
	err  error   // of a write that had been reported as done
}

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if w.before != nil {
		n, err := w.before.Read(p)
		if n > 0 || err != io.EOF {
			return n, err
		}
		w.before = nil
	}
	return w.Conn.Read(p)
}

// Write implements net.Conn.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return 0, w.err
	case w.held == nil:
		return w.Conn.Write(p)
	case len(*w.held)+len(p) > maxHeld:
		if err := w.flush(); err != nil {
			return 0, err
		}
		if len(p) > maxHeld/2 {
			return w.Conn.Write(p)
		}
	}
	*w.held = append(*w.held, p...)
	return len(p), nil
}

func (w *wire) flush() error {
	if len(*w.held) > 0 {
		_, w.err = w.Conn.Write(*w.held)
		*w.held = (*w.held)[:0]
	}
	return w.err
}

// hold starts the buffering of output.
func (w *wire) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = heldBuffers.Get().(*[]byte)
}

// release writes the buffered output.
func (w *wire) release() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.flush()
	*w.held = (*w.held)[:0]
	heldBuffers.Put(w.held)
	w.held = nil
	return err
}

// smallHijacker is a ResponseWriter whose connection is taken over with small
// buffers.
type smallHijacker struct {
	http.ResponseWriter
	wire *wire // once it has been taken over
}

// canHijack reports whether a response's connection can be taken over, which
// must be known before anything is answered.
func canHijack(w http.ResponseWriter) bool {
	for {
		if _, ok := w.(http.Hijacker); ok {
			return true
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = wrapper.Unwrap()
	}
}

// Hijack implements http.Hijacker.
func (h *smallHijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	n := buffered.Reader.Buffered()
	before, err := buffered.Reader.Peek(n)
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close())
	}
	h.wire = &wire{Conn: conn}
	if n > 0 {
		h.wire.before = bytes.NewReader(bytes.Clone(before))
	}
	return h.wire, bufio.NewReadWriter(bufio.NewReaderSize(h.wire, readBuffer), bufio.NewWriterSize(h.wire, writeBuffer)), nil
}
