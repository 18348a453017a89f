package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/wait"
)

// Stream is an output stream of a process.
type Stream uint8

// Output streams. All output of a pseudo-terminal is Stdout.
const (
	Stdout Stream = iota
	Stderr
)

// CaptureOptions are the options of Capture.
type CaptureOptions struct {
	// Output receives the output in the order of its arrival. It is not called concurrently and must not keep p. The
	// child blocks when its pipe is full because Output has not returned.
	Output func(s Stream, p []byte)
	// Input gives the child a standard input for Write; otherwise it has none.
	Input bool
	// Merge gives the child one pipe for both streams, so that the order of its lines is exact. All output is then Stdout.
	Merge bool
	// Terminal opens a pseudo-terminal, which becomes all three streams of the child, for example Size.Open of
	// package pty. nil uses pipes. Only Unix supports terminals.
	Terminal func() (ours, theirs *os.File, err error)
	// Linger is the maximum time from the end of the child to Ended while descendants keep the output open. The
	// default is 500 ms.
	Linger time.Duration
	// Mark is an additional mark in the environment, for KillMarked. It must be hard to guess.
	Mark string
	// Wrap is as in Options.
	Wrap func(*exec.Cmd) error
}

// ErrNoInput is the error of writing to a process that does not read, because it
// has no input, its input was closed, or it has ended.
var ErrNoInput = errors.New("the process has no open input")

// Captured is a process whose output is forwarded to CaptureOptions.Output. The caller must Close it.
type Captured struct {
	life
	output      func(Stream, []byte)
	outputMu    sync.Mutex // serializes output
	reads       group.Group
	open        atomic.Int32  // streams that have not ended
	drained     chan struct{} // closed when all streams have ended
	handing     atomic.Int64  // reads whose bytes are being forwarded
	handed      atomic.Int64  // forwarded bytes
	outputEnded chan struct{} // closed when the process has ended and its output has ended, or Linger is over
	lingers     group.Group
	sources     []*os.File

	write    sync.Mutex // guards input
	input    *os.File   // nil without an input and after CloseInput
	terminal bool
	close    sync.Once
}

const (
	defaultLinger = 500 * time.Millisecond
	readSize      = 32 << 10
	// outputTimeout is the maximum time to wait for the end of the output of a killed tree.
	outputTimeout = time.Second
)

// Capture starts cmd, whose standard streams must not be set.
func Capture(cmd *exec.Cmd, o CaptureOptions) (*Captured, error) {
	c := &Captured{output: o.Output, drained: make(chan struct{}), outputEnded: make(chan struct{}), terminal: o.Terminal != nil}
	theirs, err := c.connect(cmd, o)
	if err == nil {
		c.life, err = launch(cmd, o.Mark, o.Wrap)
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	if err != nil {
		c.disconnect()
		return nil, err
	}
	c.open.Store(int32(len(c.sources)))
	for i, source := range c.sources {
		c.reads.Go(func() { c.read(Stream(i), source) })
	}
	if o.Linger <= 0 {
		o.Linger = defaultLinger
	}
	c.lingers.Go(func() { c.awaitEnd(o.Linger) })
	return c, nil
}

// connect creates the streams and returns the ends that belong to the child.
func (c *Captured) connect(cmd *exec.Cmd, o CaptureOptions) (theirs []*os.File, err error) {
	if o.Terminal != nil {
		ours, theirs, err := o.Terminal()
		if err != nil {
			return nil, err
		}
		c.input, c.sources = ours, []*os.File{ours}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
		leadSession(cmd)
		return []*os.File{theirs}, nil
	}
	var in *os.File
	if o.Input {
		in, c.input, err = os.Pipe()
	} else {
		in, err = os.Open(os.DevNull)
	}
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, in)
	streams := 2
	if o.Merge {
		streams = 1
	}
	for range streams {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, err
		}
		c.sources, theirs = append(c.sources, r), append(theirs, w)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[streams]
	return theirs, nil
}

// disconnect closes our ends.
func (c *Captured) disconnect() {
	c.write.Lock()
	defer c.write.Unlock()
	if c.input != nil {
		_ = c.input.Close()
		c.input = nil
	}
	for _, source := range c.sources {
		_ = source.Close()
	}
}

// read hands on a stream until its end. A pseudo-terminal ends with an error.
func (c *Captured) read(s Stream, source io.Reader) {
	defer func() {
		if c.open.Add(-1) == 0 {
			close(c.drained)
		}
	}()
	buf := make([]byte, readSize)
	for {
		n, err := source.Read(buf)
		if n > 0 {
			c.hand(s, buf[:n])
		}
		if err != nil {
			return
		}
	}
}

func (c *Captured) hand(s Stream, p []byte) {
	c.handing.Add(1)
	defer func() {
		c.handed.Add(int64(len(p)))
		c.handing.Add(-1)
	}()
	c.outputMu.Lock()
	defer c.outputMu.Unlock()
	if c.output != nil {
		c.output(s, p)
	}
}

func (c *Captured) awaitEnd(linger time.Duration) {
	defer close(c.outputEnded)
	<-c.Done()
	if !c.terminal {
		_ = c.CloseInput() // no remaining process reads the other end
	}
	// Output may be handed on more slowly than it is written: the content of the pipes at the end is waited for without a time limit.
	first := c.handed.Load()
	timer := time.NewTimer(linger)
	defer timer.Stop()
	for last := first; ; {
		select {
		case <-c.drained:
			return
		case <-timer.C:
		}
		now := c.handed.Load()
		if now == last && c.handing.Load() == 0 || now-first >= int64(len(c.sources))*pipeSize {
			return
		}
		last = now
		timer.Reset(linger)
	}
}

// pipeSize is the capacity of a pipe and of the buffer of its reader, in bytes.
const pipeSize = 64<<10 + readSize

// Ended returns a channel that is closed when the process has ended and its output has ended, or the Linger time is
// over. Later output is still forwarded.
func (c *Captured) Ended() <-chan struct{} { return c.outputEnded }

// Drained returns a channel that is closed when no process has the output open.
func (c *Captured) Drained() <-chan struct{} { return c.drained }

// Exit waits for Done and returns the exit code or signal of the process.
func (c *Captured) Exit() Exit {
	<-c.Done()
	return c.exit()
}

// Left reports whether a descendant of the process is alive. Call it after the process has ended.
func (c *Captured) Left() bool { return c.left() }

// Vanished returns a channel that is closed when the process and all of its descendants have ended. It is nil for a
// process without a supervisor.
func (c *Captured) Vanished() <-chan struct{} { return c.vanished() }

// Write writes to the standard input of the process. It returns when all bytes are in the pipe, or with an error
// after the process or CloseInput has closed the input.
func (c *Captured) Write(p []byte) (int, error) {
	c.write.Lock()
	input := c.input
	c.write.Unlock()
	if input == nil {
		return 0, ErrNoInput
	}
	n, err := input.Write(p)
	if err != nil {
		err = errors.Join(ErrNoInput, err)
	}
	return n, err
}

// CloseInput closes the standard input. On a terminal it writes the end-of-transmission character, which a program
// sees as the end only at the beginning of a line.
func (c *Captured) CloseInput() error {
	if c.terminal {
		const endOfTransmission = 4
		_, err := c.Write([]byte{endOfTransmission})
		return err
	}
	c.write.Lock()
	defer c.write.Unlock()
	if c.input == nil {
		return ErrNoInput
	}
	err := c.input.Close()
	c.input = nil
	return err
}

// Stop sends a signal to the tree, waits at most grace, and kills the remaining processes. It returns when the
// process has ended, or with ErrAlive.
func (c *Captured) Stop(s Signal, grace time.Duration) error {
	var err error
	if s != Kill {
		if err = c.Signal(s); errors.Is(err, errUnreachable) {
			err = nil
		} else {
			c.awaitTree(grace)
		}
	}
	if killed := c.kill(); killed != nil {
		err = killed
	}
	timer := time.NewTimer(endTimeout)
	defer timer.Stop()
	select {
	case <-c.outputEnded:
		return err
	case <-timer.C:
		return errors.Join(ErrAlive, err)
	}
}

// ErrAlive means that a killed process does not end, because it waits for a device or a network file system.
var ErrAlive = errors.New("the process does not end even when it is killed")

// endTimeout is the maximum time to wait for the end of a killed process.
const endTimeout = 5 * time.Second

// awaitTree waits for the end of the process and its output. If both have ended, it waits for the descendants.
func (c *Captured) awaitTree(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	if !c.finished() {
		for _, end := range []<-chan struct{}{c.Done(), c.drained} {
			select {
			case <-end:
			case <-timer.C:
				return
			}
		}
		return
	}
	look := time.NewTicker(survivorInterval)
	defer look.Stop()
	for c.left() {
		select {
		case <-look.C:
		case <-timer.C:
			return
		}
	}
}

// survivorInterval is the interval of the checks for living descendants.
const survivorInterval = 50 * time.Millisecond

// finished reports whether the process has ended and no process has its output open.
func (c *Captured) finished() bool { return c.ended() && wait.IsClosed(c.drained) }

// Close kills the process and its descendants if they are alive, and releases all resources. Output is not called
// afterwards. A process with a supervisor leaves no descendant behind.
func (c *Captured) Close() error {
	var err error
	c.close.Do(func() {
		if !c.finished() {
			err = c.kill()
		}
		<-c.Done()
		// A descendant that has left the tree may keep the output open forever.
		c.reads.WaitFor(outputTimeout)
		c.disconnect()
		c.release()
	})
	c.wait()
	c.reads.Wait()
	c.lingers.Wait()
	return err
}
