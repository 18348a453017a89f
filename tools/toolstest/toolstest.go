package toolstest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"

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
}

// Call is a call of a tool.
type Call struct {
	Tool string
	Args string // JSON object
}

// Run checks a set in subtests; with -short it makes a seventh of the hostile calls. Run must not be part of a parallel test, because it looks for goroutines that the set leaves.
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

// checkCanceled makes the calls with a context that ends when the handler begins.
func checkCanceled(t testing.TB, p *project) {
	t.Helper()
	for _, c := range p.options.Calls {
		i := slices.IndexFunc(p.set.Features().Tools, func(tool mcp.ServerTool) bool { return tool.Tool().Name == c.Tool })
		if i < 0 {
			continue
		}
		before := p.files(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tool := p.set.Features().Tools[i].Wrap(func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				cancel()
				return next(ctx, args)
			}
		})
		var result *mcp.ToolResult
		var err error
		if !p.await(func() { result, err = tool.Call(ctx, json.RawMessage(c.Args)) }) {
			t.Fatalf("%s goes on for %v after its context has ended", c, p.timeout)
		}
		if p.readOnly(c.Tool) {
			continue
		}
		if err == nil && !result.IsError {
			t.Errorf("%s succeeds although its context has ended", c)
		}
		if changed := difference(before, p.files(t)); changed != "" {
			t.Errorf("%s has changed %s although its context has ended", c, changed)
		}
	}
}

// checkConcurrent makes all calls several times at once. Calls that change a file may fail, but as results.
func checkConcurrent(t testing.TB, p *project) {
	t.Helper()
	var running group.Group
	for range 4 {
		running.Go(func() {
			for _, c := range p.options.Calls {
				p.check(t, c, p.call(t, c.Tool, c.Args))
			}
		})
	}
	running.Wait()
	p.checkOutside(t, "concurrent calls")
}

// checkClose makes the calls and closes the set twice.
func checkClose(t testing.TB, p *project) {
	t.Helper()
	for _, c := range p.options.Calls {
		p.call(t, c.Tool, c.Args)
	}
	p.close(t)
	var err error
	if !p.await(func() { err = p.set.Close(context.WithoutCancel(t.Context())) }) {
		t.Fatalf("a second Close goes on for %v", p.timeout)
	}
	if err != nil {
		t.Errorf("a second Close fails: %v", err)
	}
}

// String returns the call for a message, with at most 300 bytes of its arguments.
func (c Call) String() string {
	if args := c.Args; len(args) > 300 {
		return fmt.Sprintf("%s(%.300q… of %d bytes)", c.Tool, args, len(args))
	}
	return c.Tool + "(" + c.Args + ")"
}
