package errorclass_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func TestOf(t *testing.T) {
	for code, want := range map[string]struct {
		severity  errorclass.Severity
		retryable bool
		rpc       int64
	}{
		"RATE_LIMITED": {errorclass.Low, true, -32603}, "CONNECTION_LIMIT": {errorclass.Medium, true, -32003}, "CLIENT_NOT_ALLOWED": {errorclass.Low, false, -32600},
		"INDEX_UNAVAILABLE": {errorclass.High, true, -32001}, "ISSUES_UNAVAILABLE": {errorclass.Medium, true, -32000}, "CIRCUIT_OPEN": {errorclass.Medium, true, -32000},
		"UNKNOWN_OUTCOME": {errorclass.Medium, false, -32000}, "TIMEOUT": {errorclass.Medium, true, -32603}, "INVALID_PARAMS": {errorclass.Low, false, -32602},
		"CONFIG_ERROR": {errorclass.High, false, -32603}, "AUDIT_FAILED": {errorclass.Critical, false, -32603}, "NO_SUCH_CODE": {errorclass.Low, false, -32603}, "": {errorclass.Low, false, -32603},
	} {
		got := errorclass.Of(code)
		if got.Severity != want.severity || got.Retryable != want.retryable || got.RPC != want.rpc || got.RPC == -32002 {
			t.Errorf("%s: %+v, want %+v", code, got, want)
		}
		english, japanese := got.Message(errorclass.English), got.Message(errorclass.Japanese)
		if !strings.HasSuffix(english, ".") || !strings.HasSuffix(japanese, "。") || got.Message("fr") != english || got.Message("") != english {
			t.Errorf("%s: %q, %q", code, english, japanese)
		}
	}
}

// failing is a tool that fails with an error.
func failing(name string, err error) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return "", err })
}

var shared = &mcp.ToolResult{Content: []mcp.Content{mcp.TextContent{Text: "no"}}, IsError: true, Meta: mcp.Meta{"own": 1}}

func server(t *testing.T, o errorclass.Options) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	srv.Use(errorclass.Middleware(o))
	resource := func(uri string, err error) mcp.ServerResource {
		return mcp.NewResource(mcp.Resource{URI: uri, Name: uri}, func(context.Context, string) ([]mcp.ResourceContents, error) { return nil, err })
	}
	err := srv.Replace("o", mcp.Features{
		Tools: []mcp.ServerTool{
			failing("limited", &mcp.ToolError{Code: "RATE_LIMITED", Message: "slow down", Next: "wait"}), failing("plain", errors.New("broken")),
			failing("protocol", protocol.Errorf(-5, "five")), failing("fine", nil), failing("internal", protocol.Errorf(protocol.CodeInternal, "oh")),
			failing("own", &mcp.ToolError{Code: "TIMEOUT", Message: "late", Err: severe{}}),
			mcp.NewTool(mcp.Tool{Name: "shared"}, func(context.Context, struct{}) (*mcp.ToolResult, error) { return shared, nil }),
		},
		Resources: []mcp.ServerResource{
			resource("a:index", &mcp.ToolError{Code: "INDEX_UNAVAILABLE", Message: "gone", Next: "rebuild"}), resource("a:config", &mcp.ToolError{Code: "CONFIG_ERROR", Message: "wrong"}),
			resource("a:plugin", fmt.Errorf("asking: %w", &mcp.ToolError{Code: "ISSUES_UNAVAILABLE", Message: "down"})), resource("a:none", fs.ErrNotExist), resource("a:plain", errors.New("broken")),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// severe has details of its own.
type severe struct{}

func (severe) Error() string                { return "severe" }
func (severe) ErrorDetails() map[string]any { return map[string]any{"severity": "critical"} }

func dispatch(t *testing.T, srv *mcp.Server, id protocol.ID, method, params string) (protocol.Result, error) {
	t.Helper()
	return srv.Dispatch(t.Context(), &protocol.Request{ID: id, Method: method, Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
}

// Every failed tool result is classified; successful results are unchanged.
func TestMiddleware_ToolErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // where it is midnight, 2000-01-01
		srv := server(t, errorclass.Options{})
		const at = `,"timestamp":"2000-01-01T00:00:00Z"`
		for _, tc := range []struct {
			id, params, want string
			in               errorclass.Language
		}{
			{`7`, `{"name":"limited"}`, `{"code":"RATE_LIMITED","message":"slow down","nextStep":"wait","requestId":7,"retryable":true,"severity":"low"` + at + `,"userMessage":"There were too many requests. Wait a while and try again."}`, ""},
			{`"a"`, `{"name":"limited"}`, `"requestId":"a","retryable":true,"severity":"low"` + at + `,"userMessage":"リクエストが多すぎます。しばらく待ってから再試行してください。"}`, errorclass.Japanese},
			{`1`, `{"name":"plain"}`, `{"requestId":1,"retryable":false,"severity":"low"` + at + `,"userMessage":"処理中に軽微なエラーが発生しました。`, errorclass.Japanese},
			{`1`, `{"name":"plain","arguments":{"x":1}}`, `"code":"INVALID_PARAMS"`, ""},
			{`1`, `{"name":"own"}`, `"severity":"critical"`, ""},
			{`1`, `{"name":"shared"}`, `"retryable":false`, ""},
			{`"` + strings.Repeat("é", 300) + `"`, `{"name":"plain"}`, strings.Repeat("é", 63) + `…"`, ""},
			{``, `{"name":"plain"}`, `{"retryable":false,"severity"`, ""},
		} {
			if tc.in != "" {
				srv = server(t, errorclass.Options{Language: tc.in})
			} else {
				srv = server(t, errorclass.Options{})
			}
			result, err := dispatch(t, srv, protocol.ID(tc.id), "tools/call", tc.params)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(result.(*mcp.ToolResult).Meta[protocol.ErrorMeta])
			if err != nil || !strings.Contains(string(got), tc.want) {
				t.Errorf("%s: %s, %v\nwant %s", tc.params, got, err, tc.want)
			}
		}
		if len(shared.Meta) != 1 {
			t.Errorf("a result that is not ours was changed: %v", shared.Meta)
		}
		if result, err := dispatch(t, srv, "1", "tools/call", `{"name":"fine"}`); err != nil || result.(*mcp.ToolResult).Meta != nil {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// Protocol errors with codes get the numbers of the table; what the protocol
// itself says stays as it is.
func TestMiddleware_ProtocolErrors(t *testing.T) {
	srv := server(t, errorclass.Options{Language: errorclass.Japanese})
	for _, tc := range []struct {
		method, params string
		rpc            int64
		want           string // of the data
	}{
		{"resources/read", `{"uri":"a:index"}`, -32001, `"code":"INDEX_UNAVAILABLE"`},
		{"resources/read", `{"uri":"a:index"}`, -32001, `"nextStep":"rebuild","requestId":1,"retryable":true,"severity":"high"`},
		{"resources/read", `{"uri":"a:index"}`, -32001, `"userMessage":"検索インデックスを利用できません。`},
		{"resources/read", `{"uri":"a:config"}`, -32603, `"code":"CONFIG_ERROR"`},
		{"resources/read", `{"uri":"a:plugin"}`, -32000, `"code":"ISSUES_UNAVAILABLE"`},
		{"resources/read", `{"uri":"a:plain"}`, -32603, `"severity":"high"`},
		{"resources/read", `{"uri":"a:none"}`, -32602, `{"uri":"a:none"}`},
		{"tools/call", `{"name":"protocol"}`, -5, `"severity":"low"`},
		{"tools/call", `{"name":"internal"}`, -32603, `"userMessage":"システムエラーが発生しました。`},
		{"tools/call", `{"name":"unknown"}`, -32602, `"retryable":false`},
		{"no/such", `{}`, -32601, `"severity":"low"`},
	} {
		_, err := dispatch(t, srv, "1", tc.method, tc.params)
		var e *protocol.Error
		if !errors.As(err, &e) || e.CodeFor(protocol.Latest) != tc.rpc || !strings.Contains(string(e.Data), tc.want) {
			t.Errorf("%s %s: %+v, want %d with %s", tc.method, tc.params, err, tc.rpc, tc.want)
		}
	}
	if _, err := dispatch(t, srv, "1", "resources/read", `{"uri":"a:none"}`); err.(*protocol.Error).CodeFor(protocol.Rev20251125) != -32002 {
		t.Errorf("to older revisions a resource that does not exist is %v", err)
	}
}

// OnError receives each error once.
func TestMiddleware_OnError(t *testing.T) {
	var heard []errorclass.Fault
	srv := server(t, errorclass.Options{OnError: func(_ context.Context, req *protocol.Request, f errorclass.Fault) {
		if req.Method == "" {
			t.Error("of no request")
		}
		heard = append(heard, f)
	}})
	srv.Use(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			if req.Method == "broken" {
				return nil, errors.New("no protocol error")
			}
			return next(ctx, req)
		}
	})
	for _, request := range [][2]string{
		{"tools/call", `{"name":"limited"}`}, {"tools/call", `{"name":"fine"}`}, {"tools/list", `{}`}, {"resources/read", `{"uri":"a:index"}`}, {"resources/read", `{"uri":"a:none"}`}, {"broken", `{}`},
	} {
		_, _ = dispatch(t, srv, "1", request[0], request[1])
	}
	want := []errorclass.Fault{
		{Code: "RATE_LIMITED", Severity: errorclass.Low, Retryable: true, Message: "slow down"},
		{Code: "INDEX_UNAVAILABLE", Severity: errorclass.High, Retryable: true, RPC: -32001, Message: "INDEX_UNAVAILABLE: gone\nNext step: rebuild"},
		{Severity: errorclass.Low, RPC: -32602, Message: `Resource not found: "a:none"`},
		{Code: "INTERNAL_ERROR", Severity: errorclass.High, RPC: -32603, Message: "no protocol error"},
	}
	if len(heard) != len(want) {
		t.Fatalf("%+v", heard)
	}
	for i := range want {
		if heard[i] != want[i] {
			t.Errorf("%d: %+v, want %+v", i, heard[i], want[i])
		}
	}
}

func ExampleMiddleware() {
	srv := mcp.NewServer(mcp.Implementation{Name: "demo"}, nil)
	srv.Use(errorclass.Middleware(errorclass.Options{Language: errorclass.Japanese}))
	err := mcp.AddTool(srv, mcp.Tool{Name: "ask"}, func(context.Context, struct{}) (string, error) {
		return "", &mcp.ToolError{Code: "TIMEOUT", Message: "the service did not answer"}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := srv.Dispatch(context.Background(), &protocol.Request{ID: "1", Method: "tools/call", Params: json.RawMessage(`{"name":"ask"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if err != nil {
		fmt.Println(err)
		return
	}
	parts := result.(*mcp.ToolResult).Meta[protocol.ErrorMeta].(map[string]any)
	fmt.Println(parts["severity"], parts["retryable"], parts["userMessage"])
	// Output: medium true 処理が時間内に終わりませんでした。範囲を絞るか、しばらく待ってから再試行してください。
}
