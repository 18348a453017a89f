package command

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Answer is the result of Ask.
type Answer struct {
	// Stdout is the beginning of the standard output, at most 1 MiB. Stderr is the end of
	// the standard error, at most 16 KiB. Both are without color codes.
	Stdout, Stderr string
	// Code is the exit code.
	Code int
}

// maxAnswer limits Answer.Stdout, in bytes.
const maxAnswer = 1 << 20

// Ask runs a program that ends without input, such as one that lists its models, and
// returns its output. After timeout it ends the program with all child processes and
// returns an error. A missing program wraps executor.ErrUnavailable.
func (r *Runner) Ask(ctx context.Context, call Call, timeout time.Duration) (Answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no response within %v", timeout))
	defer cancel()
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	var mu sync.Mutex
	var out []byte
	errs := tail{most: 16 << 10}
	handleOutput := func(s process.Stream, p []byte) {
		mu.Lock()
		defer mu.Unlock()
		if s == process.Stderr {
			errs.write(p)
			return
		}
		out = append(out, p[:min(len(p), maxAnswer-len(out))]...)
	}
	child, err := process.Capture(r.cmd(call), process.CaptureOptions{Output: handleOutput})
	if err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.Join(executor.ErrUnavailable, err)
		}
		return Answer{}, fmt.Errorf("run the agent program: %w", err)
	}
	select {
	case <-child.Ended():
	case <-ctx.Done():
		err = fmt.Errorf("run the agent program: %w", context.Cause(ctx))
		_ = child.Stop(process.Terminate, time.Second)
	}
	closed := child.Close()
	mu.Lock()
	defer mu.Unlock()
	answer := Answer{Stdout: printable(out, maxAnswer), Stderr: printable(errs.bytes(), errs.most), Code: child.Exit().Code}
	return answer, errors.Join(err, closed)
}
