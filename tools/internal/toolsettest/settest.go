// Package toolsettest calls single tools of a set in a test as a server does. Package tools/toolstest checks a whole set.
package toolsettest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
)

// Sandbox opens a sandbox for a project, and closes it when the test ends. It skips the test if none works.
func Sandbox(t testing.TB, o sandbox.Options) *sandbox.Sandbox {
	t.Helper()
	o.Mode = sandbox.Auto
	s, err := sandbox.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	testrequire.Thing(t, s.Active(), "a sandbox", "use Linux 5.13 or newer")
	return s
}

// Tool is one of the tools of a set.
func Tool(t testing.TB, set tools.Set, name string) mcp.ServerTool {
	t.Helper()
	for _, tool := range set.Features().Tools {
		if tool.Tool().Name == name {
			return tool
		}
	}
	t.Fatalf("there is no tool %s", name)
	return mcp.ServerTool{}
}

// Call calls a tool of a set with arguments in JSON. A tool that fails is a result all the same.
func Call(t testing.TB, set tools.Set, name, args string) *mcp.ToolResult {
	t.Helper()
	got, err := Tool(t, set, name).Call(t.Context(), json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s(%s): %v", name, args, err)
	}
	return got
}

// Text is the first block of a result, which must be text.
func Text(t testing.TB, r *mcp.ToolResult) string {
	t.Helper()
	first, ok := r.Blocks()[0].(mcp.TextContent)
	if !ok {
		t.Fatalf("the first block is %T", r.Blocks()[0])
	}
	return first.Text
}

// Structured decodes the structured content of a result into the type that the Go method of the tool answers.
func Structured[T any](t testing.TB, r *mcp.ToolResult) T {
	t.Helper()
	var v T
	if r.IsError {
		t.Fatalf("the tool failed: %s", Text(t, r))
	}
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// WantError checks that an error has a code and a next step without doubled punctuation, and that both together say certain words.
func WantError(t testing.TB, err error, code string, says ...string) {
	t.Helper()
	if got := string(security.CodeOf(err)); got != code {
		t.Fatalf("error %v has the code %q, want %q", err, got, code)
	}
	var advice interface{ NextStep() string }
	if !errors.As(err, &advice) || advice.NextStep() == "" {
		t.Fatalf("error %v has no next step", err)
	}
	for _, text := range []string{err.Error(), advice.NextStep()} {
		if marks := punctuation.Doubled(text); marks != "" {
			t.Errorf("%q has doubled punctuation: %q", text, marks)
		}
	}
	for _, s := range says {
		if all := err.Error() + " " + advice.NextStep(); !strings.Contains(all, s) {
			t.Errorf("error %q does not say %q", all, s)
		}
	}
}
