package terminal_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	process.Supervise()
	goleak.VerifyTestMain(m)
}

var _ tools.Set = (*terminal.Terminal)(nil)

// hang is the timeout for operations that must not block.
const hang = 60 * time.Second

// project is a directory with a terminal in it.
type project struct {
	*terminal.Terminal
	dir   string
	root  *security.Root
	audit *audit.Log
	// unread has the output in the result of run by process ID, because reading continues after it.
	unread *sync.Map
}

// setup describes a project.
type setup struct {
	options  terminal.Options
	limits   tools.Limits
	readOnly bool
	sandbox  *sandbox.Options // nil: none
	files    map[string]string
}

func newProject(t testing.TB, s setup) project {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of Unix")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range s.files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir(), ReadOnly: s.readOnly})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if s.options.OutputDir == "" {
		s.options.OutputDir = t.TempDir()
	}
	p := project{dir: dir, root: root, audit: new(audit.Log), unread: new(sync.Map)}
	if s.sandbox != nil {
		o := *s.sandbox
		o.Helper, o.Dirs, o.ReadOnly = helper, []string{dir}, s.readOnly
		s.options.Sandbox = toolsettest.Sandbox(t, o)
	}
	p.Terminal, err = terminal.New(t.Context(), tools.Env{Root: root, Limits: s.limits, Audit: p.audit}, s.options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// run runs a command whose call must succeed.
func (p project) run(t testing.TB, args terminal.CommandArgs) terminal.CommandResult {
	t.Helper()
	r, err := p.Execute(t.Context(), args)
	if err != nil {
		t.Fatalf("%s: %v", args.Command, err)
	}
	p.unread.Store(r.ProcessID, r.Stdout+r.Stderr)
	return r
}

// read reads output after the last answer.
func (p project) read(t testing.TB, args terminal.ReadOutputArgs) terminal.OutputResult {
	t.Helper()
	r, err := p.ReadOutput(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readUntil reads until the output contains words. It begins with the result of run.
func (p project) readUntil(t testing.TB, id, words string) string {
	t.Helper()
	var all strings.Builder
	if said, ok := p.unread.LoadAndDelete(id); ok {
		all.WriteString(said.(string))
	}
	for deadline := time.Now().Add(hang); !strings.Contains(all.String(), words); {
		r := p.read(t, terminal.ReadOutputArgs{ProcessID: id, WaitMs: 10_000})
		all.WriteString(r.Output)
		if strings.Contains(all.String(), words) {
			break
		}
		if !r.Running && r.NextOffset == r.Size || time.Now().After(deadline) {
			t.Fatalf("it does not say %q, but %q: %+v", words, all.String(), r)
		}
	}
	return all.String()
}

// awaitEnd waits for the end of a process and returns all new output.
func (p project) awaitEnd(t testing.TB, id string) (last terminal.OutputResult, all string) {
	t.Helper()
	for deadline := time.Now().Add(hang); ; {
		r := p.read(t, terminal.ReadOutputArgs{ProcessID: id, WaitMs: 10_000})
		all += r.Output
		if !r.Running && r.NextOffset == r.Size {
			return r, all
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not end: %+v", r)
		}
	}
}
