package jetbrains_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/jetbrains"
	"github.com/dougu-go/dougu/transport"
)

// ide is the MCP server of an IDE, with tools in the form of plugins/mcp-server/src/com/intellij/mcpserver/toolsets/general (FileToolset.kt,
// AnalysisToolset.kt) of IntelliJ Community.
type ide struct {
	mu      sync.Mutex
	answers map[string]string
	asked   []string
	down    bool
	last    protocol.Conn
	schemas map[string]string
}

func newIDE() *ide {
	return &ide{
		answers: map[string]string{
			"get_all_open_file_paths": `{"activeFilePath":"src/a.go","openFiles":["src/a.go","b.go"]}`,
			"get_file_problems": `{"filePath":"src/a.go","errors":[` +
				`{"severity":"ERROR","description":"Unresolved reference 'x'","lineContent":"x","line":3,"column":5},` +
				`{"severity":"WEAK WARNING","description":"unused","lineContent":"y","line":4,"column":1},` +
				`{"severity":"ERROR","description":null,"lineContent":"","line":1,"column":1},` +
				`{"severity":"TYPO","description":"Typo","lineContent":"","line":0,"column":1}]}`,
			"open_file_in_editor": `{}`,
		},
		schemas: map[string]string{
			"get_all_open_file_paths": `{"type":"object","properties":{"projectPath":{"type":"string"}}}`,
			"get_file_problems":       `{"type":"object","properties":{"filePath":{"type":"string"},"errorsOnly":{"type":"boolean"},"timeout":{"type":"integer"},"projectPath":{"type":"string"}},"required":["filePath"]}`,
			"open_file_in_editor":     `{"type":"object","properties":{"filePath":{"type":"string"},"projectPath":{"type":"string"}},"required":["filePath"]}`,
			"rename_refactoring":      `{"type":"object","properties":{"pathInProject":{"type":"string"}},"required":["pathInProject"]}`,
		},
	}
}

// Connect implements protocol.Transport.
func (i *ide) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.down {
		return nil, errors.New("connection refused")
	}
	s := mcp.NewServer(mcp.Implementation{Name: "IntelliJ IDEA MCP Server", Version: "2025.3"}, nil)
	var features mcp.Features
	for name, schema := range i.schemas {
		features.Tools = append(features.Tools, mcp.NewRawTool(mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)},
			func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				i.mu.Lock()
				defer i.mu.Unlock()
				i.asked = append(i.asked, name+string(args))
				answer, ok := i.answers[name]
				return &mcp.ToolResult{Content: []mcp.Content{mcp.TextContent{Text: answer}}, IsError: !ok}, nil
			}))
	}
	if err := s.Replace("ide", features); err != nil {
		return nil, err
	}
	conn, err := transport.InMemory{Server: s}.Connect(ctx, host)
	i.last = conn
	return conn, err
}

func (i *ide) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *ide) lastAsked() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.asked) == 0 {
		return ""
	}
	return i.asked[len(i.asked)-1]
}

// connected opens an adapter with the server of an IDE, and waits for it.
func connected(t *testing.T, i *ide) (*jetbrains.JetBrains, string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j := open(t, jetbrains.Options{Launcher: "-", Root: root, Server: i})
	waittest.Until(t, "it is connected", func() bool { return j.State().Running })
	return j, root
}

func TestDiagnose_Server(t *testing.T) {
	i := newIDE()
	j, root := connected(t, i)
	if s := j.State(); !strings.Contains(s.Detail, "IntelliJ IDEA") {
		t.Errorf("%+v", s)
	}
	a, closed := filepath.Join(root, "src", "a.go"), filepath.Join(root, "closed.go")
	got, err := j.Diagnose(t.Context(), []string{a, closed, filepath.Join(filepath.Dir(root), "outside.go")})
	if err != nil || got.Fresh || !slices.Equal(got.Covered, []string{a}) {
		t.Fatalf("%+v, %v", got, err)
	}
	at := func(line, column int) adapter.Range {
		p := adapter.Position{Line: line, Column: column}
		return adapter.Range{Start: p, End: p}
	}
	want := []adapter.Diagnostic{
		{Path: a, Range: at(3, 5), Severity: adapter.Error, Message: "Unresolved reference 'x'", Source: "jetbrains"},
		{Path: a, Range: at(4, 1), Severity: adapter.Warning, Message: "unused", Source: "jetbrains"},
	}
	if !slices.Equal(got.Items, want) {
		t.Errorf("%+v", got.Items)
	}
	if asked := i.lastAsked(); !strings.Contains(asked, `"errorsOnly":false`) || !strings.Contains(asked, `"filePath":"src/a.go"`) || !strings.Contains(asked, `"projectPath"`) {
		t.Errorf("it was asked %s", asked)
	}
	if got, err := j.Diagnose(t.Context(), []string{closed}); err != nil || len(got.Covered) != 0 || got.Covered == nil {
		t.Errorf("a file that is not open: %+v, %v", got, err)
	}
	if _, err := j.Diagnose(t.Context(), nil); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("the whole project: %v", err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := j.Diagnose(soon, []string{a}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("at once: %v", err)
	}
	patient, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	i.set(func() { i.answers["get_file_problems"] = `{"errors":[],"timedOut":true}` })
	if got, err := j.Diagnose(patient, []string{a}); err != nil || !strings.Contains(strings.Join(got.Notes, " "), "src/a.go") {
		t.Errorf("%+v, %v", got, err)
	}
	i.set(func() { i.answers["get_file_problems"] = `[` })
	if _, err := j.Diagnose(t.Context(), []string{a}); err == nil {
		t.Error("nonsense is taken for an answer")
	}
	i.set(func() { delete(i.answers, "get_file_problems") })
	if _, err := j.Diagnose(t.Context(), []string{a}); err == nil || errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("a tool that fails: %v", err)
	}
}

func TestOpen_Server(t *testing.T) {
	i := newIDE()
	j, root := connected(t, i)
	if err := j.Open(t.Context(), filepath.Join(root, "src", "a.go"), &adapter.Position{Line: 3, Column: 1}, false); err != nil {
		t.Fatal(err)
	}
	if asked := i.lastAsked(); !strings.HasPrefix(asked, "open_file_in_editor") || !strings.Contains(asked, `"filePath":"src/a.go"`) {
		t.Errorf("it was asked %s", asked)
	}
	if err := j.Open(t.Context(), filepath.Join(filepath.Dir(root), "a.go"), nil, false); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("outside: %v", err)
	}
}

// Missing tools, and tools with unknown required arguments, are not called.
func TestServer_OtherVersions(t *testing.T) {
	for name, change := range map[string]func(*ide){
		"no tool": func(i *ide) { delete(i.schemas, "get_file_problems") },
		"another argument": func(i *ide) {
			i.schemas["get_file_problems"] = `{"type":"object","properties":{"path":{"type":"string"}}}`
		},
		"a further argument": func(i *ide) {
			i.schemas["get_file_problems"] = `{"type":"object","properties":{"filePath":{"type":"string"},"profile":{"type":"string"}},"required":["profile"]}`
		},
		"no list of files":    func(i *ide) { delete(i.schemas, "get_all_open_file_paths") },
		"nothing but renames": func(i *ide) { i.schemas = map[string]string{"rename_refactoring": `{"type":"object"}`} },
	} {
		t.Run(name, func(t *testing.T) {
			i := newIDE()
			change(i)
			j, root := connected(t, i)
			if _, err := j.Diagnose(t.Context(), []string{filepath.Join(root, "src", "a.go")}); !errors.Is(err, adapter.ErrUnsupported) {
				t.Errorf("%v", err)
			}
			if asked := i.lastAsked(); strings.HasPrefix(asked, "get_file_problems") {
				t.Errorf("it was asked %s", asked)
			}
		})
	}
}

// An IDE comes, goes and comes again.
func TestServer_Reconnects(t *testing.T) {
	i := newIDE()
	i.down = true
	root := t.TempDir()
	j := open(t, jetbrains.Options{Launcher: "-", Root: root, Server: i})
	told := make(chan struct{}, 100)
	defer j.Watch(func() { told <- struct{}{} })()
	if s := j.State(); s.Running || !strings.Contains(s.Detail, "does not answer") {
		t.Errorf("%+v", s)
	}
	if _, err := j.Diagnose(t.Context(), []string{filepath.Join(root, "a.go")}); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("%v", err)
	}
	i.set(func() { i.down = false })
	waittest.Until(t, "it has come", func() bool { return j.State().Running })
	i.set(func() { i.down = true; i.last.Close() })
	waittest.Until(t, "it has gone", func() bool { return !j.State().Running })
	i.set(func() { i.down = false })
	waittest.Until(t, "it has come again", func() bool { return j.State().Running })
	<-told
}
