package driver

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// endTimeout is the time that a server may take to end after its input was closed.
const endTimeout = 5 * time.Second

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *lines
	stderr *tail
	ended  sync.Once

	endpoint *url.URL // of a server that listens
	probe    *url.URL // of a server with a probe
}

// startProcess starts a server, which is killed when ctx ends.
func startProcess(ctx context.Context, b Binary, tools int, args ...string) (*process, error) {
	return launch(exec.CommandContext(ctx, b.Path, append([]string{"-tools", strconv.Itoa(tools)}, args...)...))
}

// launch starts a command with pipes.
func launch(cmd *exec.Cmd) (*process, error) {
	cmd.WaitDelay = endTimeout
	stderr := &tail{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &process{cmd: cmd, stdin: stdin, stdout: newLines(stdout), stderr: stderr}, nil
}

// pipes returns the link over the server's standard input and output. An error kills the server.
func (p *process) pipes() link {
	return link{in: p.stdin, out: p.stdout, abort: func() { p.cmd.Process.Kill() }}
}

// startListening starts a server that listens, with a probe if probed.
func startListening(ctx context.Context, b Binary, tools int, probed bool, args ...string) (*process, error) {
	args = append([]string{"-http", "127.0.0.1:0", "-attached"}, args...)
	if probed {
		args = append(args, "-probe")
	}
	p, err := startProcess(ctx, b, tools, args...)
	if err != nil {
		return nil, err
	}
	where := []**url.URL{&p.endpoint}
	if probed {
		where = append(where, &p.probe)
	}
	if err := p.learn(ctx, where); err != nil {
		return nil, p.explain(err)
	}
	return p, nil
}

// learn reads the URLs that a listening server prints.
func (p *process) learn(ctx context.Context, where []**url.URL) error {
	defer context.AfterFunc(ctx, func() { p.cmd.Process.Kill() })()
	for known := 0; known < len(where); {
		var wrong error
		_, err := p.stdout.batch(func(line []byte) {
			u, err := url.Parse(string(line))
			if err != nil || u.Host == "" || known == len(where) {
				wrong = fmt.Errorf("the server says %q instead of where it listens", line)
				return
			}
			*where[known] = u
			known++
		})
		if err != nil {
			return fmt.Errorf("learn where the server listens: %w", err)
		}
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

// stop closes the server's input and waits for its end. A server that continues is killed. The exit code is ignored.
func (p *process) stop() {
	p.ended.Do(func() {
		p.stdin.Close()
		timer := time.AfterFunc(endTimeout, func() { p.cmd.Process.Kill() })
		defer timer.Stop()
		p.cmd.Wait()
	})
}

// explain stops the server and adds the end of its standard error to an error. Only after the stop is the output complete.
func (p *process) explain(err error) error {
	p.stop()
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("%w (the server said: %s)", err, said)
	}
	return err
}
