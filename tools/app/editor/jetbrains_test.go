package editor

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/editor/jetbrains"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// An IDE of JetBrains is used as far as the settings name a way to it.
func TestJetBrains(t *testing.T) {
	dir := newProject(t)
	asked := make(chan string, 10)
	ide := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Query().Get("line") }))
	defer ide.Close()
	args := []string{"-root", dir, "-editors", "jetbrains", "-jetbrains-launcher", "-", "-jetbrains-web-server", ide.URL, "-audit", "-"}
	out := program.MustRun(t, append(append([]string{"call"}, args...), "open_file_in_editor", "path=main.go", "line=4")...)
	apptest.Contains(t, out, "open in jetbrains")
	if line := <-asked; line != "4" {
		t.Errorf("line %s was opened", line)
	}
	_, doctor, _ := program.Run(t, append([]string{"doctor"}, args...)...)
	apptest.Contains(t, doctor, "jetbrains: ")
	args[7] = "http://example.com"
	program.MustFail(t, 1, "of this machine", append([]string{"tools"}, args...)...)
	for format, want := range map[string]*jetbrains.Format{"": nil, "default": {}, "/style.xml": {Settings: "/style.xml"}} {
		var c Config
		c.JetBrains.Format = format
		if got := jetbrainsOptions(c, dir, nil).Format; !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v", format, got)
		}
	}
	if strings.Contains(fmt.Sprint(newTable(nil).Defaults().Editors), editorJetBrains) {
		t.Error("it is used unasked")
	}
}

// The MCP server of an IDE reports the diagnostics of an open file for which no language
// server exists.
func TestJetBrains_Diagnostics(t *testing.T) {
	dir := newProject(t)
	apptest.Write(t, dir, map[string]string{"A.kt": "fun a() = b()\n"})
	type arguments struct {
		FilePath    string `json:"filePath"`
		ErrorsOnly  bool   `json:"errorsOnly,omitempty"`
		Timeout     int    `json:"timeout,omitempty"`
		ProjectPath string `json:"projectPath,omitempty"`
	}
	ide := mcp.NewServer(mcp.Implementation{Name: "IntelliJ IDEA MCP Server", Version: "2025.3"}, nil)
	apptest.Must(t, mcp.AddTool(ide, mcp.Tool{Name: "get_all_open_file_paths"}, func(context.Context, struct{}) (map[string]any, error) {
		return map[string]any{"activeFilePath": "A.kt", "openFiles": []string{"A.kt"}}, nil
	}))
	apptest.Must(t, mcp.AddTool(ide, mcp.Tool{Name: "get_file_problems"}, func(_ context.Context, in arguments) (map[string]any, error) {
		return map[string]any{"filePath": in.FilePath, "errors": []map[string]any{
			{"severity": "ERROR", "description": "Unresolved reference 'b'.", "lineContent": "fun a() = b()", "line": 1, "column": 11},
		}}, nil
	}))
	handler := httpserver.NewHandler(ide, nil)
	server := httptest.NewServer(handler)
	defer server.Close()
	defer handler.Shutdown(context.Background())
	// The connection may take longer than a single call.
	waittest.Until(t, "the IDE says what is wrong", func() bool {
		_, out, _ := program.Run(t, "call", "-root", dir, "-editors", "jetbrains", "-jetbrains-launcher", "-", "-jetbrains-server", server.URL, "-audit", "-",
			"-language-servers", "kotlin=", "get_diagnostics", "path=A.kt", "waitMs=20000")
		return strings.Contains(out, "1:11 error Unresolved reference 'b'.")
	})
}
