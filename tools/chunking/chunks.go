package chunking

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"

	"golang.org/x/sync/semaphore"
)

// Options choose parsers and stores. The zero value uses all built-in parsers and
// keeps the index as JSON below data/chunks of the project.
type Options struct {
	// Parsers read the files. nil is builtin.Parsers, which are closed with the set;
	// others stay the caller's. One of another language may say which files are in it:
	// see source.Extender.
	Parsers *source.Parsers
	// Languages limits analyze_project to these languages. Default: nil, all languages
	// of Parsers.
	Languages []source.Language
	// Store keeps the index between runs, and is closed with the set. nil is
	// index.NewJSONStore in Data.
	Store index.Store
	// Data is the directory of the index, relative to the project or absolute.
	// Default index.DefaultDir.
	Data string
	// InMemory keeps nothing on disk. Store and Data do not count then.
	InMemory bool
	// Graph stores calls and imports; see package graph. Default: nil, without the tool
	// find_dependencies. The set closes it.
	Graph graph.Graph
	// References finds exact uses and corrects the estimates of Graph. Without Graph
	// and References the tool find_callers is not offered. The set does not close it.
	References References
	// ReferencesPatience bounds how long References are waited for; 0 is 5 s where there
	// is a Graph to answer instead, 30 s where there is none.
	ReferencesPatience time.Duration
	// Watch follows changes of the files from the first analysis on.
	Watch bool
}

// Chunks is the set of chunk tools. Its methods may be called from several
// goroutines at once.
type Chunks struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	options  Options
	own      *source.Parsers // closed with the set
	index    *index.Index
	features mcp.Features
	ledger   *tools.Ledger // what each peer has last seen of a chunk, by id

	life     context.Context // ends with the set
	end      context.CancelFunc
	work     group.Group
	watching sync.Once
	maps     repomap.Maps
	mapped   sync.Once // for the first time

	unread *unreadFiles

	connecting *semaphore.Weighted // of 1, for bringing the graph up to date
	connected  uint64              // one more than the generation of the index that the graph has; 0: none yet
}

// New makes the set and loads the index, which takes a moment however large the
// project is. The environment needs a Root, which stays the caller's to close.
func New(ctx context.Context, env tools.Env, o Options) (_ *Chunks, err error) {
	if env.Root == nil {
		return nil, errors.New("making the chunk tools: the environment has no root")
	}
	c := &Chunks{root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), options: o, ledger: env.Ledger(), unread: &unreadFiles{byDir: map[string]unreadCounts{}}, connecting: semaphore.NewWeighted(1)}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("making the chunk tools: %w", err), c.Close(ctx))
		}
	}()
	c.work.OnPanic = func(value any, stack []byte) {
		c.log.Error("a background task of the chunk tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	if c.options.Parsers == nil {
		grammars, _ := env.Root.CacheDir("grammars")
		c.own = builtin.Parsers(builtin.Options{CacheDir: grammars})
		c.options.Parsers = c.own
	}
	if c.options.InMemory {
		c.options.Store = nil
	} else if c.options.Store == nil {
		if c.options.Store, err = index.NewJSONStore(env.Root, index.JSONOptions{Dir: o.Data, Log: c.log}); err != nil {
			return nil, err
		}
	}
	c.index, err = index.Open(ctx, env.Root, index.Options{
		Parsers: c.options.Parsers, Store: c.options.Store, Calls: o.Graph != nil, Languages: o.Languages, Log: c.log,
	})
	if err != nil {
		return nil, err
	}
	defined, err := c.define()
	c.features = mcp.Features{Tools: env.WithNotices(defined...)}
	return c, err
}

// Features implements tools.Set.
func (c *Chunks) Features() mcp.Features { return c.features }

// Close implements tools.Set: it ends analyses that are running, and closes the
// index, the store, the graph and the built-in parsers.
func (c *Chunks) Close(ctx context.Context) error {
	c.end()
	c.work.Wait()
	c.maps.Forget()
	var failed []error
	if c.index != nil {
		failed = append(failed, c.index.Close(ctx))
	}
	if c.options.Graph != nil {
		failed = append(failed, c.options.Graph.Close())
	}
	if c.own != nil {
		failed = append(failed, c.own.Close())
	}
	return errors.Join(failed...)
}

// Index returns the index of the set, for programs that search it themselves.
func (c *Chunks) Index() *index.Index { return c.index }
