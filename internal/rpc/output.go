package rpc

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

const (
	// softBacklog is how many unsent bytes make progress and log
	// notifications give way.
	softBacklog = 256 << 10
	// keptOutput is the largest output buffer that is kept for reuse.
	keptOutput = 1 << 20
	// idleWriter is how long the writer waits for more before it ends.
	idleWriter = 200 * time.Millisecond
)

var errWriterPanic = errors.New("panic while writing")

// output collects frames during a write, so that a burst of responses needs one write. If the peer stops reading,
// output first drops log messages and superseded progress, then blocks the senders of responses, and fails after
// stall.
//
// The writing goroutine exists only while there are frames, and 200 ms longer. An idle connection has no goroutine
// and no buffers.
type output struct {
	stream  Stream
	stall   time.Duration
	backlog int // unsent bytes at which senders wait
	writer  group.Group

	mu      sync.Mutex
	room    sync.Cond         // signalled when unsent bytes have been written, and on failure
	buf     []byte            // frames not yet taken by the writer
	spare   []byte            // the buffer that it writes, or has written
	writing int               // bytes of spare that it has not finished with
	latest  map[string][]byte // newest progress frame by token, held back
	dropped int               // log frames dropped and not yet reported
	err     error             // why nothing more can be sent
	failed  func(error)       // called with err, once; nil until begin
	wake    chan struct{}     // of the writer that runs, else nil
	closing bool
	done    chan struct{} // of finish: closed when nothing more will be written
}

func newOutput(stream Stream, stall time.Duration, backlog int) *output {
	o := &output{stream: stream, stall: stall, backlog: backlog}
	o.room.L = &o.mu
	return o
}

// begin starts the writing. failed is called with the error that ends the output.
func (o *output) begin(failed func(error)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failed = failed
	if len(o.buf) > 0 {
		o.signal()
	}
}

// signal wakes the writer, or starts one.
func (o *output) signal() {
	if o.wake == nil {
		if o.closing || o.failed == nil {
			return
		}
		wake := make(chan struct{}, 1)
		o.wake = wake
		o.writer.Go(func() { o.run(wake) })
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// send queues a frame that must arrive. It waits while too much is unsent.
func (o *output) send(frame []byte, call *Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.queue(frame, call)
}

// sendLast queues the answer to call: nothing of the call is sent after it.
func (o *output) sendLast(frame []byte, call *Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer func() { call.silenced = true }()
	return o.queue(frame, call)
}

func (o *output) queue(frame []byte, call *Call) error {
	for o.unsent() > o.backlog && o.err == nil {
		o.room.Wait()
	}
	if o.err != nil {
		return o.err
	}
	if call != nil {
		if call.silenced {
			return nil
		}
		if held, ok := o.latest[call.progress]; ok {
			delete(o.latest, call.progress)
			o.append(held)
		}
	}
	o.append(frame)
	return nil
}

// sendProgress queues the newest progress of token; under a backlog it
// replaces an older one that has not gone out.
func (o *output) sendProgress(frame []byte, token string, call *Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || call != nil && call.silenced {
		return o.err
	}
	if call != nil {
		call.progress = token
	}
	if o.unsent() <= softBacklog {
		o.append(frame)
		return nil
	}
	if o.latest == nil {
		o.latest = make(map[string][]byte)
	}
	o.latest[token] = append([]byte(nil), frame...)
	return nil
}

// sendLog queues a log notification, or drops and counts it under a backlog.
func (o *output) sendLog(frame []byte, call *Call) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err != nil || call != nil && call.silenced:
		return o.err
	case o.unsent() > softBacklog:
		o.dropped++
		return nil
	}
	o.append(frame)
	return nil
}

// takeDropped returns how many log notifications were dropped since it was
// last asked, when there is room to report it.
func (o *output) takeDropped() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.unsent() > softBacklog {
		return 0
	}
	n := o.dropped
	o.dropped = 0
	return n
}

// silence keeps everything of call that is not yet queued from being sent.
func (o *output) silence(call *Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	call.silenced = true
	delete(o.latest, call.progress)
}

// isSilenced reports whether nothing of call may be sent any more.
func (o *output) isSilenced(call *Call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return call.silenced
}

// append adds one frame and its newline. A newline inside a frame can only be
// white space between tokens of spliced raw JSON: it becomes a space.
func (o *output) append(frame []byte) {
	start := len(o.buf)
	o.buf = append(o.buf, frame...)
	for {
		i := bytes.IndexByte(o.buf[start:], '\n')
		if i < 0 {
			break
		}
		start += i
		o.buf[start] = ' '
	}
	o.buf = append(o.buf, '\n')
	o.signal()
}

// run writes until there has been nothing to write for a while, the output is
// closed and empty, or writing fails.
func (o *output) run(wake <-chan struct{}) {
	failure, resting := errWriterPanic, false
	defer func() {
		if !resting { // else another may run already
			o.stopped(failure)
		}
	}()
	timer := time.NewTimer(idleWriter)
	defer timer.Stop()
	for busy := true; ; {
		select {
		case <-wake:
			busy = true
		case <-timer.C:
			if resting = !busy && o.rest(); resting {
				return
			}
			busy = false
			timer.Reset(idleWriter)
			continue
		}
		// Let the others that are ready add their frames to this write.
		runtime.Gosched()
		if more, err := o.flush(); !more {
			failure = err
			return
		}
	}
}

// flush writes the queued frames. more is false if no further frame will follow.
func (o *output) flush() (more bool, err error) {
	for {
		frames, ok := o.take()
		if !ok || len(frames) == 0 {
			return ok, nil
		}
		if err := o.write(frames); err != nil {
			return false, err
		}
	}
}

// rest ends the writer unless there is something to write, and lets its buffers
// go.
func (o *output) rest() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf) > 0 || o.closing || o.err != nil {
		return false // there is a signal, or was one
	}
	o.wake, o.buf, o.spare = nil, nil, nil
	return true
}

// stopped notes that the writer has ended for good, and why.
func (o *output) stopped(failure error) {
	if failure != nil {
		o.fail(failure)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wake, o.closing = nil, true
	o.end()
}

// end makes later sends fail.
func (o *output) end() {
	if o.err == nil {
		o.err = ErrClosed
	}
	o.room.Broadcast()
	if o.done != nil {
		close(o.done)
		o.done = nil
	}
}

// take swaps the buffers; ok is false when there is nothing left to wait for.
func (o *output) take() (frames []byte, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, false
	}
	o.writing = 0
	o.room.Broadcast()
	for token, frame := range o.latest {
		delete(o.latest, token)
		o.append(frame)
	}
	if len(o.buf) == 0 {
		return nil, !o.closing
	}
	frames = o.buf
	if cap(o.spare) > keptOutput {
		o.spare = nil
	}
	o.buf, o.spare, o.writing = o.spare[:0], frames, len(frames)
	return frames, true
}

func (o *output) write(frames []byte) error {
	watch := group.AfterFunc(o.stall, func() {
		o.fail(errStalled)
		o.stream.Close()
	})
	defer watch.Stop()
	return o.stream.Write(frames)
}

// fail makes every later send return err.
func (o *output) fail(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
	}
	o.room.Broadcast()
	o.mu.Unlock()
	if first {
		o.failed(err)
	}
}

// finish returns a channel that is closed after all queued frames have been written.
func (o *output) finish() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	done := make(chan struct{})
	o.done, o.closing = done, true
	if o.wake != nil {
		o.signal()
	} else {
		o.end()
	}
	return done
}

// unsent is how many bytes the peer has not taken yet.
func (o *output) unsent() int { return len(o.buf) + o.writing }

// waitRoom blocks while too many bytes are unwritten. The reader calls it before it accepts further requests.
func (o *output) waitRoom() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.unsent() > o.backlog && o.err == nil {
		o.room.Wait()
	}
}

// failure is why writing has failed, if it has.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == ErrClosed {
		return nil
	}
	return o.err
}
