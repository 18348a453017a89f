package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// A program with a set of tools and settings for it: search, and the patterns of files that it leaves out.
func ExampleSettings_toolSet() {
	type finder struct {
		Root   string
		Ignore []string
	}
	settings := &app.Settings[finder]{
		Program: "finder", UserFile: "finder/config.json", Environ: func() []string { return nil },
		Table: config.NewTable(config.Options{Prefix: "FINDER_"},
			config.NewKey("root", func(c *finder) *string { return &c.Root }, ".", config.Text(1, 4096), "`directory` that is searched"),
			config.NewList("ignore", func(c *finder) *[]string { return &c.Ignore }, []string{"node_modules"}, config.ListOf(config.Text(1, 4096), 100), "`patterns` of files that are left out").Key,
		),
	}
	build := func(ctx context.Context, start app.Start) (*app.Program, error) {
		c := settings.Config()
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{c.Root}, ReadOnly: true, Logger: start.Log})
		if err != nil {
			return nil, err
		}
		env := tools.Env{Root: root, Log: start.Log}
		parsers := builtin.Parsers(builtin.Options{})
		files, err := filesystem.New(env, filesystem.Options{Index: segment.NewMemory(), Parsers: parsers, Ignore: c.Ignore})
		if err != nil {
			return nil, errors.Join(err, parsers.Close(), root.Close())
		}
		set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}, Parsers: parsers, Ignore: c.Ignore})
		if err != nil {
			return nil, errors.Join(err, files.Close(ctx), parsers.Close(), root.Close())
		}
		server := start.NewServer(mcp.Implementation{Name: "finder", Version: "1.0.0"}, nil)
		installed, err := tools.Install(server.Server, "finder", tools.Profile{Allow: []string{"searchDocuments"}, Wrap: []mcp.ToolMiddleware{server.LogCalls}}, set)
		if err != nil {
			return nil, errors.Join(err, set.Close(ctx), parsers.Close(), root.Close())
		}
		return &app.Program{Server: server.Server, Root: root, Close: func(ctx context.Context) error {
			return errors.Join(installed.Close(ctx), parsers.Close(), root.Close())
		}}, nil
	}
	dir, err := os.MkdirTemp("", "finder-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "clock.md"), []byte("# Clock\n\nA clock for cats.\n"), 0o600); err != nil {
		panic(err)
	}
	var out strings.Builder
	program := &app.App{Name: "finder", Version: "1.0.0", Summary: "a search", Settings: settings, Build: build, Stdin: os.Stdin, Stdout: &out, Stderr: os.Stderr}
	program.Run(context.Background(), []string{"call", "-root", dir, "searchDocuments", "query=cats"})
	for line := range strings.Lines(out.String()) { // a line in brackets says that the index is still being built
		if found, _, ok := strings.Cut(line, " ("); ok && !strings.HasPrefix(line, "[") { // before the score
			fmt.Println(found)
		}
	}
	// Output: clock.md:1-3 section Clock
}
