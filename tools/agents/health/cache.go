package health

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

const (
	// cacheName is the name of the file in Options.Dir.
	cacheName    = "health.json"
	cacheVersion = 1
	maxCache     = 1 << 20
)

// cache is the content of the file: lists of models and successful checks. Failures are not cached.
type cache struct {
	Version int            `json:"version"`
	Models  []cachedModels `json:"models"`
	Answers []cachedAnswer `json:"answers"`
}

type cachedModels struct {
	Executor string           `json:"executor"`
	Models   []executor.Model `json:"models"`
	At       time.Time        `json:"at"`
}

type cachedAnswer struct {
	Executor       string    `json:"executor"`
	Model          string    `json:"model"`
	At             time.Time `json:"at"`
	ResponseTimeMs int64     `json:"responseTime_ms"`
}

// load reads the file. It ignores damaged, expired and future entries.
func (c *Checker) load() {
	if c.o.Dir == "" {
		return
	}
	var kept cache
	text, err := c.read()
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.o.Logger.Warn("the cache of health checks was not read", slog.String("dir", c.o.Dir), slog.Any("error", err))
		}
		return
	}
	if kept.Version != cacheVersion {
		return
	}
	for _, m := range kept.Models {
		if c.isFresh(m.At) && len(m.Models) > 0 {
			c.models[m.Executor] = models{list: m.Models, at: m.At}
		}
	}
	for _, a := range kept.Answers {
		if c.isFresh(a.At) {
			c.answers[key{a.Executor, a.Model}] = answer{At: a.At, Took: time.Duration(a.ResponseTimeMs) * time.Millisecond}
		}
	}
}

// isFresh reports whether a result from the given time is still valid.
func (c *Checker) isFresh(at time.Time) bool {
	age := c.o.Now().Sub(at)
	return age >= 0 && age < c.o.CacheTime
}

func (c *Checker) read() ([]byte, error) {
	root, err := rootfs.Open(c.o.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(cacheName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCache))
}

// save writes the file.
func (c *Checker) save() {
	if c.o.Dir == "" {
		return
	}
	kept := cache{Version: cacheVersion}
	c.mu.Lock()
	for name, m := range c.models {
		if m.err == nil {
			kept.Models = append(kept.Models, cachedModels{name, m.list, m.at})
		}
	}
	for k, a := range c.answers {
		if a.Failed == "" && c.isFresh(a.At) {
			kept.Answers = append(kept.Answers, cachedAnswer{k.Executor, k.Model, a.At, a.Took.Milliseconds()})
		}
	}
	c.mu.Unlock()
	text, err := json.Marshal(kept)
	if err == nil {
		err = c.write(text)
	}
	if err != nil {
		c.o.Logger.Warn("the cache of health checks was not written", slog.String("dir", c.o.Dir), slog.Any("error", err))
	}
}

func (c *Checker) write(text []byte) error {
	if err := os.MkdirAll(c.o.Dir, 0o700); err != nil {
		return err
	}
	how := rootfs.Replacement{Perm: 0o600, Durability: rootfs.Process}
	_, err := rootfs.ReplaceFile(filepath.Join(c.o.Dir, cacheName), how, rootfs.Content(text))
	return err
}
