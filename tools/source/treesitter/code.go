package treesitter

import (
	"bytes"
	"context"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// code is a grammar as machine code, with its queries.
type code struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
	queries  [queries]query
	image    []byte // the memory of an instance after the compilation of the queries
	size     int    // memory of the compiled code in bytes
}

// compilerWorks says that WebAssembly can be compiled to machine code here.
func compilerWorks() (works bool) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return false
	}
	defer func() {
		if recover() != nil {
			works = false
		}
	}()
	ctx := context.Background()
	return wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler()).Close(ctx) == nil
}

// compile compiles a module and its queries. Its instances may have so many pages
// of memory.
func compile(module []byte, split [queries]query, pages uint32, cacheDir string) (*code, error) {
	ctx := experimental.WithCompilationWorkers(context.Background(), runtime.GOMAXPROCS(0))
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(pages)
	c := &code{queries: split}
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err != nil {
			return nil, err
		}
		c.cache = cache
		config = config.WithCompilationCache(cache)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := c.prepare(ctx, module, newImageFile(cacheDir, module, split), int(pages)<<16); err != nil {
		c.close()
		return nil, err
	}
	c.size = 2*len(module) + len(c.image)
	return c, nil
}

// prepare compiles the module, and its queries unless stored holds the memory in which they are compiled. An image has at most limit
// bytes.
func (c *code) prepare(ctx context.Context, module []byte, stored imageFile, limit int) (err error) {
	stop := api.GoFunc(func(ctx context.Context, stack []uint64) {
		stack[0] = 0
		if ctx.Err() != nil {
			stack[0] = 1
		}
	})
	host := c.runtime.NewHostModuleBuilder("dougu").NewFunctionBuilder().
		WithGoFunction(stop, nil, []api.ValueType{api.ValueTypeI32}).Export("stop")
	if _, err := host.Instantiate(ctx); err != nil {
		return err
	}
	if c.compiled, err = c.runtime.CompileModule(ctx, module); err != nil {
		return err
	}
	if c.image = stored.read(limit); c.image != nil {
		return nil
	}
	in, err := c.instance()
	if err != nil {
		return err
	}
	defer in.close()
	for which := range c.queries {
		if err := in.compile(ctx, which, c.queries[which].text); err != nil {
			return err
		}
	}
	end, err := in.call(ctx, in.kept)
	if err != nil {
		return err
	}
	view, ok := in.memory.Read(0, end)
	if !ok {
		return errTrap
	}
	c.image = bytes.Clone(view)
	stored.write(c.image)
	return nil
}

// instance makes an instance that has the queries, if this code has its image.
func (c *code) instance() (*instance, error) {
	ctx := context.Background()
	module, err := c.runtime.InstantiateModule(ctx, c.compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	in := &instance{module: module, memory: module.Memory(), code: c}
	for name, f := range map[string]*api.Function{
		"buffer": &in.buffer, "compile": &in.compileQuery, "failed": &in.failed, "kept": &in.kept, "parse": &in.parse, "run": &in.run,
		"exceeded": &in.exceeded, "exhausted": &in.exhausted, "problems": &in.problems, "results": &in.results,
		"walk": &in.walk, "kind": &in.kind,
	} {
		if *f = module.ExportedFunction(name); *f == nil {
			return nil, fmt.Errorf("the module has no function %s", name)
		}
	}
	if more := len(c.image) - int(in.memory.Size()); more > 0 {
		in.memory.Grow(uint32(more+0xffff) >> 16)
	}
	if !in.memory.Write(0, c.image) {
		in.close()
		return nil, ErrMemory
	}
	return in, nil
}

// close releases the machine code, and the instances with it.
func (c *code) close() {
	ctx := context.Background()
	_ = c.runtime.Close(ctx) // the error is only an exit code
	if c.cache != nil {
		_ = c.cache.Close(ctx)
	}
}
