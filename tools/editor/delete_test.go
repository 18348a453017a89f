package editor_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestDeleteCode(t *testing.T) {
	for name, tt := range map[string]struct {
		file       string
		start, end int
		want       string
	}{
		"in the middle":          {"a\nb\nc\n", 2, 2, "a\nc\n"},
		"all":                    {"a\nb\nc\n", 1, 3, ""},
		"the end, without a LF":  {"a\nb\nc", 2, 3, "a\n"},
		"CRLF":                   {"a\r\nb\r\nc\r\n", 1, 2, "c\r\n"},
		"a file in UTF-16":       {"\xff\xfea\x00\n\x00b\x00\n\x00", 1, 1, "\xff\xfeb\x00\n\x00"},
		"a malformed place kept": {"a\n\x82\xa0\nb\n", 3, 3, "a\n\x82\xa0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{}, map[string]string{"f": tt.file})
			got := call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: tt.start, EndLine: tt.end})
			p.wantFile(t, "f", tt.want)
			if got.LinesDeleted != tt.end-tt.start+1 || got.Confirmed {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDeleteCode_ExpectedLines(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "  a {\n  b\n  }\nc\n"})
	_, err := p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 2, EndLine: 3, ExpectedFirstLine: "a {"})
	toolsettest.WantError(t, err, "ANCHOR_NOT_FOUND", `line 2 of "f" is "  b", not "a {"; that text is in line 1`)
	_, err = p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 2, ExpectedLastLine: "]"})
	toolsettest.WantError(t, err, "ANCHOR_NOT_FOUND", "no line has that text")
	call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 3, ExpectedFirstLine: "a {", ExpectedLastLine: "}"})
	p.wantFile(t, "f", "c\n")
}

func manyLines() string { return strings.Repeat("line\n", 150) }

// If the client cannot ask the user, the caller gets a token for one use and one content.
func TestDeleteCode_ConfirmToken(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": manyLines(), "g": manyLines()})
	args := editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 100}
	ask := func() string {
		t.Helper()
		_, err := p.DeleteCode(t.Context(), args)
		toolsettest.WantError(t, err, "CONFIRMATION_REQUIRED", `100 lines, 1 to 100, of "f"`)
		found := regexp.MustCompile(`confirmToken=(\w+)`).FindStringSubmatch(err.(*mcp.ToolError).Next)
		if found == nil {
			t.Fatalf("no token: %v", err)
		}
		return found[1]
	}
	used := args
	used.ConfirmToken = ask()
	for name, other := range map[string]editor.DeleteCodeArgs{
		"other lines":  {Path: "f", StartLine: 2, EndLine: 101},
		"another file": {Path: "g", StartLine: 1, EndLine: 100},
	} {
		other.ConfirmToken = ask()
		if _, err := p.DeleteCode(t.Context(), other); codeOf(err) != "CONFIRMATION_REQUIRED" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := call(t, p.DeleteCode, used); !got.Confirmed || got.LinesDeleted != 100 {
		t.Errorf("%+v", got)
	}
	p.put(t, "f", manyLines())
	_, err := p.DeleteCode(t.Context(), used)
	toolsettest.WantError(t, err, "CONFIRMATION_REQUIRED", "used already")

	stale := args
	stale.ConfirmToken = ask()
	p.put(t, "f", "x\n"+manyLines())
	_, err = p.DeleteCode(t.Context(), stale)
	toolsettest.WantError(t, err, "CONFIRMATION_REQUIRED", "another content")
	p.wantFile(t, "f", "x\n"+manyLines())

	args.RequireConfirmation = new(false)
	if got := call(t, p.DeleteCode, args); got.Confirmed {
		t.Errorf("%+v", got)
	}
}

// user answers the questions of a server.
type user struct {
	action string
	asked  []string
	// when runs before the answer.
	when func()
}

func (u *user) Ask(_ context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	answers := make(map[string]json.RawMessage)
	for key, q := range questions {
		u.asked = append(u.asked, string(q.Params))
		answers[key] = json.RawMessage(`{"action":"` + u.action + `"}`)
	}
	if u.when != nil {
		u.when()
	}
	return answers, nil
}

// The user's consent covers only the content at the time of the question.
func TestDeleteCode_AskUser(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": manyLines()})
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err := srv.Replace("editor", p.Features()); err != nil {
		t.Fatal(err)
	}
	caps := protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapability{Form: new(struct{})}}
	ask := func(u *user) string {
		t.Helper()
		result, err := srv.Dispatch(t.Context(), &protocol.Request{
			ID: "1", Method: "tools/call", Params: []byte(`{"name":"delete_code","arguments":{"path":"f","startLine":1,"endLine":120}}`),
			Asker: u, Meta: protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(&protocol.SessionMeta{Capabilities: caps}),
		})
		if err != nil {
			t.Fatal(err)
		}
		return toolsettest.Text(t, result.(*mcp.ToolResult))
	}
	no := &user{action: "decline"}
	if got := ask(no); !strings.HasPrefix(got, "DECLINED: ") || len(no.asked) != 1 || !strings.Contains(no.asked[0], "120 lines, 1 to 120") {
		t.Errorf("answered %q, asked %q", got, no.asked)
	}
	p.wantFile(t, "f", manyLines())
	late := &user{action: "accept", when: func() { p.put(t, "f", "new\n"+manyLines()) }}
	if got := ask(late); !strings.HasPrefix(got, "STALE_FILE: ") {
		t.Errorf("answered %q", got)
	}
	p.wantFile(t, "f", "new\n"+manyLines())
	if got := ask(&user{action: "accept"}); !strings.HasPrefix(got, "[f: deleted 120 lines") {
		t.Errorf("answered %q", got)
	}
}
