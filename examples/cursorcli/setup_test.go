package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// The test binary is the program when it is told to be.
func TestMain(m *testing.M) {
	if os.Getenv("DOUGU_TEST_CURSORCLI") != "" {
		main()
		return
	}
	home, err := os.MkdirTemp("", "cursorcli")
	if err != nil {
		panic(err)
	}
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		err = errors.Join(err, os.Setenv(variable, home))
	}
	for _, variable := range []string{"XDG_CACHE_HOME", "LocalAppData"} {
		err = errors.Join(err, os.Setenv(variable, filepath.Join(home, ".cache")))
	}
	code := m.Run()
	if err := errors.Join(err, goleak.Find(), os.RemoveAll(home)); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// journal is a standard error that a test reads while the program writes.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes files, by their paths in a directory.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o644))
	}
}

// sources are what a server is started with.
type sources struct {
	file  string // of settings; empty: none
	env   []string
	flags []string
	quiet bool // answers a person at the command line, and follows no changes
}

// server is one that serves a project, with a client.
type server struct {
	t       testing.TB
	dir     string // of the project
	stderr  *journal
	service *service
	client  *mcp.Client
	told    *journal // what the client was sent as logs
	changed chan string
}

// open starts a service.
func open(t testing.TB, dir string, from sources) (*service, *journal, error) {
	t.Helper()
	p := &program{options: options{environ: func() []string { return from.env }}, settings: newSettings()}
	flags := flag.NewFlagSet("cursorcli", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	p.options.flags(flags, p.settings)
	must(t, flags.Parse(append([]string{"-root", dir}, from.flags...)))
	stderr := new(journal)
	v, err := openService(t.Context(), &p.options, p.settings, !from.quiet, stderr)
	return v, stderr, err
}

// serve starts a server in a new project, with a client that cannot be asked.
func serve(t testing.TB, files map[string]string, from sources) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), told: new(journal), changed: make(chan string, 100)}
	write(t, s.dir, files)
	if from.file != "" {
		s.settings(from.file)
	}
	var err error
	s.service, s.stderr, err = open(t, s.dir, from)
	must(t, err)
	s.client, err = mcp.Connect(t.Context(), transport.InMemory{Server: s.service.server, Options: &transport.Options{Concurrency: mostConcurrent}},
		mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			LogLevel: mcp.LevelDebug, OnLog: func(n mcp.LogNotification) { s.told.Write(append(n.Data, '\n')) },
			OnListChanged: func(list string) {
				select {
				case s.changed <- list:
				default:
				}
			},
		})
	must(t, err)
	t.Cleanup(func() {
		if err := errors.Join(s.client.Close(), s.service.close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return s
}

// settings writes the file of settings, as an editor does that replaces it.
func (s *server) settings(content string) {
	s.t.Helper()
	write(s.t, s.dir, map[string]string{settingsFile + ".new": content})
	path := filepath.Join(s.dir, filepath.FromSlash(settingsFile))
	must(s.t, os.Rename(path+".new", path))
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

// eventually waits until look finds what is wanted, and returns what it found
// last.
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
