// Command cursorcli serves the files of a project to Cursor, or to any MCP
// client, on standard input and output. Run on a terminal it explains itself.
package main

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"strings"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

func main() { os.Exit(newApp().Main(os.Args[1:])) }

const version = "0.1.0"

// newApp is the program: its flags, and the server that they describe.
func newApp() *cli.App {
	var s settings
	return &cli.App{
		Name: "cursorcli", Version: version,
		Summary: "the files of a project for Cursor and other MCP clients",
		Flags:   s.flags,
		Build:   s.build,
		Tokens:  func(text string) (cli.Authenticator, error) { return auth.ParseTokens(text) },
	}
}

// settings are what the flags say.
type settings struct {
	roots     paths
	readOnly  bool
	auditFile string
}

// paths is a flag that may be given several times.
type paths []string

func (p *paths) String() string { return strings.Join(*p, ", ") }

func (p *paths) Set(value string) error {
	*p = append(*p, value)
	return nil
}

func (s *settings) flags(flags *flag.FlagSet) {
	flags.Var(&s.roots, "root", "`directory` that may be used; may be given several times, the first is where relative paths begin (default the current directory)")
	flags.BoolVar(&s.readOnly, "read-only", false, "offer no tool that changes anything, and refuse every change")
	flags.StringVar(&s.auditFile, "audit", "", "record every change in this `file`, one JSON object a line")
}

// build makes the server.
func (s *settings) build(_ context.Context, log *slog.Logger) (*mcp.Server, func(context.Context) error, error) {
	dirs := []string(s.roots)
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	audit, err := s.openAudit()
	if err != nil {
		return nil, nil, err
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: dirs, ReadOnly: s.readOnly, Audit: audit, Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, audit.Close())
	}
	files, err := fs.New(tools.Env{Root: root, Log: log, Audit: audit}, fs.Options{})
	if err != nil {
		return nil, nil, errors.Join(err, root.Close(), audit.Close())
	}
	server := mcp.NewServer(mcp.Implementation{
		Name: "cursorcli-mcp-server", Title: "CursorCLI", Version: version,
		Description: "Reads, writes and lists the files of a project, confined to it.",
	}, &mcp.ServerOptions{
		Instructions: "Paths are relative to the project's root. Long answers are cut: they say so, and how to go on. read_file gives a sha256 that write_file takes as expectedSha256, so that nobody else's change is overwritten.",
		Log:          log,
	})
	installed, err := tools.Install(server, "cursorcli", tools.Profile{ReadOnly: s.readOnly}, files)
	release := func(ctx context.Context) error {
		return errors.Join(installed.Close(ctx), root.Close(), audit.Close())
	}
	return server, release, err
}

// openAudit opens the record of changes, or returns nil, which records nothing.
func (s *settings) openAudit() (*security.Audit, error) {
	if s.auditFile == "" {
		return nil, nil
	}
	return security.OpenAudit(security.AuditOptions{Path: s.auditFile})
}
