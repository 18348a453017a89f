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
	// buffered is how much of a stream waits in memory at most before it is written, in bytes.
	buffered = 64 << 10
	// known is of how many agents it is remembered which files they have.
	known = 512
)

// outputs keeps what agents write in a directory for each, as files that hold segments of streams.
type outputs struct {
	dir   string
	total int64
	most  int // directories
	raw   int64
	text  int64
	delay time.Duration
	log   *slog.Logger
	kick  chan struct{}

	mu     sync.Mutex
	agents map[string]*writer
	grown  int64 // what was written since the directories were looked through
	closed bool
}

// writer is what an agent has written.
type writer struct {
	dir     string
	used    time.Time
	streams map[record.Stream]*stream
}

func (o *outputs) begin(dir string, options Options) {
	*o = outputs{
		dir: dir, total: options.OutputBytes, most: options.Agents, raw: options.RawBytes, text: options.TextBytes, delay: options.Delay, log: options.Log,
		kick: make(chan struct{}, 1), agents: map[string]*writer{}, grown: options.OutputBytes,
	}
}

// Append implements record.Outputs.
func (o *outputs) Append(ctx context.Context, agentID string, s record.Stream, p []byte) error {
	if err := o.hold(ctx); err != nil {
		return fmt.Errorf("keeping output of the agent %s: %w", agentID, err)
	}
	defer o.mu.Unlock()
	if len(p) == 0 {
		return nil
	}
	if err := o.stream(agentID, s).append(p); err != nil {
		return fmt.Errorf("keeping output of the agent %s: %w", agentID, err)
	}
	o.grown += int64(len(p))
	select {
	case o.kick <- struct{}{}:
	default:
	}
	return nil
}

// Output implements record.Outputs.
func (o *outputs) Output(ctx context.Context, agentID string, s record.Stream, offset int64, length int) (record.Output, error) {
	if err := o.hold(ctx); err != nil {
		return record.Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, err)
	}
	defer o.mu.Unlock()
	st := o.stream(agentID, s)
	if err := st.flush(); err != nil {
		return record.Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, err)
	}
	return record.ReadRange(st.end(), offset, length, st.read), nil
}

func (o *outputs) hold(ctx context.Context) error {
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

// stream is one of the streams of an agent, with what there is of it in files.
func (o *outputs) stream(agentID string, s record.Stream) *stream {
	w := o.agents[agentID]
	if w == nil {
		o.letGo()
		w = &writer{dir: filepath.Join(o.dir, fileName(agentID)), streams: map[record.Stream]*stream{}}
		o.agents[agentID] = w
	}
	w.used = time.Now()
	st := w.streams[s]
	if st == nil {
		st = &stream{dir: w.dir, name: fileName(string(s)), most: o.text}
		if s == record.Raw {
			st.most = o.raw
		}
		st.find()
		w.streams[s] = st
	}
	return st
}

// letGo forgets the files of those agents that were not asked for lately, if too many are known.
func (o *outputs) letGo() {
	if len(o.agents) < known {
		return
	}
	ids := slices.SortedFunc(maps.Keys(o.agents), func(a, b string) int { return cmp.Compare(o.agents[a].used.UnixNano(), o.agents[b].used.UnixNano()) })
	for _, id := range ids[:known/2] {
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

// flush writes what waits.
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

// keepWriting writes what waits, a while after it began to, and sees to it that there is room.
func (o *outputs) keepWriting(ctx context.Context) {
	for {
		o.sweep()
		select {
		case <-ctx.Done():
			return
		case <-o.kick:
		}
		if wait.Sleep(ctx, o.delay) != nil {
			return
		}
		if err := o.flush(); err != nil {
			o.log.Warn("output of agents could not be written", "error", err)
		}
	}
}

// sweep removes the output of those who wrote the longest ago, if it is too much in all or of too many.
func (o *outputs) sweep() {
	o.mu.Lock()
	grown := o.grown
	if grown < o.total/16 {
		o.mu.Unlock()
		return
	}
	o.grown = 0
	o.mu.Unlock()
	dirs, total := look(o.dir)
	for i, d := range dirs {
		if total <= o.total && len(dirs)-i <= o.most {
			return
		}
		if err := o.remove(d.path); err != nil {
			o.log.Warn("old output of an agent could not be removed", "directory", d.path, "error", err)
			continue
		}
		total -= d.size
	}
}

// remove removes a directory, while nobody is about to make a file in it.
func (o *outputs) remove(path string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return os.RemoveAll(path)
}

// directory is where the output of an agent is.
type directory struct {
	path string
	size int64
	last time.Time
}

// look looks through all directories and answers the oldest first.
func look(dir string) (all []directory, total int64) {
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
