package apptest

import (
	"bytes"
	"strings"
	"sync"
)

// Output is an output of a program that a test reads while the program writes.
// The zero value is empty.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed with the next text; nil if nobody waits
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

// String is all that was written.
func (j *Output) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Await waits until a text was written, and reports whether it was before ended
// was closed.
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

// look says whether a text was written, and if not, what is closed when there is
// more.
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
