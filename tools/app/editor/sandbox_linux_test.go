package editor

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/transport"
)

// Language servers run in the sandbox, in a read-only editor too.
func TestLanguageServer_Sandbox(t *testing.T) {
	dir, bin := newProject(t), t.TempDir()
	toolsettest.Sandbox(t, sandbox.Options{Helper: helper, Dirs: []string{dir}}) // or none of it can be tested
	binary, err := filepath.Abs(os.Args[0])
	apptest.Must(t, err)
	secret, made := filepath.Join(bin, "..", "secret"), filepath.Join(dir, "made")
	apptest.Must(t, os.WriteFile(secret, []byte("x"), 0o600))
	apptest.Must(t, lsptest.Script{
		Read: []string{filepath.Join(dir, "main.go"), secret}, Write: []string{made},
		Answers: map[string]string{"textDocument/diagnostic": `{"kind":"full","items":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"reaches: $REACHES."}]}`},
	}.Program(filepath.Join(bin, "server"), binary))
	for _, tc := range []struct {
		flags   []string
		reaches string
	}{
		{nil, "read main.go, wrote made."},
		{[]string{"-read-only"}, "read main.go."},
		{[]string{"-commands-sandbox", "off"}, "read main.go, read secret, wrote made."},
	} {
		_ = os.Remove(made)
		args := append([]string{"call", "-root", dir, "-editors", "[]", "-language-servers", "go=" + filepath.Join(bin, "server"), "-commands-read", bin, "-commands-read", binary}, tc.flags...)
		apptest.Contains(t, program.MustRun(t, append(args, "get_diagnostics", "path=main.go", "waitMs=40000")...), "reaches: "+tc.reaches)
	}
}

// Without a sandbox, models and people are told.
func TestRights_NoSandbox(t *testing.T) {
	dir := newProject(t)
	for _, args := range [][]string{{"-commands-sandbox", "off"}, {"-commands-sandbox", "off", "-read-only"}} {
		args = append([]string{"-root", dir, "-editors", "[]", "-audit", "-"}, args...)
		o := newOptions(func() []string { return nil }, Options{Sandbox: helper})
		flags := flag.NewFlagSet("editor", flag.ContinueOnError)
		o.flags(flags)
		apptest.Must(t, flags.Parse(args))
		s, err := openService(t.Context(), o, app.Start{Log: slog.New(slog.DiscardHandler)})
		apptest.Must(t, err)
		client, err := mcp.Connect(t.Context(), transport.InMemory{Server: s.server}, mcp.Implementation{Name: "test", Version: "1"}, nil)
		apptest.Must(t, err)
		apptest.Contains(t, client.Server().Instructions, "There is no sandbox")
		client.Close()
		apptest.Must(t, s.close(context.Background()))
		_, out, _ := program.Run(t, append([]string{"doctor"}, args...)...)
		apptest.Contains(t, out, "; without a sandbox", "sandbox: commands run with all rights of this program (it is off); so do builds, debuggers, language servers and formatters")
	}
}
