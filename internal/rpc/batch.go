package rpc

import (
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// batch gathers the answers to one array of messages (JSON-RPC 2.0 §6), which
// go out together when the last is there. Cancelled calls have none.
type batch struct {
	conn *Conn

	mu      sync.Mutex
	frame   []byte
	waiting int
}

// receiveBatch handles the elements of an array in order.
func (c *Conn) receiveBatch(frame []byte) {
	if err := jsonx.Valid(frame); err != nil {
		c.refuse("", parseError(err), nil)
		return
	}
	if !c.handler.AllowBatch() {
		c.refuse("", invalidRequest("batches exist in protocol revision 2025-03-26 only; send one message at a time"), nil)
		return
	}
	b := &batch{conn: c, waiting: 1}
	n := 0
	elements := jsonx.Array(frame)
	for elements.Next() {
		if n++; n > c.opts.BatchLength {
			c.refuse("", invalidRequest(fmt.Sprintf("a batch holds at most %d messages", c.opts.BatchLength)), b)
			break
		}
		c.receive(elements.Value(), b)
	}
	if n == 0 {
		c.refuse("", invalidRequest("a batch must not be empty"), nil)
		return
	}
	b.done(nil)
}

// expect counts an answer that will come.
func (b *batch) expect() {
	b.mu.Lock()
	b.waiting++
	b.mu.Unlock()
}

// add puts an answer into the batch without having been expected.
func (b *batch) add(frame []byte) {
	b.expect()
	b.done(frame)
}

// done adds an expected answer, or none when frame is nil, and sends the batch
// when it was the last.
func (b *batch) done(frame []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if frame != nil {
		if b.frame == nil {
			b.frame = append(b.frame, '[')
		} else {
			b.frame = append(b.frame, ',')
		}
		b.frame = append(b.frame, frame...)
	}
	if b.waiting--; b.waiting == 0 && b.frame != nil {
		b.conn.out.send(append(b.frame, ']'), nil)
	}
}

func isBatch(frame []byte) bool {
	i := jsonx.Space(frame, 0)
	return i < len(frame) && frame[i] == '['
}
