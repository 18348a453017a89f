package toolstest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
)

const (
	// defaultTimeout is the default of Options.Timeout.
	defaultTimeout = 30 * time.Second
	// shortSample is the value of project.sampleEvery with -short. It has no common divisor with the number of hostile texts, nor
	// with the number of hostile calls of one argument: each argument gets other texts.
	shortSample = 8
	// marker is the content of a file outside of the root. No result may contain it.
	marker = "0utside-0f-the-r00t-7c1d"
	// outsideLink is a link in the project to the directory outside of it.
	outsideLink = "link-to-outside"
)

// project is a directory with a set in a server, and a directory beside it that no tool may reach.
type project struct {
	options   Options
	set       tools.Set
	limits    tools.Limits
	dir       string            // of the project
	outside   string            // directory with secret.txt, which contains the marker
	untouched map[string]string // the directory outside, as the last check found it
	attacks   int               // number of hostile calls, with the omitted ones
	audit     *audit.Log
	client    *mcp.Client
	installed *tools.Installation
	closing   sync.Once

	// sampleEvery is n if every n-th hostile call is made and the others are omitted.
	sampleEvery int
}

// open makes a project and builds the set in it. The set is closed at the end of the test at the latest.
func open(t testing.TB, build New, o Options) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	p := &project{options: o, dir: filepath.Join(top, "project"), outside: filepath.Join(top, "outside"), sampleEvery: 1}
	if testing.Short() {
		p.sampleEvery = shortSample
	}
	p.limits = tools.Limits{Answer: 4 << 10, MaxAnswer: 16 << 10, MaxFile: 1 << 20}
	write(t, filepath.Join(p.outside, "secret.txt"), marker)
	must(t, os.MkdirAll(p.dir, 0o755))
	for _, name := range slices.Sorted(maps.Keys(o.Files)) {
		write(t, filepath.Join(p.dir, filepath.FromSlash(name)), o.Files[name])
	}
	if o.Prepare != nil {
		o.Prepare(t, p.dir)
	}
	p.untouched = tree(t, p.outside)

	p.audit, err = audit.Open(audit.Options{Recent: 4096})
	must(t, err)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process, Audit: p.audit})
	must(t, err)
	t.Cleanup(func() { root.Close() })
	log := slog.New(&panicHandler{slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}), t})
	p.set = build(t, tools.Env{Root: root, Limits: p.limits, Log: log, Audit: p.audit})
	srv := mcp.NewServer(mcp.Implementation{Name: "toolstest", Version: "1.0.0"}, &mcp.ServerOptions{Log: log})
	p.installed, err = tools.Install(srv, "toolstest", tools.Profile{}, p.set)
	must(t, err)
	t.Cleanup(func() { p.close(t) })
	p.client = mcptest.Connect(t, srv, &mcp.ClientOptions{Log: log, Timeout: -1})
	return p
}

// close removes the set from the server, which closes it.
func (p *project) close(t testing.TB) {
	t.Helper()
	p.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), p.options.Timeout)
		defer cancel()
		if err := p.installed.Close(ctx); err != nil {
			t.Errorf("close the set: %v", err)
		}
	})
}

// call calls a tool through the server. It returns nil after a protocol error, which it reports. mcptest reports results that do not
// match their schema.
func (p *project) call(t testing.TB, tool, args string) *mcp.ToolResult {
	t.Helper()
	c := Call{tool, args}
	ctx, cancel := context.WithTimeout(t.Context(), p.options.Timeout)
	defer cancel()
	result, err := p.client.CallTool(ctx, tool, json.RawMessage(args), nil)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		t.Errorf("%s goes on for %v", c, p.options.Timeout)
		return nil
	case err != nil:
		t.Errorf("%s is an error of the protocol: %v", c, err)
		return nil
	}
	return result
}

// check checks a result of any call: its length, its error, and that nothing outside of the root is part of it.
func (p *project) check(t testing.TB, c Call, result *mcp.ToolResult) {
	t.Helper()
	if result == nil {
		return
	}
	text := textOf(result)
	if size := len(text) + len(result.Structured); size > p.limits.MaxResult() {
		t.Errorf("the result of %s has %d bytes, and the limits permit %d", c, size, p.limits.MaxResult())
	}
	if strings.Contains(text, marker) || strings.Contains(string(result.Structured), marker) {
		t.Errorf("the result of %s has the content of a file outside of the root", c)
	}
	if result.IsError {
		parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
		if next, _ := parts["nextStep"].(string); next == "" || result.ErrorCode() == "" {
			t.Errorf("the error of %s has no code or no next step; return an error with the methods ErrorCode and NextStep, for example *mcp.ToolError: %s", c, text)
		}
	}
}

// checkOutside checks that calls did not change the directory outside of the root. It reports each change once.
func (p *project) checkOutside(t testing.TB, calls string) {
	t.Helper()
	now := tree(t, p.outside)
	if changed := difference(p.untouched, now); changed != "" {
		t.Errorf("outside of the root, %s was changed by %s", changed, calls)
	}
	p.untouched = now
}

// readOnly reports whether a tool is annotated as read-only.
func (p *project) readOnly(tool string) bool {
	for _, f := range p.set.Features().Tools {
		if a := f.Tool().Annotations; f.Tool().Name == tool {
			return a != nil && a.ReadOnly != nil && *a.ReadOnly
		}
	}
	return false
}

// changes returns the number of changes that began, by the audit log.
func (p *project) changes() int {
	n := 0
	for _, record := range p.audit.Recent(4096) {
		if record.Result == "started" {
			n++
		}
	}
	return n
}

// files returns the files of the project.
func (p *project) files(t testing.TB) map[string]string {
	t.Helper()
	return tree(t, p.dir)
}

// tree returns the hashes of the files in a directory, and the targets of links, by path.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		switch {
		case entry.IsDir():
			found[rel] = "directory"
		case entry.Type()&fs.ModeSymlink != 0:
			found[rel], err = os.Readlink(name)
		case entry.Type().IsRegular():
			var content []byte
			content, err = os.ReadFile(name)
			sum := sha256.Sum256(content)
			found[rel] = string(sum[:])
		}
		return err
	})
	must(t, err)
	return found
}

// difference returns the names of the files that differ between two trees, or "".
func difference(before, after map[string]string) string {
	names := make(map[string]bool)
	for name, content := range before {
		if after[name] != content {
			names[name] = true
		}
	}
	for name, content := range after {
		if before[name] != content {
			names[name] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}

// within calls f and reports whether f has ended before the timeout; see waittest.Within.
func (p *project) within(t testing.TB, what string, f func()) bool {
	t.Helper()
	return waittest.Within(t, p.options.Timeout, what, f)
}

// textOf returns the text of a result.
func textOf(r *mcp.ToolResult) string {
	var texts []string
	for _, block := range r.Blocks() {
		if text, ok := block.(mcp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// panicHandler fails a test when a panic is logged.
type panicHandler struct {
	slog.Handler
	t testing.TB
}

// Enabled implements slog.Handler.
func (h *panicHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError || h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h *panicHandler) Handle(ctx context.Context, record slog.Record) error {
	record.Attrs(func(a slog.Attr) bool {
		if a.Key == "panic" {
			h.t.Errorf("%s: %v", record.Message, a.Value)
		}
		return true
	})
	return h.Handler.Handle(ctx, record)
}

func write(t testing.TB, name, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(content), 0o644))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
