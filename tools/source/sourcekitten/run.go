package sourcekitten

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
)

// grace is how long a program that has said everything may take to end.
const grace = 2 * time.Second

// run runs a program and returns its output. When ctx ends, the program and its descendants are
// killed.
func run(ctx context.Context, command *exec.Cmd) ([]byte, error) {
	var said process.LastLines
	child, err := process.Start(command, said.Add)
	if err != nil {
		return nil, err
	}
	_ = child.Stdin.Close()
	var out []byte
	var readErr error
	var reads group.Group
	read := make(chan struct{})
	reads.Go(func() {
		defer close(read)
		out, readErr = io.ReadAll(io.LimitReader(child.Stdout, maxOutput+1))
	})
	patience := grace
	select {
	case <-read:
		if len(out) > maxOutput {
			patience = 0
		}
	case <-ctx.Done():
		patience = 0
	}
	late := ctx.Err() // later errors are results of the cleanup
	ended := child.Stop(ctx, patience)
	reads.Wait()
	switch {
	case late != nil:
		return nil, fmt.Errorf("it was ended before it had answered: %w", late)
	case ended != nil:
		exit, _ := child.Exited()
		return nil, fmt.Errorf("%w: it has ended with %s", ended, said.After(exit))
	case readErr != nil:
		return nil, readErr
	case len(out) > maxOutput:
		return nil, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	case len(out) == 0:
		exit, _ := child.Exited()
		return nil, fmt.Errorf("it printed nothing: it has ended with %s", said.After(exit))
	}
	return out, nil
}
