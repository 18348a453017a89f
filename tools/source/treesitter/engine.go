package treesitter

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/dougu-go/dougu/tools/source"

	"golang.org/x/sync/semaphore"
)

// engine holds the compiled grammar of a language and its idle instances. The keeper's lock guards
// the fields that change.
type engine struct {
	grammar grammar
	rules   *rules // the rules of an engine for Check; nil for one that finds declarations
	files   fs.FS  // contains the module and the query
	keeper  *keeper
	slots   *semaphore.Weighted // limits the texts that are parsed concurrently
	loading *semaphore.Weighted // of size 1, held while the grammar is compiled

	code    *code       // nil until the grammar is compiled
	idle    []*instance // instances for later texts
	running int         // the number of texts that are parsed or about to be
	used    uint64      // the time of the last use, by the keeper's clock
}

func newEngine(g grammar, files fs.FS, k *keeper) *engine {
	return &engine{grammar: g, files: files, keeper: k, slots: semaphore.NewWeighted(int64(k.instances)), loading: semaphore.NewWeighted(1)}
}

// read runs the queries of the grammar on a text and returns their matches.
func (e *engine) read(ctx context.Context, src []byte, o source.Options) (*found, error) {
	return run(ctx, e, len(src), func(ctx context.Context, in *instance) (*found, error) {
		return in.read(ctx, e.grammar.masked(src), o.Calls)
	})
}

// run calls f with an instance of the grammar and the time limit of a text of size bytes. It waits for a free instance until ctx
// ends. After an error of f the instance is closed.
func run[T any](ctx context.Context, e *engine, size int, f func(context.Context, *instance) (T, error)) (T, error) {
	var none T
	if e.slots.Acquire(ctx, 1) != nil {
		return none, ctx.Err()
	}
	defer e.slots.Release(1)
	in, err := e.keeper.take(e)
	if err != nil {
		return none, err
	}
	if in == nil {
		if in, err = e.instance(ctx); err != nil {
			e.keeper.give(e, nil)
			return none, err
		}
	}
	result, err := within(ctx, e.keeper.limits, size, func(ctx context.Context) (T, error) { return f(ctx, in) })
	if err != nil {
		in.close()
		in = nil
	}
	e.keeper.give(e, in)
	return result, err
}

// instance makes another instance, after compiling the grammar if that was not
// done before. The end of ctx ends the wait for the compilation, which goes on
// for later texts.
func (e *engine) instance(ctx context.Context) (*instance, error) {
	if e.loading.Acquire(ctx, 1) != nil {
		return nil, ctx.Err()
	}
	if e.code != nil { // code in use is not unloaded
		defer e.loading.Release(1)
		return e.code.instance()
	}
	done := make(chan error, 1)
	prepare := func() {
		defer e.loading.Release(1)
		defer func() {
			if v := recover(); v != nil {
				done <- fmt.Errorf("panic: %v", v)
			}
		}()
		code, err := e.load()
		if err == nil {
			err = e.keeper.loaded(e, code)
		}
		done <- err
	}
	if !e.keeper.start(prepare) {
		prepare() // a text whose parse began before close
	}
	select {
	case err := <-done:
		if err != nil {
			return nil, fmt.Errorf("preparing the grammar: %w", err)
		}
		return e.instance(ctx)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// load compiles the grammar.
func (e *engine) load() (*code, error) {
	packed, err := fs.ReadFile(e.files, "grammars/"+e.grammar.name()+".wasm.gz")
	if err != nil {
		return nil, err
	}
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	module, err := io.ReadAll(zip)
	if err != nil {
		return nil, err
	}
	split, err := e.split()
	if err != nil {
		return nil, err
	}
	c, err := compile(module, split, e.keeper.limits.pages, e.keeper.cacheDir)
	if err != nil && e.keeper.cacheDir != "" && !errors.As(err, new(*queryError)) {
		c, err = compile(module, split, e.keeper.limits.pages, "")
	}
	return c, err
}

// split makes the queries of the engine.
func (e *engine) split() ([queries]query, error) {
	if e.rules != nil {
		return e.rules.queries(), nil
	}
	text, err := fs.ReadFile(e.files, "queries/"+e.grammar.queryName()+".scm")
	if err != nil {
		return [queries]query{}, err
	}
	return splitQuery(string(text))
}
