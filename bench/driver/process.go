package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
	"time"
)

// protocol is the revision that is spoken: the newest one of those with a
// handshake that every measured library knows.
const protocol = "2025-06-18"

// grace is how long a server may take to end after its input has.
const grace = 5 * time.Second

// process is a running server.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *lines
	stderr *tail
	ended  sync.Once
}

// startProcess starts a server, which is killed when ctx ends.
func startProcess(ctx context.Context, b Binary, tools int) (*process, error) {
	cmd := exec.CommandContext(ctx, b.Path, "-tools", strconv.Itoa(tools))
	cmd.WaitDelay = grace
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

// initialize sends the first request and waits for its answer.
func (p *process) initialize(ctx context.Context) error {
	r, err := newRequest("initialize", map[string]any{
		"protocolVersion": protocol,
		"capabilities":    struct{}{},
		"clientInfo":      map[string]string{"name": "bench", "version": "1.0.0"},
	})
	if err != nil {
		return err
	}
	x := exchange{request: r, first: firstID, calls: 1, inFlight: 1, every: 1}
	answers, err := x.run(ctx, p.link())
	if err != nil {
		return p.explain(fmt.Errorf("initialize: %w", err))
	}
	if err := x.verify(answers, checkInitialize); err != nil {
		return p.explain(fmt.Errorf("initialize: %w", err))
	}
	return nil
}

func checkInitialize(result json.RawMessage) error {
	var got struct{ ProtocolVersion string }
	if err := json.Unmarshal(result, &got); err != nil {
		return err
	}
	if got.ProtocolVersion != protocol {
		return fmt.Errorf("the server speaks %q, not %q", got.ProtocolVersion, protocol)
	}
	return nil
}

// link returns the way to exchange calls with the server, which is killed when
// that fails.
func (p *process) link() link {
	return link{in: p.stdin, out: p.stdout, abort: func() { p.cmd.Process.Kill() }}
}

// initialized ends the handshake.
func (p *process) initialized() error {
	const line = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	if _, err := io.WriteString(p.stdin, line); err != nil {
		return p.explain(fmt.Errorf("end the handshake: %w", err))
	}
	return nil
}

// stop closes the server's input and waits for its end. A server that outlives
// its input is killed; how it ends is not judged.
func (p *process) stop() {
	p.ended.Do(func() {
		p.stdin.Close()
		timer := time.AfterFunc(grace, func() { p.cmd.Process.Kill() })
		defer timer.Stop()
		p.cmd.Wait()
	})
}

// explain stops the server, since only then all is known that it said on
// standard error, and adds the last of that to an error.
func (p *process) explain(err error) error {
	p.stop()
	if said := p.stderr.String(); said != "" {
		return fmt.Errorf("%w (the server said: %s)", err, said)
	}
	return err
}
