package toolsettest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// reader is a set with one tool, which reads any file but one.
type reader struct{ tools.Set }

type answer struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (a answer) TextContent() string { return a.Path + ": " + a.Content }

func (reader) Features() mcp.Features {
	tool := mcp.NewTool(mcp.Tool{Name: "read"}, func(_ context.Context, args struct {
		Path string `json:"path"`
	}) (answer, error) {
		if args.Path == "secret" {
			return answer{}, problem()
		}
		return answer{args.Path, "all of it"}, nil
	})
	return mcp.Features{Tools: []mcp.ServerTool{tool}}
}

func problem() error {
	return &security.Error{Code: security.PermissionDenied, Message: "it is secret", Next: "Read another file."}
}

func TestCall(t *testing.T) {
	got := toolsettest.Call(t, reader{}, "read", `{"path":"a"}`)
	if text := toolsettest.Text(t, got); text != "a: all of it" {
		t.Errorf("the text is %q", text)
	}
	if a := toolsettest.Structured[answer](t, got); a != (answer{"a", "all of it"}) {
		t.Errorf("the answer is %+v", a)
	}
	if got = toolsettest.Call(t, reader{}, "read", `{"path":"secret"}`); !got.IsError || !strings.Contains(toolsettest.Text(t, got), "Next step: ") {
		t.Errorf("the answer is %s", toolsettest.Text(t, got))
	}
	toolsettest.WantError(t, problem(), "PERMISSION_DENIED", "it is secret", "another file")
}

// listener is a test that tells how it went.
type listener struct {
	testing.TB
	said []string
}

type ended struct{}

func (l *listener) Helper() {}
func (l *listener) Errorf(format string, args ...any) {
	l.said = append(l.said, fmt.Sprintf(format, args...))
}
func (l *listener) Fatal(args ...any) { l.Fatalf("%s", fmt.Sprint(args...)) }
func (l *listener) Fatalf(format string, args ...any) {
	l.Errorf(format, args...)
	panic(ended{})
}

func TestHelpers_Failures(t *testing.T) {
	for want, test := range map[string]func(testing.TB){
		"there is no tool write":       func(t testing.TB) { toolsettest.Tool(t, reader{}, "write") },
		"the first block is mcp.Image": func(t testing.TB) { toolsettest.Text(t, &mcp.ToolResult{Content: []mcp.Content{mcp.ImageContent{}}}) },
		"the tool failed: PERMISSION": func(t testing.TB) {
			toolsettest.Structured[answer](t, toolsettest.Call(t, reader{}, "read", `{"path":"secret"}`))
		},
		"unexpected end of JSON":          func(t testing.TB) { toolsettest.Structured[answer](t, mcp.Text("no more than text")) },
		`has the code "PERMISSION_DENIED`: func(t testing.TB) { toolsettest.WantError(t, problem(), "STALE_FILE") },
		"has no next step":                func(t testing.TB) { toolsettest.WantError(t, errors.New("some"), "INTERNAL_ERROR") },
		`does not say "blue"`:             func(t testing.TB) { toolsettest.WantError(t, problem(), "PERMISSION_DENIED", "secret", "blue") },
	} {
		l := &listener{TB: t}
		func() {
			defer func() {
				if r := recover(); r != nil && r != (ended{}) {
					panic(r)
				}
			}()
			test(l)
		}()
		if len(l.said) != 1 || !strings.Contains(l.said[0], want) {
			t.Errorf("said %q, want %q", l.said, want)
		}
	}
}
