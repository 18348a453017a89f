package driver

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Bits of a frame header (RFC 6455, section 5.2).
const (
	final      = 0x80 // with an opcode: last frame of a message
	text       = 0x1
	ping       = 0x9
	pong       = 0xA
	masked     = 0x80 // with a length
	length16   = 126
	length64   = 127
	maxMessage = 64 << 20
)

// frames splits the stream of a WebSocket server into messages. Pings are ignored: a measurement is shorter than the timeouts of
// servers.
type frames struct {
	r    *bufio.Reader
	body []byte // of the last message
}

// batch implements batcher.
func (f *frames) batch(visit func(message []byte)) (int, error) {
	for n := 0; ; {
		message, err := f.next()
		if err != nil {
			return 0, err
		}
		if message == nil {
			continue
		}
		visit(message)
		if n++; f.r.Buffered() == 0 {
			return n, nil
		}
	}
}

// next returns the payload of the next frame, or nil if the frame is not part of a message.
func (f *frames) next() ([]byte, error) {
	var head [10]byte
	if _, err := io.ReadFull(f.r, head[:2]); err != nil {
		return nil, err
	}
	size := uint64(head[1])
	var more []byte
	switch head[1] {
	case length16:
		more = head[2:4]
	case length64:
		more = head[2:10]
	}
	if _, err := io.ReadFull(f.r, more); err != nil {
		return nil, err
	}
	switch len(more) {
	case 2:
		size = uint64(binary.BigEndian.Uint16(more))
	case 8:
		size = binary.BigEndian.Uint64(more)
	}
	if size > maxMessage || head[1]&masked != 0 {
		return nil, fmt.Errorf("a frame of %d bytes begins with % x", size, head[:2])
	}
	if uint64(cap(f.body)) < size {
		f.body = make([]byte, size)
	}
	f.body = f.body[:size]
	if _, err := io.ReadFull(f.r, f.body); err != nil {
		return nil, err
	}
	switch head[0] {
	case final | text:
		return f.body, nil
	case final | ping, final | pong:
		return nil, nil
	}
	return nil, fmt.Errorf("a frame begins with % x: %s", head[:2], excerpt(f.body))
}

// framed encodes a request as a frame, without its newline. The mask is zero, so that the digits of the id can be changed.
func framed(r request) request {
	body := r.line[:len(r.line)-1]
	head := []byte{final | text, 0}
	switch {
	case len(body) < length16:
		head[1] = masked | byte(len(body))
	case len(body) < 1<<16:
		head[1] = masked | length16
		head = binary.BigEndian.AppendUint16(head, uint16(len(body)))
	default:
		head[1] = masked | length64
		head = binary.BigEndian.AppendUint64(head, uint64(len(body)))
	}
	head = append(head, 0, 0, 0, 0)
	r.id += len(head)
	r.line = append(head, body...)
	return r
}
