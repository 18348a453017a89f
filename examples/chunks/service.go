package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/builtin"
	"github.com/dougu-go/dougu/tools/chunking/parse/sourcekitten"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

// options are what the command line says.
type options struct {
	roots         paths
	readOnly      bool
	auditFile     string
	profile       string
	store         string
	data          string
	languages     string
	graph         bool
	watch         bool
	sourceKitten  string
	precise       bool
	outputSchemas bool
}

// paths is a flag that may be given several times.
type paths []string

func (p *paths) String() string { return strings.Join(*p, ", ") }

func (p *paths) Set(value string) error {
	*p = append(*p, value)
	return nil
}

// dirs are the directories that may be used.
func (o *options) dirs() []string {
	if len(o.roots) == 0 {
		return []string{"."}
	}
	return o.roots
}

// The stores.
const (
	storeJSON   = "json"
	storeSQLite = "sqlite"
	storeMemory = "memory"
)

// The profiles of tools.
const (
	profileFull   = "chunks"
	profileStrict = "chunks-strict"
)

// strictTools are those of the specification of chunks.
func strictTools() []string {
	return []string{"find_file", "find_function", "list_functions_in_file", "get_function_chunk", "analyze_project", "get_chunk"}
}

// instructions tell a model how to use the server as a whole.
const instructions = "Read functions, not files: list_functions_in_file or search_symbols give ids, get_chunk reads one, replace_function_chunk writes it back. " +
	"analyze_project is needed once for search_symbols and get_repo_map. Paths are relative to the project's root or absolute."

// service is what the flags describe.
type service struct {
	root      *security.Root
	audit     *security.Audit
	chunks    *chunking.Chunks
	parsers   *parse.Parsers
	db        *sqlite.DB
	server    *mcp.Server
	installed *tools.Installation
}

// openService opens what the flags name. serves says that changes are followed.
func openService(ctx context.Context, o *options, log *slog.Logger, serves bool) (_ *service, err error) {
	s := new(service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	if o.auditFile != "" {
		if s.audit, err = security.OpenAudit(security.AuditOptions{Path: o.auditFile}); err != nil {
			return nil, err
		}
	}
	s.root, err = security.OpenRoot(security.RootOptions{Dirs: o.dirs(), ReadOnly: o.readOnly, Audit: s.audit, Logger: log, Blocked: security.DefaultBlocked()})
	if err != nil {
		return nil, err
	}
	chosen, err := o.choose(ctx, s)
	if err != nil {
		return nil, err
	}
	chosen.Watch = o.watch && serves
	s.chunks, err = chunking.New(ctx, tools.Env{Root: s.root, Log: log, Audit: s.audit}, chosen)
	if err != nil {
		return nil, err
	}
	s.server = mcp.NewServer(mcp.Implementation{
		Name: "chunks", Title: "Chunks", Version: version, Description: "Finds, reads and replaces single functions in fifteen languages.",
	}, &mcp.ServerOptions{Instructions: instructions, Log: log})
	profile := tools.Profile{ReadOnly: o.readOnly, OtherSpelling: true, NoOutputSchemas: !o.outputSchemas}
	switch o.profile {
	case profileFull:
	case profileStrict:
		profile.Allow = strictTools()
	default:
		return nil, fmt.Errorf("there is no profile %q; choose %s or %s", o.profile, profileFull, profileStrict)
	}
	s.installed, err = tools.Install(s.server, "chunks", profile, s.chunks)
	return s, err
}

// choose makes the options of the tools, and opens what they need.
func (o *options) choose(ctx context.Context, s *service) (chunking.Options, error) {
	chosen := chunking.Options{Data: o.data}
	first := []parse.Parser(nil)
	if o.sourceKitten != "" {
		first = append(first, sourcekitten.New(sourcekitten.Options{Program: o.sourceKitten}))
	}
	s.parsers = builtin.Parsers(builtin.Options{CacheDir: cacheDir(s.root, "grammars"), First: first, Precise: o.precise})
	chosen.Parsers = s.parsers
	for name := range strings.SplitSeq(o.languages, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		lang, ok := parse.LanguageNamed(name)
		if !ok {
			return chosen, fmt.Errorf("there is no language %q; choose from %v", name, parse.Languages())
		}
		chosen.Languages = append(chosen.Languages, lang)
	}
	switch o.store {
	case storeJSON:
	case storeMemory:
		chosen.InMemory = true
	case storeSQLite:
	default:
		return chosen, fmt.Errorf("there is no store %q; choose %s, %s or %s", o.store, storeJSON, storeSQLite, storeMemory)
	}
	if o.store != storeSQLite && !o.graph {
		return chosen, nil
	}
	dir := cacheDir(s.root, "chunks")
	if dir == "" {
		return chosen, errors.New("there is no cache directory for the database outside of what tools can write to: leave out -store sqlite and -graph")
	}
	var err error
	if s.db, err = sqlite.Open(ctx, filepath.Join(dir, projectKey(s.root), "chunks.db")); err != nil {
		return chosen, err
	}
	if o.store == storeSQLite {
		chosen.Store = s.db.Store()
	}
	if o.graph {
		chosen.Graph = s.db.Graph()
	}
	return chosen, nil
}

// cacheDir is a directory below the user's caches, or empty if there is none
// that tools cannot write to.
func cacheDir(root *security.Root, name string) string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	dir := filepath.Join(base, "dougu", name)
	for _, top := range root.Dirs() {
		if rel, err := filepath.Rel(top, dir); err == nil && filepath.IsLocal(rel) {
			return ""
		}
	}
	return dir
}

// projectKey stands for the directories of a project in the name of a directory.
func projectKey(root *security.Root) string {
	sum := sha256.Sum256([]byte(strings.Join(root.Dirs(), "\x00")))
	return filepath.Base(root.Dirs()[0]) + "-" + hex.EncodeToString(sum[:8])
}

// close ends everything. It waits for calls that are running.
func (s *service) close(ctx context.Context) error {
	var failed []error
	switch {
	case s.installed != nil:
		failed = append(failed, s.installed.Close(ctx))
	case s.chunks != nil:
		failed = append(failed, s.chunks.Close(ctx))
	}
	if s.parsers != nil {
		failed = append(failed, s.parsers.Close())
	}
	if s.db != nil {
		failed = append(failed, s.db.Close())
	}
	if s.root != nil {
		failed = append(failed, s.root.Close())
	}
	if s.audit != nil {
		failed = append(failed, s.audit.Close())
	}
	return errors.Join(failed...)
}
