package worldtest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/telemetry"
	"github.com/dougu-go/dougu/tools/terminal"
	"github.com/dougu-go/dougu/transport"
)

// An environment variable makes the test program a debug adapter.
func TestMain(m *testing.M) {
	process.Supervise()
	if daptest.Serve() {
		return
	}
	os.Exit(m.Run())
}

// lingering is an executor whose agents run until they are cancelled.
type lingering struct{}

func (lingering) Name() string                                     { return "fake" }
func (lingering) Models(context.Context) ([]executor.Model, error) { return nil, nil }
func (lingering) Close() error                                     { return nil }
func (lingering) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	tell(executor.Event{Kind: executor.Init, Session: "session of " + s.AgentID})
	<-ctx.Done()
	return executor.Exit{Signal: "SIGTERM"}, nil
}

type book struct{}

func (book) Roles() []roles.Role                 { return []roles.Role{{ID: "impl-code", Model: "auto"}} }
func (b book) Role(id string) (roles.Role, bool) { return b.Roles()[0], id == "impl-code" }

// newServer returns a server with the tools of all sets for one project.
func newServer(t *testing.T) *mcp.Server {
	t.Helper()
	runner := tasks.New(nil)
	srv := mcp.NewServer(mcp.Implementation{Name: "world", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	for name, set := range newSets(t) {
		if err := srv.Replace(name, set.Features()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// newSets returns all tool sets, by name, for one project. They are closed at the end of the test.
func newSets(t *testing.T) map[string]tools.Set {
	t.Helper()
	testrequire.Thing(t, runtime.GOOS != "windows", "commands of Unix", "run it on Unix")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"a.fake": "one\ntwo\nthree\n", "Makefile": "all:\n\tcat\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, env, sets := t.Context(), tools.Env{Root: root}, make(map[string]tools.Set)
	for name, open := range map[string]func() (tools.Set, error){
		"agents": func() (tools.Set, error) {
			return agents.New(ctx, env, agents.Options{Executors: []executor.Executor{lingering{}}, Roles: book{}, StateDir: t.TempDir(), MaxConcurrent: 1_000, MaxPerHour: 1_000, Stagger: -1})
		},
		"terminal": func() (tools.Set, error) {
			return terminal.New(ctx, env, terminal.Options{OutputDir: t.TempDir(), MaxProcesses: 1_000})
		},
		"debug": func() (tools.Set, error) {
			return debug.New(ctx, env, debug.Options{OutputDir: t.TempDir(), MaxSessions: 1_000, Adapters: []debug.Adapter{{
				Name: "fake", Extensions: []string{".fake"}, Command: exe, Env: []string{daptest.Script{Endless: true}.Env()}, Evaluates: []string{"sh", "-c", "{expression}"},
				Launches: map[string]debug.Launch{
					debug.ModeProgram: {Attributes: map[string]any{"program": "{program}"}, As: []string{"run", "{program}"}},
					debug.ModeAttach:  {Attributes: map[string]any{"processId": "{pid}"}},
				},
			}}, Attach: true})
		},
		"telemetry": func() (tools.Set, error) { return telemetry.New(env, telemetry.Options{}) },
		"fs":        func() (tools.Set, error) { return fs.New(env, fs.Options{}) },
		"git":       func() (tools.Set, error) { return git.New(ctx, env, git.Options{}) },
		"search":    func() (tools.Set, error) { return search.New(env, search.Options{}) },
		"editor":    func() (tools.Set, error) { return editor.New(ctx, env, editor.Options{}) },
		"chunking": func() (tools.Set, error) {
			return chunking.New(ctx, env, chunking.Options{InMemory: true})
		},
	} {
		set, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() {
			if err := set.Close(context.Background()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		sets[name] = set
	}
	return sets
}

// as adds an authenticated principal to all requests, as a transport does.
type as struct {
	principal string
	server    *mcp.Server
}

// Dispatch implements protocol.Dispatcher.
func (a as) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	req.Peer.Principal = a.principal
	return a.server.Dispatch(protocol.WithPrincipal(ctx, a.principal), req)
}

// person is a client of a principal.
type person struct {
	*mcp.Client
	name string
}

func connect(t *testing.T, srv *mcp.Server, principal string) person {
	t.Helper()
	o := new(mcp.ClientOptions)
	tasks.Declare(o)
	o.CacheEntries = -1
	c, err := mcp.Connect(t.Context(), transport.InMemory{Server: as{principal, srv}}, mcp.Implementation{Name: "client", Version: "1"}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return person{c, principal}
}

// call calls a tool and returns everything that the client receives: the result or the protocol error.
func (p person) call(t *testing.T, tool string, args map[string]any) (answer string, result *mcp.ToolResult) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	result, err := p.CallTool(ctx, tool, args, nil)
	if err != nil {
		return err.Error(), nil
	}
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw), result
}

// must calls a tool, which must succeed, and returns its structured content.
func (p person) must(t *testing.T, tool string, args map[string]any) map[string]any {
	t.Helper()
	answer, result := p.call(t, tool, args)
	var v map[string]any
	if result == nil || result.IsError || json.Unmarshal(result.Structured, &v) != nil {
		t.Fatalf("%s of %q: %s", tool, p.name, answer)
	}
	return v
}

// tools returns all tools that the server offers.
func (p person) tools(t *testing.T) (all []mcp.Tool) {
	t.Helper()
	for tool, err := range p.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tool)
	}
	return all
}
