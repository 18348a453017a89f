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
	"github.com/dougu-go/dougu/tools/internal/unsaved"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"

	"golang.org/x/sync/semaphore"
)

// Options configure the set. The zero value uses all built-in parsers and stores the index
// as JSON in data/chunks of the project.
type Options struct {
	// Parsers parse the files. Default: nil, which uses builtin.Parsers and closes them
	// with the set; the caller closes other parsers. A parser of an additional language
	// defines its files and comments: see source.Definer.
	Parsers *source.Parsers
	// Languages limits analyze_project to these languages. Default: nil, all languages
	// of Parsers.
	Languages []source.Language
	// Store keeps the index between runs. The set closes it. Default: nil, which uses
	// index.NewJSONStore in Data.
	Store index.Store
	// Data is the directory of the index, relative to the project or absolute. Default:
	// index.DefaultDir.
	Data string
	// InMemory stores nothing on disk. Store and Data are then ignored.
	InMemory bool
	// Graph stores calls and imports; see package graph. Default: nil, without the tool
	// find_dependencies. The set closes it.
	Graph graph.Graph
	// References finds exact uses and corrects the estimates of Graph. Without Graph
	// and References the tool find_callers is not offered. The set does not close it. If it is a
	// Renamer, rename_chunk changes uses, too.
	References References
	// ReferencesTimeout limits the time of a call of References. Default: 0, which means 5
	// s with a Graph as an alternative, and 30 s without.
	ReferencesTimeout time.Duration
	// Watch updates the index when files change, from the first analysis on.
	Watch bool
	// ShortLists makes the text of list_functions_in_file and find_function one line for
	// each function. Default: a JSON list, about three times as long.
	ShortLists bool
	// Outlines makes get_chunk answer the members of a type whose text has more than 16 KiB, instead of the text. Default: the
	// text in parts.
	Outlines bool
	// AnalyzeOnDemand analyses the project before the first call that needs it. Default:
	// such a call returns NOT_ANALYZED, or no symbols with a note.
	AnalyzeOnDemand bool
}

// Chunks is the set of chunk tools. Its methods are safe for concurrent use.
type Chunks struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	options  Options
	own      *source.Parsers // closed with the set
	index    *index.Index
	features mcp.Features
	ledger   *tools.Ledger // last version of each chunk that each peer has read, by ID

	life     context.Context // canceled at the end of the set
	end      context.CancelFunc
	work     group.Group
	watching sync.Once
	maps     repomap.Maps
	mapped   sync.Once // frees memory after the first repository map of a large project

	unsaved unsaved.Tracker // unsaved texts in the index

	unread *unreadFiles // counts of the files that no parser has read, by directory

	connecting *semaphore.Weighted // one permit, for updates of the graph
	connected  uint64              // generation of the index in the graph, plus 1; 0 before the first update
}

// New returns the set and loads the index. Loading is fast for a large project, too. The
// environment must have a Root, which the caller closes.
func New(ctx context.Context, env tools.Env, o Options) (_ *Chunks, err error) {
	if env.Root == nil {
		return nil, errors.New("create the chunk tools: the environment has no root")
	}
	c := &Chunks{root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), options: o, ledger: env.Ledger(), unread: &unreadFiles{byDir: map[string]unreadCounts{}}, connecting: semaphore.NewWeighted(1)}
	c.life, c.end = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("create the chunk tools: %w", err), c.Close(ctx))
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
	c.maps.Parsers = c.options.Parsers
	if c.options.InMemory {
		c.options.Store = nil
	} else if c.options.Store == nil {
		store, err := index.NewJSONStore(env.Root, index.JSONOptions{Dir: o.Data, Log: c.log})
		if err != nil {
			return nil, err
		}
		c.options.Store = store
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

// Close implements tools.Set. It ends running analyses, and closes the index, the store,
// the graph and the built-in parsers.
func (c *Chunks) Close(ctx context.Context) error {
	c.end()
	c.work.Wait()
	c.maps.Forget()
	var failed []error
	if c.index != nil {
		failed = append(failed, c.index.Close(ctx))
	} else if c.options.Store != nil {
		failed = append(failed, c.options.Store.Close())
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
