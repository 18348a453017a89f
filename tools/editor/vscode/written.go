package vscode

import (
	"sync"
	"time"
)

const (
	watchTime  = 2 * time.Second // time until a window notices changes on the disk
	maxWritten = 1000            // limit of recorded files; a window refuses more
)

// changes are files that were recently changed on the disk. The next query sends them to the window, because diagnostics of one
// file can depend on another file that VS Code has not reloaded yet.
type changes struct {
	mu sync.Mutex
	at map[string]time.Time // time of the change, by path
}

// written is a changed file in a request for diagnostics.
type written struct {
	Path string `json:"path"`
	Ago  int64  `json:"ago"` // in milliseconds
}

// FilesChanged makes the next diagnostics wait until VS Code has seen files that were changed on the disk.
func (v *VSCode) FilesChanged(paths []string) {
	c := v.written
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	now := time.Now()
	for _, path := range paths {
		if len(c.at) < maxWritten {
			c.at[path] = now
		}
	}
}

// lately returns the changes of the last watchTime.
func (c *changes) lately() []written {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget()
	all := make([]written, 0, len(c.at))
	for path, at := range c.at {
		all = append(all, written{path, time.Since(at).Milliseconds()})
	}
	return all
}

// forget removes changes that windows have noticed by now.
func (c *changes) forget() {
	for path, at := range c.at {
		if time.Since(at) > watchTime {
			delete(c.at, path)
		}
	}
}
