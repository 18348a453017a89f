package serverlist_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/serverlist"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

func languages() []headless.LanguageServers {
	missing := func(name string) headless.ServerState {
		return headless.ServerState{Name: name, Availability: headless.Missing, Reason: name + " is not installed", Next: "Install it (get " + name + ")."}
	}
	return []headless.LanguageServers{
		{Language: "python", Files: 3, Servers: []headless.ServerState{missing("pyright"), missing("basedpyright")}},
		{Language: "go", Files: 12, Servers: []headless.ServerState{{Name: "gopls", Availability: headless.Found, Program: "/go/gopls", Origin: "go", Version: "v0.23.0", Tested: true}}},
		{Language: "go.mod", Files: 1, Servers: []headless.ServerState{{Name: "gopls", Availability: headless.Found, Program: "/go/gopls", Origin: "go", Version: "v0.23.0", Tested: true}}},
		{Language: "zig", Files: 2, Servers: []headless.ServerState{{Name: "zls", Availability: headless.Untrusted, Program: "/bin/zls", Origin: "PATH", Reason: "zls runs code of the project, which is not trusted", Next: "Trust it."}}},
		{Language: "dart", Files: 1, Servers: []headless.ServerState{{Name: "dart", Availability: headless.Found, Program: "/bin/dart", Origin: "PATH"}, missing("other")}},
		{Language: "json", Files: 9, Servers: []headless.ServerState{missing("json")}, Optional: true},
		{Language: "elm", Servers: []headless.ServerState{missing("elm")}},
	}
}

func TestRows(t *testing.T) {
	names := func(all bool) string {
		var names []string
		for _, r := range serverlist.Rows(languages(), all) {
			names = append(names, r.Server)
		}
		return strings.Join(names, " ")
	}
	if got := names(false); got != "gopls pyright zls dart elm" {
		t.Error(got)
	}
	if got := names(true); got != "gopls json basedpyright pyright zls dart other elm" && got != "gopls json pyright basedpyright zls dart other elm" {
		t.Error(got)
	}
}

// run runs the command in a project.
func run(t *testing.T, files map[string]string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	apptest.Write(t, dir, files)
	command := serverlist.Command(func(context.Context) (*headless.Headless, func(context.Context) error, error) {
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
		if err != nil {
			return nil, nil, err
		}
		h := headless.New(root, headless.Options{Search: []string{t.TempDir()}})
		return h, func(ctx context.Context) error { return errors.Join(h.Close(ctx), root.Close()) }, nil
	})
	flags := flag.NewFlagSet("servers", flag.ContinueOnError)
	command.Flags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := command.Run(t.Context(), &app.App{Stdout: &out}, flags); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCommand(t *testing.T) {
	files := map[string]string{"a.py": "pass\n", "b.py": "pass\n", "a.json": "{}\n"}
	if got, want := run(t, files), "pyright  python 2  missing. Install it (npm install -g pyright).\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := run(t, map[string]string{"a.txt": "x"}); !strings.HasPrefix(got, "The project has no files of a language that needs a server.") {
		t.Error(got)
	}
	if got := run(t, files, "-all"); strings.Count(got, "\n") < 39 || !strings.Contains(got, "json") {
		t.Error(got)
	}
	var rows []serverlist.Row
	if err := json.Unmarshal([]byte(run(t, files, "-json")), &rows); err != nil || len(rows) != 1 || rows[0].State != "missing" || rows[0].Languages[0] != (serverlist.Language{Name: "python", Files: 2}) {
		t.Errorf("%+v, %v", rows, err)
	}
}

func TestCommand_OpenFails(t *testing.T) {
	failure := errors.New("no project")
	command := serverlist.Command(func(context.Context) (*headless.Headless, func(context.Context) error, error) {
		return nil, nil, failure
	})
	if err := command.Run(t.Context(), &app.App{}, nil); !errors.Is(err, failure) {
		t.Error(err)
	}
}
