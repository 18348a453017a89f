package process

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// Child is a running process with its descendants. The caller communicates over Stdin and Stdout, which are pipes,
// and must Stop it.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	life
	reads  group.Group // reads standard error
	stderr *os.File
	close  sync.Once
}

// Options say how a child is run. The zero value runs it as it is.
type Options struct {
	// Stderr receives each line that the child writes to standard error, or a
	// stretch of a longer line. nil throws them away.
	Stderr func(line string)
	// Wrap, unless it is nil, is called before the child is started, when the
	// environment is complete. It may change Path, Args, Env, ExtraFiles and
	// SysProcAttr, so that the child runs in a sandbox. Its error is that of the
	// start.
	Wrap func(*exec.Cmd) error
}

// maxStderrLine is the longest stretch of standard error that is handed on as
// one line, in bytes.
const maxStderrLine = 64 << 10

// stderrTimeout is how long the rest of standard error may take to be read.
const stderrTimeout = time.Second

// Start runs cmd, whose standard streams must not be set. Each line that it
// writes to standard error goes to stderr, which may be nil: then it is read
// and thrown away, so that the child never blocks.
func Start(cmd *exec.Cmd, stderr func(line string)) (*Child, error) {
	return StartWith(cmd, Options{Stderr: stderr})
}

// StartWith is Start with options.
func StartWith(cmd *exec.Cmd, o Options) (*Child, error) {
	var theirs, ours [3]*os.File
	abandon := func(err error) (*Child, error) {
		for _, file := range append(theirs[:], ours[:]...) {
			_ = file.Close() // one that was not made does not mind
		}
		return nil, err
	}
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			return abandon(err)
		}
		if theirs[i], ours[i] = w, r; i == 0 {
			theirs[i], ours[i] = r, w
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	p, err := launch(cmd, "", o.Wrap)
	if err != nil {
		return abandon(err)
	}
	for _, file := range theirs {
		_ = file.Close()
	}
	c := &Child{Stdin: ours[0], Stdout: ours[1], life: p, stderr: ours[2]}
	c.reads.Go(func() { readLines(ours[2], o.Stderr) })
	c.reads.Go(func() { // a process that holds the other end now does not read
		<-p.Done()
		_ = ours[0].Close()
	})
	return c, nil
}

// readLines reads to the end whatever comes.
func readLines(r io.Reader, line func(string)) {
	b := bufio.NewReaderSize(r, maxStderrLine)
	for {
		text, err := b.ReadSlice('\n')
		if len(text) > 0 && line != nil {
			line(string(trimEOL(text)))
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func trimEOL(b []byte) []byte {
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}

// Stop ends the process. It closes standard input, waits grace for the exit, sends a termination signal to the group,
// waits grace again, and kills the remaining processes. It returns the error of an exit that Stop has not caused.
func (c *Child) Stop(ctx context.Context, grace time.Duration) error {
	_ = c.Stdin.Close()
	asked := false
	if !c.endedWithin(ctx, grace) {
		asked = true
		_ = c.terminate()
		c.endedWithin(ctx, grace)
	}
	c.close.Do(func() {
		// Children of the process may be left even when it ended by itself. Once
		// all have ended the group's number is free for others: it is used once.
		if asked {
			_ = c.kill()
		}
		_ = c.killGroup()
		<-c.Done()
		// Standard error ends when the last process closes it. Stop does not wait for processes that have left the
		// group.
		c.reads.WaitFor(stderrTimeout)
		_ = c.Stdout.Close()
		_ = c.stderr.Close()
		c.release()
	})
	c.wait()
	c.reads.Wait()
	if asked {
		return nil
	}
	return c.failure()
}

// Exited returns how the process has ended, after the rest of its standard error
// was read. ended is false for a process that does not end within a second.
func (c *Child) Exited() (exit Exit, ended bool) {
	if !c.endedWithin(context.Background(), stderrTimeout) {
		return Exit{}, false
	}
	c.reads.WaitFor(stderrTimeout)
	return c.exit(), true
}

func (c *Child) endedWithin(ctx context.Context, d time.Duration) bool {
	select {
	case <-c.Done(): // even when there is no more time
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.Done():
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
