// Command search is a search server that shares its index with others: code and
// documents of a project are indexed in PostgreSQL by one server, and searched by as
// many as there are, on any machine that has the files.
//
//	export SEARCH_POSTGRES='postgres://me@db.example/search?sslmode=verify-full'
//	search serve -root ~/project -project shop          # keeps the index up to date
//	search serve -root /srv/project -project shop -follow   # only searches
//
// The password is best left to ~/.pgpass or PGPASSWORD.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/index"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

const (
	version = "0.1.0"
	// addressVariable has the address of the database. A flag would be visible to other users.
	addressVariable = "SEARCH_POSTGRES"
)

func main() { os.Exit(newApp().Main(os.Args[1:])) }

// program is the command line.
type program struct {
	root, project, schema string
	follow                bool
}

func newApp() *app.App {
	p := new(program)
	return &app.App{
		Name: "search", Version: version, Tasks: true, Summary: "one ranked search over code and documents, with an index that many servers share in PostgreSQL",
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&p.root, "root", ".", "`directory` of the project")
			flags.StringVar(&p.project, "project", "", "`name` of the project in the database, the same for all servers that share it (default the name of the directory)")
			flags.StringVar(&p.schema, "schema", "", "`schema` of the database that has the tables (default dougu)")
			flags.BoolVar(&p.follow, "follow", false, "only search: another server updates the index")
		},
		PassEnv: []string{addressVariable, "PGPASSWORD"},
		Build:   p.build,
	}
}

// service is all that is open.
type service struct {
	db        *postgres.DB
	root      *security.Root
	parsers   *source.Parsers
	installed *tools.Installation
}

func (p *program) build(ctx context.Context, start app.Start) (_ *app.Program, err error) {
	s := new(service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	dir, err := filepath.Abs(p.root)
	if err != nil {
		return nil, err
	}
	if p.project == "" {
		p.project = filepath.Base(dir)
	}
	if s.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true, Logger: start.Log, Blocked: security.DefaultBlocked()}); err != nil {
		return nil, err
	}
	if s.db, err = postgres.Open(ctx, os.Getenv(addressVariable), postgres.Options{Schema: p.schema}); err != nil {
		return nil, fmt.Errorf("%w; %s is the address of the database", err, addressVariable)
	}
	shared, err := index.Open(ctx, s.db, p.project, index.Options{Segment: segment.Options{Log: start.Log}})
	if err != nil {
		return nil, err
	}
	s.parsers = builtin.Parsers(builtin.Options{})
	env := tools.Env{Root: s.root, Log: start.Log}
	files, err := filesystem.New(env, filesystem.Options{Index: shared, Parsers: s.parsers, Interval: p.interval()})
	if err != nil {
		return nil, errors.Join(err, shared.Close(ctx))
	}
	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files}, Parsers: s.parsers})
	if err != nil {
		return nil, errors.Join(err, files.Close(ctx))
	}
	server := start.NewServer(mcp.Implementation{Name: "search", Version: version}, nil)
	if s.installed, err = tools.Install(server.Server, "search", tools.Profile{OtherSpelling: true, Wrap: []mcp.ToolMiddleware{server.LogCalls}}, set); err != nil {
		return nil, errors.Join(err, set.Close(ctx))
	}
	return &app.Program{Server: server.Server, Root: s.root, Close: s.close}, nil
}

// interval is how often files are looked at; negative is never.
func (p *program) interval() time.Duration {
	if p.follow {
		return -1
	}
	return 0
}

// close closes the parts of the service, users before used ones.
func (s *service) close(ctx context.Context) error {
	var failed error
	if s.installed != nil {
		failed = s.installed.Close(ctx)
	}
	if s.parsers != nil {
		failed = errors.Join(failed, s.parsers.Close())
	}
	if s.db != nil {
		s.db.Close()
	}
	if s.root != nil {
		failed = errors.Join(failed, s.root.Close())
	}
	return failed
}
