package debug_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	process.Supervise()
	if daptest.Serve() {
		return
	}
	goleak.VerifyTestMain(m)
}

var _ tools.Set = (*debug.Debugger)(nil)

// hang is how long nothing may take.
const hang = 60 * time.Second

// project is a directory with a debugger in it.
type project struct {
	*debug.Debugger
	dir   string
	audit *audit.Log
}

// setup says how a project is made.
type setup struct {
	options  debug.Options
	limits   tools.Limits
	readOnly bool
	sandbox  *sandbox.Options // nil: none
	files    map[string]string
}

func newProject(t testing.TB, s setup) project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range s.files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
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
	p := project{dir: dir, audit: new(audit.Log)}
	if s.sandbox != nil {
		o := *s.sandbox
		o.Helper, o.Dirs, o.ReadOnly = helper, []string{dir}, s.readOnly
		s.options.Sandbox = toolsettest.Sandbox(t, o)
	}
	p.Debugger, err = debug.New(t.Context(), tools.Env{Root: root, Limits: s.limits, Audit: p.audit}, s.options)
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

// start starts a session that must start.
func (p project) start(t testing.TB, args debug.StartArgs) debug.State {
	t.Helper()
	r, err := p.Start(t.Context(), args)
	if err != nil {
		t.Fatalf("starting: %v", err)
	}
	return r
}

// step makes a step that must be possible.
func (p project) step(t testing.TB, args debug.StepArgs) debug.State {
	t.Helper()
	r, err := p.Step(t.Context(), args)
	if err != nil {
		t.Fatalf("%s: %v", args.Action, err)
	}
	return r
}
