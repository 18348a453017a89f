package e2e

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/search"
)

// study is a project with a home directory, in which the example cqm searches.
type study struct {
	t             *testing.T
	project, home string
	program       string
	environ       []string
}

// newStudy creates a project with files, and a home without settings.
func newStudy(t *testing.T, program string, files map[string]string) *study {
	t.Helper()
	s := &study{t: t, project: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), program: program}
	apptest.Must(t, os.Mkdir(s.project, 0o755))
	apptest.Write(t, s.project, files)
	s.environ = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasPrefix(name, "CQM_") || strings.HasPrefix(name, "GITHUB_") || strings.HasPrefix(name, "DOUGU_")
	})
	for variable, dir := range map[string]string{
		"HOME": "", "USERPROFILE": "", "XDG_CONFIG_HOME": ".config", "XDG_CACHE_HOME": ".cache", "XDG_STATE_HOME": ".state",
		"AppData": "roaming", "LocalAppData": "local",
	} {
		s.environ = append(s.environ, variable+"="+filepath.Join(s.home, dir))
	}
	// Polling in the test must not reach the rate limit.
	s.environ = append(s.environ, "CQM_SECURITY_RATE_LIMITING_ENABLED=false")
	return s
}

// librarian is a running cqm, with a client on its standard streams.
type librarian struct {
	*server
	study  *study
	client *mcp.Client
}

// command returns the command that starts cqm in the project, as a client does.
func (s *study) command(variables []string, args ...string) *exec.Cmd {
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.project
	cmd.Env = slices.Concat(s.environ, variables)
	return cmd
}

// begin starts cqm as Cursor does, and connects.
func (s *study) begin(variables ...string) *librarian {
	s.t.Helper()
	return s.beginAs("cursor-vscode", variables, "mcp-server", "--stdio", "--project", ".")
}

// listens starts cqm with the listeners of its settings.
func (s *study) listens(variables ...string) *librarian {
	s.t.Helper()
	return s.beginAs("cursor-vscode", variables, "mcp-server", "--project", ".")
}

// beginAs starts cqm with arguments, and connects a client with the given name.
func (s *study) beginAs(client string, variables []string, args ...string) *librarian {
	s.t.Helper()
	cmd := s.command(variables, args...)
	p := launchCommand(s.t, cmd)
	l := &librarian{server: attend(s.t, cmd, p.stdin, nil, follow("standard error", p.stderr)), study: s}
	c, err := meet(s.t, wire{p}, client, "")
	if err != nil {
		s.t.Fatalf("%q: %v\n%s", args, err, l.said())
	}
	l.client = c
	return l
}

// meet connects a client with a name. An empty revision negotiates any. The client is closed at the end of the test.
func meet(t *testing.T, tr protocol.Transport, name string, revision protocol.Revision) (*mcp.Client, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := mcp.Connect(ctx, tr, mcp.Implementation{Name: name, Version: "1.0.0"}, &mcp.ClientOptions{Timeout: patience, Revision: revision})
	if err == nil {
		t.Cleanup(func() { _ = c.Close() }) // the server has ended or is killed by the test
	}
	return c, err
}

// said returns the end of the server's standard error.
func (l *librarian) said() string {
	lines, _, _ := l.stderr.now()
	return tail(strings.Join(lines, "\n"))
}

// end ends the server by closing its input, and returns its output.
func (l *librarian) end() string {
	l.t.Helper()
	l.stdin.Close()
	if state := l.waits(); state.ExitCode() != 0 {
		l.t.Errorf("the server ended with %v\n%s", state, l.said())
	}
	return strings.Join(l.stderr.all(l.t), "\n")
}

// kill kills the server.
func (l *librarian) kill() {
	l.t.Helper()
	apptest.Must(l.t, l.cmd.Process.Kill())
	l.waits()
}

// consult calls a tool, which must succeed.
func consult[Out any](t *testing.T, c *mcp.Client, tool string, args any) Out {
	t.Helper()
	out, err := mcp.Call[Out](t.Context(), c, tool, args)
	if err != nil {
		t.Fatalf("%s %.300v: %v", tool, args, err)
	}
	return out
}

// denied calls a tool, which must fail with a code and some words.
func denied(t *testing.T, c *mcp.Client, tool string, args any, words ...string) {
	t.Helper()
	text, err := mcp.Call[string](t.Context(), c, tool, args)
	var failure *mcp.ToolFailure
	if !errors.As(err, &failure) {
		t.Errorf("%s %.300v: %.300q, %v", tool, args, text, err)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s %.300v: %q is missing in %v", tool, args, word, err)
		}
	}
}

// look searches and returns the paths of the results in order.
func (l *librarian) look(query string) []string {
	l.t.Helper()
	return paths(consult[search.DocumentsResult](l.t, l.client, "searchDocuments", search.DocumentsArgs{Query: query}))
}

func paths(found search.DocumentsResult) []string {
	var all []string
	for _, d := range found.Results {
		if !slices.Contains(all, d.Path) {
			all = append(all, d.Path)
		}
	}
	return all
}

// finds waits until a query returns exactly these files.
func (l *librarian) finds(query string, want ...string) {
	l.t.Helper()
	eventually(l.t, query+" in "+strings.Join(want, ", "), func() bool {
		got := l.look(query)
		slices.Sort(got)
		return slices.Equal(got, want)
	})
}

// ready waits until everything is indexed.
func (l *librarian) ready() search.IndexStatus {
	l.t.Helper()
	var status search.IndexStatus
	eventually(l.t, "the index", func() bool {
		status = consult[search.IndexStatus](l.t, l.client, "get_index_status", nil)
		return status.State == "ready" && status.Pending == 0 && status.IndexAge >= 0
	})
	return status
}

// write makes files of the project.
func (s *study) write(files map[string]string) {
	s.t.Helper()
	apptest.Write(s.t, s.project, files)
}

// settle writes the user's settings, which are trusted completely.
func (s *study) settle(text string) {
	s.t.Helper()
	apptest.Write(s.t, s.home, map[string]string{".config/cqm/config.yaml": text})
}
