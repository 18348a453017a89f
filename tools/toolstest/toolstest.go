package toolstest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/testleak"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// New builds a set in an environment. The environment has a Root with one project, small limits, and an audit log that the Root writes
// to as well. The kit closes the set, and then the Root.
type New func(t testing.TB, env tools.Env) tools.Set

// Options describes the projects and the calls of a set.
type Options struct {
	// Files are the files of each project: their content by path, with slashes.
	Files map[string]string
	// Prepare changes the directory of a project before the set is built, for example with git init. Nil changes nothing.
	Prepare func(t testing.TB, dir string)
	// Calls are calls that succeed in this order in a new project. Every tool needs a call, except the tools of Uncalled. The
	// call of a tool that is not read-only must change something. Hostile calls are variations of the first call of each tool.
	Calls []Call
	// Uncalled are the tools without a call, for example because the test has no network. They get hostile arguments, too.
	Uncalled []string
	// Timeout is the time after which a call, or Close, counts as blocked. Default: 30 seconds.
	Timeout time.Duration
}

// Call is a call of a tool.
type Call struct {
	Tool string
	Args string // JSON object
}

// Run checks a set in subtests; with -short it makes an eighth of the hostile calls. Run must not be part of a parallel test, because
// it looks for goroutines that the set leaves.
func Run(t *testing.T, build New, o Options) {
	t.Run("Definitions", func(t *testing.T) { checkDefinitions(t, open(t, build, o)) })
	t.Run("Calls", func(t *testing.T) { checkCalls(t, open(t, build, o)) })
	t.Run("Hostile", func(t *testing.T) {
		for _, tool := range open(t, build, o).set.Features().Tools {
			t.Run(tool.Tool().Name, func(t *testing.T) { checkHostile(t, open(t, build, o), tool) })
		}
	})
	t.Run("Canceled", func(t *testing.T) { checkCanceled(t, open(t, build, o)) })
	t.Run("Concurrent", func(t *testing.T) { checkConcurrent(t, open(t, build, o)) })
	t.Run("ConcurrentReads", func(t *testing.T) { checkConcurrentReads(t, open(t, build, o)) })
	t.Run("Close", func(t *testing.T) {
		testleak.Check(t)
		checkClose(t, open(t, build, o))
	})
}

// toolName matches the names of tools that the APIs of models accept.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checkDefinitions checks what a client lists of the tools, and that the options have a call of each tool.
func checkDefinitions(t testing.TB, p *project) {
	t.Helper()
	seen := make(map[string]bool)
	for _, tool := range p.set.Features().Tools {
		definition := tool.Tool()
		if err := tool.Err(); err != nil {
			t.Errorf("the definition of %s is invalid: %v", definition.Name, err)
		}
		if !toolName.MatchString(definition.Name) {
			t.Errorf("the name %q has other characters than letters, digits, _ and -, or is longer than 64", definition.Name)
		}
		if seen[definition.Name] {
			t.Errorf("two tools are named %s", definition.Name)
		}
		seen[definition.Name] = true
		if definition.Description == "" {
			t.Errorf("%s has no description", definition.Name)
		}
		if a := definition.Annotations; a == nil || a.ReadOnly == nil && a.Destructive == nil {
			t.Errorf("%s has no annotations; use for example mcp.ReadOnly() or mcp.Destructive()", definition.Name)
		}
		if !slices.Contains(p.options.Uncalled, definition.Name) && !slices.ContainsFunc(p.options.Calls, func(c Call) bool { return c.Tool == definition.Name }) {
			t.Errorf("Options.Calls has no call of %s", definition.Name)
		}
	}
	for _, c := range p.options.Calls {
		if !seen[c.Tool] {
			t.Errorf("Options.Calls has a call of %s, and the set has no such tool", c.Tool)
		}
	}
}

// checkCalls makes the calls of the options, and looks for their effects in the project and in the audit log.
func checkCalls(t testing.TB, p *project) {
	t.Helper()
	for _, c := range p.options.Calls {
		before, records := p.files(t), p.changes()
		result := p.call(t, c.Tool, c.Args)
		if result == nil {
			continue
		}
		if result.IsError {
			t.Errorf("%s fails: %s", c, textOf(result))
			continue
		}
		recorded := p.changes() > records
		switch changed := difference(before, p.files(t)); {
		case p.readOnly(c.Tool) && changed != "":
			t.Errorf("%s is annotated as read-only, and has changed %s", c, changed)
		case p.readOnly(c.Tool) && recorded:
			t.Errorf("%s is annotated as read-only, and has recorded a change in the audit log", c)
		case !p.readOnly(c.Tool) && !recorded:
			t.Errorf("%s is not annotated as read-only, and the audit log has no record of a change; write through the Root, or call Begin of Env.Audit", c)
		}
	}
}

// checkCanceled makes each call with a context that ends when the handler begins, and then without it, because the next calls may
// depend on it.
func checkCanceled(t testing.TB, p *project) {
	t.Helper()
	for _, c := range p.options.Calls {
		i := slices.IndexFunc(p.set.Features().Tools, func(tool mcp.ServerTool) bool { return tool.Tool().Name == c.Tool })
		if i < 0 {
			continue
		}
		if !p.cancel(t, c, p.set.Features().Tools[i]) {
			return
		}
		result := p.call(t, c.Tool, c.Args)
		if result == nil {
			return
		}
		if result.IsError {
			t.Errorf("%s fails after the same call with an ended context: %s", c, textOf(result))
		}
	}
}

// cancel makes a call with a context that ends when the handler begins. It reports whether the call has ended in time.
func (p *project) cancel(t testing.TB, c Call, called mcp.ServerTool) bool {
	t.Helper()
	before := p.files(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tool := called.Wrap(func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			cancel()
			return next(ctx, args)
		}
	})
	succeeded := false
	ended := p.within(t, c.String()+" with an ended context", func() {
		result, err := tool.Call(ctx, json.RawMessage(c.Args))
		succeeded = err == nil && !result.IsError
	})
	if !ended || p.readOnly(c.Tool) {
		return ended
	}
	if succeeded {
		t.Errorf("%s succeeds although its context has ended", c)
	}
	if changed := difference(before, p.files(t)); changed != "" {
		t.Errorf("%s has changed %s although its context has ended", c, changed)
	}
	return true
}

// concurrency is the number of goroutines that make the same calls.
const concurrency = 4

// concurrently calls f in several goroutines at once, and fails the test if f panics.
func concurrently(t testing.TB, f func()) {
	running := group.Group{OnPanic: func(value any, stack []byte) { t.Errorf("a concurrent call panicked: %v\n%s", value, stack) }}
	for range concurrency {
		running.Go(f)
	}
	running.Wait()
}

// checkConcurrent makes all calls several times at once. Calls may fail, because they compete for the same files, but as results.
func checkConcurrent(t testing.TB, p *project) {
	t.Helper()
	concurrently(t, func() {
		for _, c := range p.options.Calls {
			p.check(t, c, p.call(t, c.Tool, c.Args))
		}
	})
	p.checkOutside(t, "concurrent calls")
}

// checkConcurrentReads makes the calls in their order, and consecutive calls of read-only tools several times at once. All must
// succeed.
func checkConcurrentReads(t testing.TB, p *project) {
	t.Helper()
	for rest := p.options.Calls; len(rest) > 0; {
		reads := slices.IndexFunc(rest, func(c Call) bool { return !p.readOnly(c.Tool) })
		if reads < 0 {
			reads = len(rest)
		}
		concurrently(t, func() {
			for _, c := range rest[:reads] {
				result := p.call(t, c.Tool, c.Args)
				p.check(t, c, result)
				if result != nil && result.IsError {
					t.Errorf("%s fails at the same time as other calls of read-only tools: %s", c, textOf(result))
				}
			}
		})
		if rest = rest[reads:]; len(rest) > 0 {
			p.call(t, rest[0].Tool, rest[0].Args)
			rest = rest[1:]
		}
	}
}

// checkClose makes the calls and closes the set twice.
func checkClose(t testing.TB, p *project) {
	t.Helper()
	for _, c := range p.options.Calls {
		p.call(t, c.Tool, c.Args)
	}
	p.close(t)
	p.within(t, "a second Close", func() {
		if err := p.set.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Errorf("a second Close fails: %v", err)
		}
	})
}

// String returns the call for a message, with at most 300 bytes of its arguments.
func (c Call) String() string {
	if args := c.Args; len(args) > 300 {
		return fmt.Sprintf("%s(%.300q… of %d bytes)", c.Tool, args, len(args))
	}
	return c.Tool + "(" + c.Args + ")"
}
