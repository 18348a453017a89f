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
)

// Stream is where a process writes to.
type Stream uint8

// The streams. A pseudo-terminal has only the first.
const (
	Stdout Stream = iota
	Stderr
)

// CaptureOptions say how a child is captured.
type CaptureOptions struct {
	// Output receives what the child writes, in the order in which it arrives. It is
	// not called concurrently and must not keep p. What writes faster than Output
	// returns, waits.
	Output func(s Stream, p []byte)
	// Input gives the child a standard input that is written to with Write; else it
	// has none.
	Input bool
	// Merge gives the child one pipe for both streams, so that the order of its lines is exact. All output is then Stdout.
	Merge bool
	// Terminal, unless it is nil, makes a pseudo-terminal, which the child gets for
	// all its streams: that is Size.Open of package pty. Unix alone has them.
	Terminal func() (ours, theirs *os.File, err error)
	// Linger bounds how long after the end of the child the end of its output is
	// waited for: what it has started may hold it open. Default 500 ms.
	Linger time.Duration
	// Mark is a further mark in the environment, for KillMarked. It must be hard to
	// guess.
	Mark string
	// Wrap is that of Options.
	Wrap func(*exec.Cmd) error
}

// ErrNoInput is the error of writing to a process that does not read, because it
// has no input, its input was closed, or it has ended.
var ErrNoInput = errors.New("the process has no open input")

// Captured is a process whose output is handed on as it comes. Its owner must
// Close it.
type Captured struct {
	life
	output  func(Stream, []byte)
	speak   sync.Mutex // serializes output
	reads   group.Group
	open    atomic.Int32  // streams that are not at their end
	drained chan struct{} // closed when none is
	handing atomic.Int64  // reads whose bytes are being handed on
	handed  atomic.Int64  // bytes
	said    chan struct{} // closed when the process has ended and said all, as far as it is waited for
	lingers group.Group
	sources []*os.File

	write    sync.Mutex // guards input
	input    *os.File   // nil: none, or not any more
	terminal bool
	close    sync.Once
}

const (
	defaultLinger = 500 * time.Millisecond
	readSize      = 32 << 10
	// farewell bounds how long is waited for the end of the output of a tree that
	// was killed.
	farewell = time.Second
)

// Capture runs cmd, whose standard streams must not be set.
func Capture(cmd *exec.Cmd, o CaptureOptions) (*Captured, error) {
	c := &Captured{output: o.Output, drained: make(chan struct{}), said: make(chan struct{}), terminal: o.Terminal != nil}
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

// connect makes the streams, and returns those ends that are the child's.
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
	c.speak.Lock()
	defer c.speak.Unlock()
	if c.output != nil {
		c.output(s, p)
	}
}

func (c *Captured) awaitEnd(linger time.Duration) {
	defer close(c.said)
	<-c.Done()
	if !c.terminal {
		_ = c.CloseInput() // who holds the other end now does not read
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

// Ended is closed when the process has ended, and its output too or what is left
// of it is not waited for any longer. Output that comes later is still handed on.
func (c *Captured) Ended() <-chan struct{} { return c.said }

// Drained is closed when nobody holds the output any more.
func (c *Captured) Drained() <-chan struct{} { return c.drained }

// Exit is how the process has ended, once Done is closed.
func (c *Captured) Exit() Exit {
	<-c.Done()
	return c.exit()
}

// Left reports whether something that the process has started is alive. It is
// meant for when the process itself has ended.
func (c *Captured) Left() bool { return c.left() }

// Vanished is closed when the process has ended with everything that it has started.
// It is nil where that is not known: the process has no supervisor.
func (c *Captured) Vanished() <-chan struct{} { return c.vanished() }

// Write gives the process something to read, and returns when all of it is in the
// pipe, or with an error if the process or CloseInput ends that.
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

// CloseInput ends the input of the process. On a terminal that is the character
// for it, at the beginning of a line.
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

// Stop asks the tree to end with a signal, and ends what is left of it after
// grace. It returns when the process has ended, or with ErrAlive.
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
	timer := time.NewTimer(lastPatience)
	defer timer.Stop()
	select {
	case <-c.said:
		return err
	case <-timer.C:
		return errors.Join(ErrAlive, err)
	}
}

// ErrAlive is the error for a process that does not end though it was killed,
// because it waits for a device or a network file system.
var ErrAlive = errors.New("the process does not end even when it is killed")

// lastPatience bounds how long is waited for the end of a process that was killed.
const lastPatience = 5 * time.Second

// awaitTree waits for the end of the process and of what holds its output, or if
// it has ended before, of what it has left behind.
func (c *Captured) awaitTree(patience time.Duration) {
	timer := time.NewTimer(patience)
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
	look := time.NewTicker(leftInterval)
	defer look.Stop()
	for c.left() {
		select {
		case <-look.C:
		case <-timer.C:
			return
		}
	}
}

// leftInterval is how often is looked whether something is still left.
const leftInterval = 50 * time.Millisecond

// finished reports whether the process has ended and nobody holds its output.
func (c *Captured) finished() bool { return c.ended() && isClosed(c.drained) }

// Close ends the process, if it has not ended, with what it has started, and what
// still holds its output; then it releases everything. Nothing is handed on
// afterwards. A process that has a supervisor leaves nothing behind.
func (c *Captured) Close() error {
	var err error
	c.close.Do(func() {
		if !c.finished() {
			err = c.kill()
		}
		<-c.Done()
		// Who has got away may hold the output for ever.
		c.reads.WaitFor(farewell)
		c.disconnect()
		c.release()
	})
	c.wait()
	c.reads.Wait()
	c.lingers.Wait()
	return err
}
