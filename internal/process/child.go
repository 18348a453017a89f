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

	// life is the process and its tree. Done is closed when the process itself has ended; its descendants may
	// still run. terminate asks the group to end. kill ends the process and all known descendants, killGroup only the
	// process group. failure is the error of the exit, and release frees the resources of the tree.
	life
	reads  group.Group // reads standard error, and closes standard input after the end
	stderr *os.File
	close  sync.Once // the part of Stop that runs once
}

// Options configure a child. The zero value discards its standard error and starts it unchanged.
type Options struct {
	// Stderr receives each line that the child writes to standard error. A line longer than 64 KiB is passed in
	// parts. Nil discards the lines.
	Stderr func(line string)
	// Wrap, unless it is nil, is called before the child is started, when the
	// environment is complete. It may change Path, Args, Env, ExtraFiles and
	// SysProcAttr, so that the child runs in a sandbox. Its error is that of the
	// start.
	Wrap func(*exec.Cmd) error
}

// maxStderrLine is the maximum size in bytes of a line for Options.Stderr. Longer
// lines are passed in parts.
const maxStderrLine = 64 << 10

// stderrTimeout limits the time to read the rest of standard error after the exit.
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
	c.reads.Go(func() {
		// After the exit, only a descendant can hold the read end of standard input, and it does not read. Without Close a
		// write to Stdin would then block.
		<-p.Done()
		_ = ours[0].Close()
	})
	return c, nil
}

// readLines reads r to its end and passes each line, or part of a long line, to line.
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
// waits grace again, and kills the remaining processes. The end of ctx ends both waits.
//
// Stop returns nil if it has sent the signal. If the process has ended before, for example by itself, each call of Stop
// returns the error of its exit.
func (c *Child) Stop(ctx context.Context, grace time.Duration) error {
	_ = c.Stdin.Close()
	asked := false
	if !c.endedWithin(ctx, grace) {
		asked = true
		_ = c.terminate()
		c.endedWithin(ctx, grace)
	}
	c.close.Do(func() {
		// Descendants may still run even if the process ended by itself. killGroup
		// must run only once: after the last process of the group has ended, the system
		// may give the number of the group to another one.
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

// Memory returns the resident memory of the process and its descendants, in bytes. Pages that several processes share count once
// for each. A fork can double the result for a moment. ok is false after the end, and on systems other than Linux.
func (c *Child) Memory() (bytes int64, ok bool) { return c.memory() }

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
