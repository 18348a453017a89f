package cursorcli

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
)

// The directory is removed after the settings were inspected: a service that was opened again would fail, and there would be no checks.
func TestDoctor_OpensOneService(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "project")
	apptest.Must(t, os.Mkdir(dir, 0o755))
	p := newProgram(func() []string { return nil }, Options{Sandbox: helper})
	flags := flag.NewFlagSet("doctor", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	p.options.flags(flags)
	p.options.values.Flags(flags)
	apptest.Must(t, flags.Parse([]string{"-root", dir}))
	if checks := p.options.values.Checks(t.Context(), "cursorcli"); len(checks) != 1 || checks[0].Status != app.OK {
		t.Fatalf("the checks of the settings are %+v", checks)
	}
	apptest.Must(t, os.RemoveAll(dir))
	checks := p.checks(new(app.App))
	if len(checks) == 0 || checks[0].Name != "directory" || checks[0].Status != app.Broken {
		t.Errorf("the checks are %+v, want a directory that does not exist", checks)
	}
}
