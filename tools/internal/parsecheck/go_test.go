package parsecheck_test

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/internal/corpus"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
)

const gopls = "golang.org/x/tools/gopls@v0.23.0"

// TestGo compares with the document symbols of gopls over the packages of Go itself: functions,
// methods, types, variables and constants. The comparison with go/parser covers the members of
// types and local declarations, which gopls does not report.
func TestGo(t *testing.T) {
	t.Parallel()
	corpus.Real(t)
	root := corpus.GoSources(t)
	var files []string
	for _, path := range corpus.Files(t, root, ".go") {
		// Commands are a module of their own, and in testdata much is wrong by design.
		if !strings.HasPrefix(path, "cmd/") && !strings.Contains(path, "testdata/") && !strings.Contains(path, "/_") {
			files = append(files, path)
		}
	}
	oracle := symbols(t, root, files)
	want := parsecheck.Want{Chunk: func(f *source.File, c *source.Chunk) bool { return c.Parent < 0 && c.Kind != source.Module }}
	for _, parser := range []source.Parser{outline.Parser{}, golang.Parser{}} {
		t.Run(strings.ReplaceAll(parser.Name(), "/", "-"), func(t *testing.T) {
			got, unsure := parsecheck.Parse(t, parser, source.Go, root, files, want)
			t.Logf("unsure of %d of %d files", unsure, len(files))
			parsecheck.Compare(oracle, got).Require(t, 99.5)
		})
	}
}

// symbols asks gopls.
func symbols(t *testing.T, root string, files []string) parsecheck.Found {
	t.Helper()
	bin := t.TempDir()
	install := exec.Command("go", "install", gopls)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=-mod=mod")
	install.Dir = bin
	out, err := install.CombinedOutput()
	testrequire.Deep(t, err == nil, "gopls", "it comes from the Go proxy: "+string(out))
	server := exec.Command(filepath.Join(bin, "gopls"))
	server.Dir = bin // a directory without a module: nothing is loaded
	in, err := server.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	from, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ignore := jsonrpc2.HandlerWithError(func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request) (any, error) { return nil, nil })
	conn := jsonrpc2.NewConn(t.Context(), jsonrpc2.NewBufferedStream(pipe{from, in}, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.AsyncHandler(ignore))
	t.Cleanup(func() {
		conn.Close()
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	call := func(method string, params, result any) {
		t.Helper()
		if err := conn.Call(t.Context(), method, params, result); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
	}
	hierarchical := map[string]any{"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}}}
	call("initialize", map[string]any{"capabilities": hierarchical, "rootUri": uri(bin)}, nil)
	if err := conn.Notify(t.Context(), "initialized", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	found := parsecheck.Found{}
	for _, path := range files {
		document := map[string]any{"uri": uri(filepath.Join(root, path))}
		var list []symbol
		var raw json.RawMessage
		call("textDocument/documentSymbol", map[string]any{"textDocument": document}, &raw)
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatalf("%s: %v in %.200s", path, err, raw)
		}
		found[path] = nil
		for _, s := range list {
			found[path] = append(found[path], parsecheck.Decl{Name: s.Name, Start: s.Range.Start.Line + 1, End: s.Range.End.Line + 1})
		}
	}
	return found
}

type symbol struct {
	Name  string
	Range struct{ Start, End struct{ Line int } }
}

func uri(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// pipe joins the two ends of a child's standard streams.
type pipe struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pipe) Write(b []byte) (int, error) { return p.w.Write(b) }

func (p pipe) Close() error {
	_ = p.w.Close()
	return p.ReadCloser.Close()
}
