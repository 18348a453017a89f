package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// offering is a server with these features.
func offering(t *testing.T, opts *mcp.ServerOptions, f mcp.Features) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, opts)
	if err := srv.Replace("test", f); err != nil {
		t.Fatal(err)
	}
	return srv
}

func reads(contents []mcp.ResourceContents, err error) mcp.ReadHandler {
	return func(context.Context, string) ([]mcp.ResourceContents, error) { return contents, err }
}

func note(name string, h mcp.ReadHandler) mcp.ServerResource {
	return mcp.NewResource(mcp.Resource{URI: "note:" + name, Name: name, MIMEType: "text/plain"}, h)
}

var hello = []mcp.ResourceContents{{Text: "hello"}}

// code is the code of a protocol error in the latest revision.
func code(err error) int64 {
	var refused *protocol.Error
	if !errors.As(err, &refused) {
		return 0
	}
	return refused.Code
}

// A handler's error is a protocol error that says all it can.
func TestServerResource_Errors(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		code int64
		old  int64 // in a session
		want string
		data string
	}{
		"no such file":     {fmt.Errorf("opening: %w", fs.ErrNotExist), protocol.CodeInvalidParams, protocol.CodeResourceNotFoundOld, `Resource not found: "note:x"`, `{"uri":"note:x"}`},
		"no contents":      {nil, protocol.CodeInvalidParams, protocol.CodeResourceNotFoundOld, `Resource not found`, `{"uri":"note:x"}`},
		"a protocol error": {fmt.Errorf("no: %w", protocol.Errorf(7, "seven")), 7, 7, "seven", ``},
		"a coded error": {fmt.Errorf("writing: %w", &mcp.ToolError{Code: "BUSY", Message: "somebody writes", Next: "wait"}), protocol.CodeInternal, protocol.CodeInternal,
			"BUSY: writing: somebody writes\nNext step: wait", `{"code":"BUSY","message":"writing: somebody writes","nextStep":"wait"}`},
		"an error with details": {detailed{}, protocol.CodeInternal, protocol.CodeInternal, "detailed", `{"line":3,"message":"detailed"}`},
		"a detail that is none": {detailed{"f": func() {}}, protocol.CodeInternal, protocol.CodeInternal, "detailed", ``},
		"a plain error":         {errors.New("no luck"), protocol.CodeInternal, protocol.CodeInternal, "no luck", ``},
	} {
		t.Run(name, func(t *testing.T) {
			srv := offering(t, nil, mcp.Features{Resources: []mcp.ServerResource{note("x", reads(nil, tc.err))}})
			_, err := dispatch(t, srv, "resources/read", `{"uri":"note:x"}`)
			var refused *protocol.Error
			if !errors.As(err, &refused) || refused.Code != tc.code || refused.CodeFor(protocol.Rev20251125) != tc.old || !strings.Contains(refused.Message, tc.want) || string(refused.Data) != tc.data {
				t.Errorf("%#v", err)
			}
		})
	}
}

type detailed map[string]any

func (detailed) Error() string { return "detailed" }

func (d detailed) ErrorDetails() map[string]any {
	if len(d) == 0 {
		return map[string]any{"line": 3}
	}
	return d
}

func TestServerResource_Read(t *testing.T) {
	shared := []mcp.ResourceContents{{Text: "a"}, {URI: "note:y", Blob: []byte("b")}, {MIMEType: "text/html"}}
	srv := offering(t, nil, mcp.Features{Resources: []mcp.ServerResource{
		note("x", reads(shared, nil)).With(mcp.ResourceOptions{Cache: &protocol.CacheHint{TTLMillis: 5}}),
		note("large", reads([]mcp.ResourceContents{{Text: "123456"}, {Blob: []byte("78901")}}, nil)).With(mcp.ResourceOptions{MaxResult: 10}),
	}})
	got, err := dispatch(t, srv, "resources/read", `{"uri":"note:x"}`)
	want := `{"resultType":"complete","contents":[{"uri":"note:x","mimeType":"text/plain","text":"a"},{"uri":"note:y","blob":"Yg=="},{"uri":"note:x","mimeType":"text/html","text":""}],"ttlMs":5,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`
	if err != nil || got != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
	if shared[0].URI != "" {
		t.Error("what the handler returned was changed")
	}
	if _, err := dispatch(t, srv, "resources/read", `{"uri":"note:large"}`); code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "RESULT_TOO_LARGE") || !strings.Contains(err.Error(), "11 bytes; at most 10") {
		t.Errorf("too much: %v", err)
	}
	if _, err := dispatch(t, srv, "resources/read", `{"uri":"note:`+strings.Repeat("x", 8192)+`"}`); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "8197 bytes") {
		t.Errorf("a long URI: %.80v", err)
	}
	for _, uri := range []string{"note:X", "note:x/", "x", "", `note:\n`} {
		if _, err := dispatch(t, srv, "resources/read", `{"uri":"`+uri+`"}`); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "not found") {
			t.Errorf("%q: %v", uri, err)
		}
	}
}

func TestServerResource_ReadInProcess(t *testing.T) {
	r := note("x", reads(hello, nil))
	got, err := r.Read(t.Context())
	if err != nil || len(got.Contents) != 1 || got.Contents[0].URI != "note:x" || r.Resource().Name != "x" {
		t.Errorf("%+v, %v", got, err)
	}
	asks := note("x", func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) {
		return nil, mcp.Confirm(ctx, "k", "?")
	})
	if _, err := asks.Read(t.Context()); err == nil || !strings.Contains(err.Error(), "no client to ask") {
		t.Errorf("asking: %v", err)
	}
	if _, err := mcp.NewResource(mcp.Resource{}, nil).Read(t.Context()); err == nil {
		t.Error("a resource without anything was read")
	}
	if o := r.With(mcp.ResourceOptions{Timeout: 1}).With(mcp.ResourceOptions{HardTimeout: 2}).Options(); o.Timeout != 1 || o.HardTimeout != 2 || r.Options().Timeout != 0 {
		t.Errorf("options: %+v", o)
	}
}

func TestNewResource_Problems(t *testing.T) {
	for want, r := range map[string]mcp.Resource{
		"absolute URI": {URI: "notes.txt", Name: "n"}, `absolute URI, such`: {URI: "1a:b", Name: "n"}, "8193 bytes": {URI: "a:" + strings.Repeat("x", 8191), Name: "n"},
		"spaces, control": {URI: "a:b c", Name: "n"}, "bytes that are not UTF-8": {URI: "a:\xff", Name: "n"},
		"1 to 256 bytes": {URI: "a:b"}, "name is not valid": {URI: "a:b", Name: "\xff"}, "control character": {URI: "a:b", Name: "a\nb"},
	} {
		srv := mcp.NewServer(mcp.Implementation{}, nil)
		if err := mcp.AddResource(srv, r, reads(hello, nil)); err == nil || !strings.Contains(err.Error(), want) || len(srv.Resources()) != 0 {
			t.Errorf("%+.40v: %v, want %s", r, err, want)
		}
	}
	if err := mcp.NewResource(mcp.Resource{URI: "a:b", Name: "n"}, nil).Err(); err == nil || !strings.Contains(err.Error(), "no handler") {
		t.Errorf("without a handler: %v", err)
	}
}

func TestServerResource_Panic(t *testing.T) {
	var log bytes.Buffer
	srv := offering(t, &mcp.ServerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))}, mcp.Features{
		Resources: []mcp.ServerResource{note("x", func(context.Context, string) ([]mcp.ResourceContents, error) { panic("in the resource") })},
		Prompts:   []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { panic("in the prompt") })},
	})
	for method, params := range map[string]string{"resources/read": `{"uri":"note:x"}`, "prompts/get": `{"name":"p"}`} {
		if _, err := dispatch(t, srv, method, params); code(err) != protocol.CodeInternal || strings.Contains(err.Error(), "in the resource") || strings.Contains(err.Error(), "in the prompt") {
			t.Errorf("%s: %v", method, err)
		}
	}
	for _, want := range []string{"in the resource", "in the prompt", "server_resource_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not have %q", want)
		}
	}
}

// The time that a handler may take does not run while it waits for an answer.
func TestServerResource_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		limited := mcp.ResourceOptions{Timeout: time.Second, HardTimeout: time.Minute}
		srv := offering(t, nil, mcp.Features{
			Resources: []mcp.ServerResource{
				note("slow", func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) { return nil, wait(ctx) }).With(limited),
				note("asks", func(ctx context.Context, _ string) ([]mcp.ResourceContents, error) {
					return hello, mcp.Confirm(ctx, "k", "?")
				}).With(limited),
			},
			Templates: []mcp.ServerTemplate{mcp.NewTemplate(mcp.ResourceTemplate{URITemplate: "a:{b}", Name: "t"},
				func(ctx context.Context, _ string, _ struct{}) ([]mcp.ResourceContents, error) { return nil, wait(ctx) }).With(limited)},
			Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(ctx context.Context, _ struct {
				A string `json:"a,omitempty"`
			}) (*mcp.PromptResult, error) {
				return nil, wait(ctx)
			}).With(mcp.PromptOptions{Timeout: time.Second, HardTimeout: time.Minute}).Complete("a", func(ctx context.Context, _ string, _ map[string]string) (mcp.Completion, error) {
				return mcp.Completion{}, wait(ctx)
			})},
		})
		for _, tc := range [][2]string{
			{"resources/read", `{"uri":"note:slow"}`}, {"resources/read", `{"uri":"a:1"}`}, {"prompts/get", `{"name":"p"}`},
			{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`},
		} {
			start := time.Now()
			_, err := dispatch(t, srv, tc[0], tc[1])
			if code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "TIMEOUT") || time.Since(start) != time.Second {
				t.Errorf("%v: %v after %v", tc, err, time.Since(start))
			}
		}
		req := &protocol.Request{ID: "1", Method: "resources/read", Params: []byte(`{"uri":"note:asks"}`), Asker: patient{}}
		req.Meta = protocol.RequestMeta{Revision: protocol.Rev20251125}.WithSession(&protocol.SessionMeta{Capabilities: protocol.ClientCapabilities{Elicitation: new(protocol.ElicitationCapability)}})
		if _, err := srv.Dispatch(t.Context(), req); err != nil {
			t.Errorf("a user who takes half a minute: %v", err)
		}
	})
}

// patient is a user who agrees, after half a minute.
type patient struct{}

func (patient) Ask(_ context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	time.Sleep(30 * time.Second)
	answers := make(map[string]json.RawMessage)
	for key := range questions {
		answers[key] = json.RawMessage(`{"action":"accept"}`)
	}
	return answers, nil
}
