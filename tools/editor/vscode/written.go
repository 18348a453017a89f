package vscode

import (
	"sync"
	"time"
)

const (
	watchTime  = 2 * time.Second // in which a window sees what has changed on the disk
	maxWritten = 1000            // files that are remembered; a window refuses more
)

// changes are files that were changed on the disk lately. Windows are told of them with the next question: what an extension says
// of one file may depend on another, of which it learns only when VS Code does.
type changes struct {
	mu sync.Mutex
	at map[string]time.Time
}

// written is a change as a window is told.
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

// forget drops what windows have seen by now.
func (c *changes) forget() {
	for path, at := range c.at {
		if time.Since(at) > watchTime {
			delete(c.at, path)
		}
	}
}
