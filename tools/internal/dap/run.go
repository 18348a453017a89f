package dap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os/exec"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/internal/childrpc"
)

// run starts the process and the goroutines that read and write its messages.
func (s *Session) run(ctx context.Context) error {
	cmd := exec.Command(s.c.Command[0], s.c.Command[1:]...)
	cmd.Dir, cmd.Env = s.c.Dir, s.c.Env
	speech, said := io.Pipe()
	listens := &announcement{prefix: []byte(s.c.Announces), found: make(chan string, 1)}
	o := process.CaptureOptions{Input: s.c.Announces == "", Mark: s.mark, Wrap: s.c.Wrap, Output: func(stream process.Stream, p []byte) {
		switch {
		case stream == process.Stdout && s.c.Announces == "":
			_, _ = said.Write(p) // fails after the reader has ended
			return
		case stream == process.Stdout:
			p = listens.hear(p)
		default:
			s.life.Hear(p)
		}
		if s.c.Output != nil && len(p) > 0 {
			s.c.Output(stream, p)
		}
	}}
	child, err := process.Capture(cmd, o)
	if err != nil {
		return err
	}
	s.child = child
	s.ends.Go(func() { s.attend(speech, said) })
	var in io.Reader = speech
	var out io.Writer = child
	if s.c.Announces != "" {
		conn, err := s.dial(ctx, listens.found)
		if err != nil {
			s.life.Fail(err)
			s.wait()
			return err
		}
		in, out = conn, conn
		s.ends.Go(func() { // a peer that neither reads nor writes is left all the same
			<-s.life.Failing()
			_ = conn.Close()
		})
	}
	s.work.Go(func() { s.read(in) })
	s.work.Go(func() { s.write(out) })
	return nil
}

// attend waits for the end, and clears up.
func (s *Session) attend(speech *io.PipeReader, said *io.PipeWriter) {
	defer close(s.done)
	select {
	case <-s.life.Failing():
	case <-s.child.Ended():
		_ = said.Close()
		timer := time.NewTimer(lastRead)
		select { // the reader ends by itself
		case <-s.life.Failing():
		case <-timer.C:
			s.life.Fail(io.EOF)
		}
		timer.Stop()
	}
	_ = speech.CloseWithError(ErrClosed)
	itself := s.endedByItself()
	err := s.child.Stop(process.Terminate, eviction)
	err = errors.Join(err, s.child.Close())
	err = errors.Join(err, process.KillMarked(context.Background(), s.mark))
	s.mu.Lock()
	s.killed = err
	s.mu.Unlock()
	var exit *process.Exit
	if itself {
		e := s.child.Exit()
		exit = &e
	}
	s.life.Explain(exit, "connection")
}

// endedByItself reports whether the session fails because the adapter has ended. One whose stream has ended may take a moment to end.
func (s *Session) endedByItself() bool {
	if !childrpc.BrokenOff(s.life.Failure()) {
		return false
	}
	timer := time.NewTimer(lastRead)
	defer timer.Stop()
	select {
	case <-s.child.Ended():
		return true
	case <-timer.C:
		return false
	}
}

// dial connects to the address that the adapter announces.
func (s *Session) dial(ctx context.Context, found <-chan string) (net.Conn, error) {
	var address string
	select {
	case address = <-found:
	case <-s.child.Ended():
		return nil, fmt.Errorf("it has ended by itself with %s", s.child.Exit())
	case <-ctx.Done():
		return nil, fmt.Errorf("it does not say at which address it listens: %w", context.Cause(ctx))
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return nil, fmt.Errorf("it listens at %q, which is no address of the loopback interface", truncate.Line(address, 80))
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	return conn, nil
}

// maxPreface is how much an adapter may print before its address, in bytes.
const maxPreface = 64 << 10

// announcement finds an address in the output.
type announcement struct {
	prefix []byte
	found  chan string
	heard  []byte
	over   bool
}

// hear processes output and returns the part after the line with the address.
func (a *announcement) hear(p []byte) []byte {
	if a.over {
		return p
	}
	a.heard = append(a.heard, p...)
	for {
		line, rest, whole := bytes.Cut(a.heard, []byte("\n"))
		if !whole {
			break
		}
		a.heard = rest
		if _, address, ok := bytes.Cut(line, a.prefix); ok {
			a.over, a.heard = true, nil
			a.found <- strings.TrimSpace(string(address))
			return rest
		}
	}
	if len(a.heard) > maxPreface {
		a.over = true
		a.found <- "" // which is no address
	}
	return nil
}
