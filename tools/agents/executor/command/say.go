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

func newOutbox() *outbox { return &outbox{wake: make(chan struct{}, 1)} }

// put adds a line. Its error says that the program does not read.
func (o *outbox) put(line []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil
	}
	if o.queued+len(line) > maxOutbox {
		return fmt.Errorf("it does not read what it is told: %d MiB wait", maxOutbox>>20)
	}
	o.queue = append(o.queue, line)
	o.queued += len(line)
	o.stir()
	return nil
}

// close ends the queue: queued input is still written, and new input is dropped.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.stir()
}

func (o *outbox) stir() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next is the first line that waits; over says that there will be none.
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

// write hands all of it to a program until it is closed, and then ends the program's input.
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
				return // it has ended, which others notice
			}
		}
	}
}
