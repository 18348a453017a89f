package cursorcli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
)

// helper is set by TestMain.
var helper sandbox.Helper

// The test binary is the program when it is told to be.
func TestMain(m *testing.M) {
	if os.Getenv("DOUGU_TEST_CURSORCLI") != "" {
		helper = sandbox.Main()
		os.Exit(New(Options{Sandbox: helper}).Main(os.Args[1:]))
	}
	helper = sandbox.Main()
	apptest.Main(m)
}

// sources are the settings file, variables and flags of a server under test.
type sources struct {
	file  string // of settings; empty: none
	env   []string
	flags []string
	quiet bool // answers a person at the command line, and follows no changes
	// approved is a file of settings whose values the user has approved.
	approved string
}

// server is one that serves a project, with a client.
type server struct {
	t       testing.TB
	dir     string // of the project
	stderr  *apptest.Output
	service *service
	client  *mcp.Client
	told    *apptest.Output // the logs that the client received
	changed chan string
}

// open starts a service.
func open(t testing.TB, dir string, from sources) (*service, *apptest.Output, error) {
	t.Helper()
	p := newProgram(func() []string { return from.env }, Options{Sandbox: helper})
	flags := flag.NewFlagSet("cursorcli", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	p.options.flags(flags)
	p.options.values.Flags(flags)
	start := &p.options.start
	flags.StringVar(&start.AuditFile, "audit", "", "") // as App has it
	apptest.Must(t, flags.Parse(append([]string{"-root", dir}, from.flags...)))
	if start.AuditFile != "" {
		var err error
		start.Audit, err = audit.Open(audit.Options{Path: start.AuditFile})
		apptest.Must(t, err)
		t.Cleanup(func() { apptest.Must(t, start.Audit.Close()) })
	}
	stderr := new(apptest.Output)
	v, err := openService(t.Context(), &p.options, p.settings, !from.quiet, stderr)
	return v, stderr, err
}

// serve starts a server in a new project, with a client that cannot be asked.
func serve(t testing.TB, files map[string]string, from sources) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), told: new(apptest.Output), changed: make(chan string, 100)}
	apptest.Write(t, s.dir, files)
	if from.approved != "" {
		from.env = append(slices.Clone(from.env), "XDG_CONFIG_HOME="+t.TempDir())
		s.approve(from)
	}
	if from.file != "" {
		s.settings(from.file)
	}
	var err error
	s.service, s.stderr, err = open(t, s.dir, from)
	apptest.Must(t, err)
	s.client, err = mcp.Connect(t.Context(), transport.InMemory{Server: s.service.server, Options: &transport.Options{Concurrency: maxConcurrent}},
		mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			LogLevel: protocol.LevelDebug, OnLog: func(n protocol.LogNotification) { s.told.Write(append(n.Data, '\n')) },
			OnListChanged: func(list string) {
				select {
				case s.changed <- list:
				default:
				}
			},
		})
	apptest.Must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(s.client.Close(), s.service.close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return s
}

// approve approves the values of from.approved for the project.
func (s *server) approve(from sources) {
	s.t.Helper()
	s.settings(from.approved)
	approveAll(s.t, s.dir, from)
	apptest.Must(s.t, os.RemoveAll(filepath.Join(s.dir, settingsDir)))
}

// approveAll approves all requests of the file of a project.
func approveAll(t testing.TB, dir string, from sources) {
	t.Helper()
	from.quiet = true
	v, _, err := open(t, dir, from)
	apptest.Must(t, err)
	apptest.Must(t, v.options.values.ProjectSettings(v.loaded)[0].Store.Approve(t.Context(), v.loaded.Requests()...))
	apptest.Must(t, v.close(t.Context()))
}

// settings writes the file of settings, as an editor does that replaces it.
func (s *server) settings(content string) {
	s.t.Helper()
	apptest.Write(s.t, s.dir, map[string]string{settingsFile + ".new": content})
	path := filepath.Join(s.dir, filepath.FromSlash(settingsFile))
	apptest.Must(s.t, os.Rename(path+".new", path))
}

// call calls a tool and returns the text of its answer, or of its failure.
func (s *server) call(ctx context.Context, tool string, args map[string]any) string {
	s.t.Helper()
	result, err := s.client.CallTool(ctx, tool, args, nil)
	if err != nil {
		return "error: " + err.Error()
	}
	return result.Blocks()[0].(mcp.TextContent).Text
}

// tools are the names of the tools that are listed.
func (s *server) tools() []string {
	var names []string
	for _, tool := range s.service.server.Tools() {
		names = append(names, tool.Name)
	}
	return names
}

// patience bounds waiting for what will come.
const patience = time.Minute

// eventually calls look until want accepts its result, and returns the last result.
func eventually(look func() string, want func(string) bool) string {
	deadline := time.After(patience)
	for {
		got := look()
		if want(got) {
			return got
		}
		select {
		case <-deadline:
			return got
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// awaitLog waits until standard error has a text.
func (s *server) awaitLog(text string) {
	s.t.Helper()
	has := func(log string) bool { return strings.Contains(log, text) }
	if log := eventually(s.stderr.String, has); !has(log) {
		s.t.Fatalf("the log lacks %q:\n%s", text, log)
	}
}

// nested is the JSON of a file with one value at a path.
func nested(path, value string) string {
	names := strings.Split(path, ".")
	for i := len(names) - 1; i >= 0; i-- {
		name, _ := json.Marshal(names[i])
		value = "{" + string(name) + ":" + value + "}"
	}
	return value
}
