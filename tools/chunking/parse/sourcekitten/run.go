package sourcekitten

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
)

// grace is how long a program that has said everything may take to end.
const grace = 2 * time.Second

// run answers with what a program prints. When ctx ends the program is killed with
// all that it started.
func run(ctx context.Context, command *exec.Cmd) ([]byte, error) {
	var said complaint
	child, err := process.Start(command, said.line)
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
	late := ctx.Err() // what happens from here on is our own doing
	ended := child.Stop(ctx, patience)
	reads.Wait()
	switch {
	case late != nil:
		return nil, fmt.Errorf("it was ended before it had answered: %w", late)
	case ended != nil:
		return nil, fmt.Errorf("%w%s", ended, said.text())
	case readErr != nil:
		return nil, readErr
	case len(out) > maxOutput:
		return nil, fmt.Errorf("it printed more than %d MiB", maxOutput>>20)
	case len(out) == 0:
		return nil, errors.New("it printed nothing" + said.text())
	}
	return out, nil
}

// complaint keeps the beginning of what a program writes to standard error.
type complaint struct {
	mu  sync.Mutex
	all strings.Builder
}

func (c *complaint) line(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if room := maxComplaint - c.all.Len(); room > 0 {
		c.all.WriteString(" " + strings.ToValidUTF8(text[:min(len(text), room)], "?"))
	}
}

func (c *complaint) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all.Len() == 0 {
		return ""
	}
	return ":" + c.all.String()
}
