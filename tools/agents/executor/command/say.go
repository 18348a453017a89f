package command

import (
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/internal/process"
)

// maxOutbox limits the bytes that wait to be read by a program.
const maxOutbox = 64 << 20

// outbox queues input for a program, so that a program that does not read blocks no caller.
// Use newOutbox; the zero value is unusable.
type outbox struct {
	wake chan struct{}

	mu     sync.Mutex
	queue  [][]byte
	queued int
	closed bool
}

// newOutbox returns an empty queue.
func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put adds a line. It returns an error if the queue is full, because the program does not
// read.
func (o *outbox) put(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	if o.queued+len(line) > maxOutbox {
		return fmt.Errorf("the program does not read its input: %d MiB are waiting", maxOutbox>>20)
	}
	o.queue = append(o.queue, line)
	o.queued += len(line)
	o.signalWriter()
	return nil
}

// close ends the queue: queued input is still written, and new input is dropped.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signalWriter()
}

// signalWriter wakes write.
func (o *outbox) signalWriter() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next returns the first line of the queue; over reports that the queue is closed and
// empty.
func (o *outbox) next() (line []byte, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return nil, o.closed
	}
	line, o.queue = o.queue[0], o.queue[1:]
	o.queued -= len(line)
	return line, false
}

// write writes the queued lines until the queue is closed, and then closes the program's
// input.
func (o *outbox) write(to *process.Captured) {
	defer func() { _ = to.CloseInput() }()
	for {
		line, over := o.next()
		switch {
		case over:
			return
		case line == nil:
			<-o.wake
		default:
			if _, err := to.Write(line); err != nil {
				return // the program has ended; awaitEnd handles that
			}
		}
	}
}
