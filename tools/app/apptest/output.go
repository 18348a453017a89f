package apptest

import (
	"bytes"
	"strings"
	"sync"
)

// Output collects the output of a program while it runs. It may be used concurrently. The
// zero value is empty and ready to use.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	// more is closed by the next Write; nil while Await does not wait.
	more chan struct{}
}

// Write implements io.Writer.
func (j *Output) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.more != nil {
		close(j.more)
		j.more = nil
	}
	return j.text.Write(p)
}

// String returns all text written so far.
func (j *Output) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Await waits until the output contains text or ended is closed. It reports whether the
// output contains text.
func (j *Output) Await(text string, ended <-chan struct{}) bool {
	for {
		has, more := j.look(text)
		if has {
			return true
		}
		select {
		case <-more:
		case <-ended:
			has, _ = j.look(text)
			return has
		}
	}
}

// look reports whether the output contains text. If not, the returned channel is closed by
// the next Write.
func (j *Output) look(text string) (has bool, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if strings.Contains(j.text.String(), text) {
		return true, nil
	}
	if j.more == nil {
		j.more = make(chan struct{})
	}
	return false, j.more
}
