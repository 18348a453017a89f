package sqlite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// maxBuffer is the size of a stream's buffer at which it is written, in bytes.
	maxBuffer = 64 << 10
	// maxCachedAgents is the number of agents whose file lists stay in memory.
	maxCachedAgents = 512
)

// outputs is a record.Outputs: a directory for each agent, with files that hold segments of its
// streams.
type outputs struct {
	dir           string
	maxTotalBytes int64
	maxAgents     int // directories
	maxRawBytes   int64
	maxTextBytes  int64
	delay         time.Duration
	log           *slog.Logger
	wakeup        chan struct{} // signals unwritten output; capacity 1

	mu           sync.Mutex
	agents       map[string]*writer
	writtenBytes int64 // since the last sweep
	closed       bool
}

// writer is the output of one agent.
type writer struct {
	dir     string
	lastUse time.Time
	streams map[record.Stream]*stream
}

func (o *outputs) open(dir string, options Options) {
	*o = outputs{
		dir: dir, maxTotalBytes: options.MaxOutputBytes, maxAgents: options.MaxAgents, maxRawBytes: options.MaxRawBytes, maxTextBytes: options.MaxTextBytes, delay: options.WriteDelay, log: options.Log,
		wakeup: make(chan struct{}, 1), agents: map[string]*writer{}, writtenBytes: options.MaxOutputBytes,
	}
}

// Append implements record.Outputs.
func (o *outputs) Append(ctx context.Context, agentID string, s record.Stream, p []byte) error {
	if err := o.lock(ctx); err != nil {
		return fmt.Errorf("storing output of the agent %s: %w", agentID, err)
	}
	defer o.mu.Unlock()
	if len(p) == 0 {
		return nil
	}
	if err := o.stream(agentID, s).append(p); err != nil {
		return fmt.Errorf("storing output of the agent %s: %w", agentID, err)
	}
	o.writtenBytes += int64(len(p))
	select {
	case o.wakeup <- struct{}{}:
	default:
	}
	return nil
}

// Output implements record.Outputs.
func (o *outputs) Output(ctx context.Context, agentID string, s record.Stream, offset int64, length int) (record.Output, error) {
	if err := o.lock(ctx); err != nil {
		return record.Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, err)
	}
	defer o.mu.Unlock()
	st := o.stream(agentID, s)
	if err := st.flush(); err != nil {
		return record.Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, err)
	}
	return record.ReadRange(st.end(), offset, length, st.read), nil
}

// lock locks o.mu, or returns an error if ctx has ended or o is closed.
func (o *outputs) lock(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return errClosed
	}
	return nil
}

// stream returns a stream of an agent, with its existing files.
func (o *outputs) stream(agentID string, s record.Stream) *stream {
	w := o.agents[agentID]
	if w == nil {
		o.evictCache()
		w = &writer{dir: filepath.Join(o.dir, fileName(agentID)), streams: map[record.Stream]*stream{}}
		o.agents[agentID] = w
	}
	w.lastUse = time.Now()
	st := w.streams[s]
	if st == nil {
		st = &stream{dir: w.dir, name: fileName(string(s)), maxBytes: o.maxTextBytes}
		if s == record.Raw {
			st.maxBytes = o.maxRawBytes
		}
		st.loadSegments()
		w.streams[s] = st
	}
	return st
}

// evictCache forgets the file lists of the least recently used agents above maxCachedAgents.
func (o *outputs) evictCache() {
	if len(o.agents) < maxCachedAgents {
		return
	}
	ids := slices.SortedFunc(maps.Keys(o.agents), func(a, b string) int {
		return cmp.Compare(o.agents[a].lastUse.UnixNano(), o.agents[b].lastUse.UnixNano())
	})
	for _, id := range ids[:maxCachedAgents/2] {
		if err := o.agents[id].flush(); err == nil {
			delete(o.agents, id)
		}
	}
}

func (w *writer) flush() (err error) {
	for _, s := range w.streams {
		err = errors.Join(err, s.flush())
	}
	return err
}

// flush writes all buffers.
func (o *outputs) flush() (err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.agents {
		err = errors.Join(err, w.flush())
	}
	return err
}

func (o *outputs) close() error {
	err := o.flush()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.agents = true, nil
	return err
}

// writeLoop flushes buffers after WriteDelay, and sweeps.
func (o *outputs) writeLoop(ctx context.Context) {
	for {
		o.sweep()
		select {
		case <-ctx.Done():
			return
		case <-o.wakeup:
		}
		if wait.Sleep(ctx, o.delay) != nil {
			return
		}
		if err := o.flush(); err != nil {
			o.log.Warn("output of agents was not written", "error", err)
		}
	}
}

// sweep removes the output of the least recent writers above the limits. It runs after every
// sixteenth of the limit.
func (o *outputs) sweep() {
	o.mu.Lock()
	grown := o.writtenBytes
	if grown < o.maxTotalBytes/16 {
		o.mu.Unlock()
		return
	}
	o.writtenBytes = 0
	o.mu.Unlock()
	dirs, total := listDirectories(o.dir)
	for i, d := range dirs {
		if total <= o.maxTotalBytes && len(dirs)-i <= o.maxAgents {
			return
		}
		if err := o.remove(d.path); err != nil {
			o.log.Warn("old output of an agent was not removed", "directory", d.path, "error", err)
			continue
		}
		total -= d.size
	}
}

// remove removes a directory while no stream creates a file in it.
func (o *outputs) remove(path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return os.RemoveAll(path)
}

// directory is the output directory of an agent.
type directory struct {
	path string
	size int64
	last time.Time // newest modification
}

// listDirectories returns all directories, least recently modified first, and their total size.
func listDirectories(dir string) (all []directory, total int64) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		d := directory{path: filepath.Join(dir, entry.Name())}
		files, _ := os.ReadDir(d.path)
		for _, file := range files {
			if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
				d.size += info.Size()
				if info.ModTime().After(d.last) {
					d.last = info.ModTime()
				}
			}
		}
		total += d.size
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b directory) int { return a.last.Compare(b.last) })
	return all, total
}
