package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// Child is a running process with everything that it starts. Its standard
// input and output are pipes of its owner, who must Stop it.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd    *exec.Cmd
	tree   tree        // what holds the process and its children together
	watch  group.Group // waits for the end of the process
	reads  group.Group // reads standard error
	done   chan struct{}
	err    error // of Wait; read after done
	stderr *os.File
	close  sync.Once
}

// maxStderrLine is the longest stretch of standard error that is handed on as
// one line, in bytes.
const maxStderrLine = 64 << 10

// lastWords is how long the rest of standard error may take to be read.
const lastWords = time.Second

// Start runs cmd, whose standard streams must not be set. Each line that it
// writes to standard error goes to stderr, which may be nil: then it is read
// and thrown away, so that the child never blocks.
func Start(cmd *exec.Cmd, stderr func(line string)) (*Child, error) {
	c := &Child{cmd: cmd, done: make(chan struct{})}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, outRead.Close(), outWrite.Close())
	}
	cmd.Stdout, cmd.Stderr = outWrite, errWrite
	c.Stdin, c.Stdout, c.stderr = in, outRead, errRead
	setGroup(cmd)
	err = cmd.Start()
	_ = outWrite.Close()
	_ = errWrite.Close()
	if err == nil {
		err = c.started()
	}
	if err != nil {
		if cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		return nil, errors.Join(fmt.Errorf("starting %s: %w", cmd.Path, err), outRead.Close(), errRead.Close())
	}
	c.reads.Go(func() { readLines(errRead, stderr) })
	c.watch.Go(func() {
		c.err = cmd.Wait()
		close(c.done)
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

// Done is closed when the process itself has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// PID is the process id.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Stop ends the process: it closes its standard input, waits grace for it to
// end by itself, asks the whole group to terminate, waits grace again, and
// kills what is left. It returns how the process ended; having been ended here
// is no error.
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
		_ = c.kill()
		<-c.done
		// Standard error ends with the last process that holds it; what escaped
		// the group is not waited for.
		c.reads.WaitFor(lastWords)
		_ = c.Stdout.Close()
		_ = c.stderr.Close()
		c.release()
	})
	c.watch.Wait()
	c.reads.Wait()
	if asked {
		return nil
	}
	return c.err
}

func (c *Child) endedWithin(ctx context.Context, d time.Duration) bool {
	select {
	case <-c.done: // even when there is no more time
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}
