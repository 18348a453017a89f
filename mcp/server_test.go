package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

type echoArgs struct {
	Text  string `json:"text"`
	Times int    `json:"times,omitempty" jsonschema:"default=1,minimum=1,maximum=3"`
	Mode  string `json:"mode,omitempty" jsonschema:"enum=plain,enum=loud,default=plain"`
}

func echo(_ context.Context, in echoArgs) (string, error) {
	text := strings.Repeat(in.Text, in.Times)
	if in.Mode == "loud" {
		text = strings.ToUpper(text)
	}
	return text, nil
}

var echoTool = mcp.Tool{Name: "echo", Description: "Says it again."}

func newServer(t *testing.T, opts *mcp.ServerOptions, tools ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, opts)
	if err := srv.Replace("test", mcp.Features{Tools: tools}); err != nil {
		t.Fatal(err)
	}
	return srv
}

// dispatch asks a server in process and returns the wire form of its answer.
func dispatch(t *testing.T, d protocol.Dispatcher, method, params string) (string, error) {
	t.Helper()
	result, err := d.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: method, Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if err != nil {
		return "", err
	}
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return string(wire), nil
}

func callText(t *testing.T, tool mcp.ServerTool, args string) string {
	t.Helper()
	result, err := tool.Call(t.Context(), json.RawMessage(args))
	if err != nil {
		return "error: " + err.Error()
	}
	var text []string
	for _, block := range result.Blocks() {
		text = append(text, block.(mcp.TextContent).Text)
	}
	return strings.Join(text, "|")
}

func TestServerTool_IsValue(t *testing.T) {
	tool := mcp.NewTool(echoTool, echo)
	if got := callText(t, tool, `{"text":"a"}`); got != "a" {
		t.Errorf("called in process: %q", got)
	}
	louder := tool.Named("shout").Describe("Shouts.").With(mcp.ToolOptions{
		Defaults: map[string]any{"mode": "loud", "times": 2}, Enums: map[string][]any{"mode": {"loud"}},
	})
	if got := callText(t, louder, `{"text":"a"}`); got != "AA" {
		t.Errorf("with other defaults: %q", got)
	}
	if got := callText(t, louder, `{"text":"a","mode":"plain"}`); !strings.Contains(got, "mode") {
		t.Errorf("a value that the enumeration lost: %q", got)
	}
	if shown := string(louder.Tool().InputSchema); !strings.Contains(shown, `"default":"loud"`) || strings.Contains(shown, "plain") || louder.Tool().Name != "shout" {
		t.Errorf("the model sees %s", shown)
	}
	if got := callText(t, tool, `{"text":"a"}`); got != "a" {
		t.Errorf("the original has changed: %q", got)
	}
	wrapped := tool.Wrap(
		func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				result, err := next(ctx, args)
				return mcp.Text("<" + result.Content[0].(mcp.TextContent).Text + ">"), err
			}
		},
		func(next mcp.RawHandler) mcp.RawHandler {
			return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				if !strings.Contains(string(args), `"times":1`) {
					t.Errorf("middleware sees unprepared arguments: %s", args)
				}
				return next(ctx, args)
			}
		})
	if got := callText(t, wrapped, `{"text":"a"}`); got != "<a>" {
		t.Errorf("wrapped: %q", got)
	}
}

func TestNewRawTool_ValidatesArguments(t *testing.T) {
	tool := mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)},
		func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			return mcp.Text(fmt.Sprintf("got %s", args)), nil
		})
	if got := callText(t, tool, `{"n":9007199254740993}`); got != `got {"n":9007199254740993}` {
		t.Error(got)
	}
	if got := callText(t, tool, `{"n":"x"}`); !strings.Contains(got, "INVALID_PARAMS") || !strings.Contains(got, "n:") {
		t.Error(got)
	}
}

func TestNewRawTool_NeedsReference(t *testing.T) {
	text := json.RawMessage(`{"type":"object","properties":{"a":{}},"unevaluatedProperties":false}`)
	tool := mcp.NewRawTool(mcp.Tool{Name: "raw", InputSchema: text}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.Text("ran"), nil })
	if err := tool.Err(); err == nil || !strings.Contains(err.Error(), "unevaluatedProperties") {
		t.Errorf("without it: %v", err)
	}
	tool = tool.With(mcp.ToolOptions{Reference: reference.Validator})
	if got := callText(t, tool, `{"a":1}`); got != "ran" {
		t.Error(got)
	}
	if got := callText(t, tool, `{"b":1}`); !strings.Contains(got, "b: ") {
		t.Error(got)
	}
}

type point struct{ X, Y int }

func (p point) TextContent() string { return fmt.Sprintf("at %d,%d", p.X, p.Y) }

func TestNewTool_ResultTypes(t *testing.T) {
	for name, tc := range map[string]struct {
		tool mcp.ServerTool
		want string
	}{
		"a string": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "s", nil }), `"content":[{"type":"text","text":"s"}]`},
		"nothing":  {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }), `"content":[]`},
		"a struct": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (struct {
			A []int `json:"a"`
			B *int  `json:"b"`
		}, error) {
			return struct {
				A []int `json:"a"`
				B *int  `json:"b"`
			}{}, nil
		}), `"content":[{"type":"text","text":"{\"a\":[],\"b\":null}"}],"structuredContent":{"a":[],"b":null}`},
		"its own text": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (point, error) { return point{1, 2}, nil }), `"content":[{"type":"text","text":"at 1,2"}],"structuredContent":{"X":1,"Y":2}`},
		"a map":        {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (map[string]int, error) { return nil, nil }), `"structuredContent":{}`},
		"a slice":      {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) ([]string, error) { return nil, nil }), `"structuredContent":[]`},
		"a number":     {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (float64, error) { return 1.5, nil }), `"structuredContent":1.5`},
		"a result": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Meta: mcp.Meta{"a.b/c": 1}}, nil
		}), `"content":[],"_meta":{"a.b/c":1`},
		"a nil result":  {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (*mcp.ToolResult, error) { return nil, nil }), `"content":[]`},
		"a plain error": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", errors.New("no luck") }), `[{"type":"text","text":"no luck"}],"isError":true`},
		"an error that embeds a code": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) {
			return "", fmt.Errorf("reading: %w", &mcp.ToolError{Code: "GONE", Message: "it is gone"})
		}), `"text":"GONE: reading: it is gone"`},
		"too much": {mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return strings.Repeat("x", 11), nil }).With(mcp.ToolOptions{MaxResult: 10}), `RESULT_TOO_LARGE`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := dispatch(t, newServer(t, nil, tc.tool), "tools/call", `{"name":"t"}`)
			if err != nil || !strings.Contains(got, tc.want) {
				t.Errorf("got %s, %v\nwant %s", got, err, tc.want)
			}
		})
	}
}

func TestNewTool_Problems(t *testing.T) {
	good := mcp.NewTool(echoTool, echo)
	srv := newServer(t, nil, good)
	bad := []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "no channels"}, func(context.Context, struct{ C chan int }) (string, error) { return "", nil }),
		mcp.NewTool(mcp.Tool{Name: "bad_result"}, func(context.Context, struct{}) (func(), error) { return nil, nil }),
		mcp.NewRawTool(mcp.Tool{Name: "bad_schema", InputSchema: json.RawMessage(`{"type":`)}, nil),
		mcp.NewTool(mcp.Tool{Name: ""}, echo),
		good.With(mcp.ToolOptions{Defaults: map[string]any{"tims": 2}}).Named("bad_default"),
		good,
	}
	err := srv.Replace("other", mcp.Features{Tools: bad})
	if err == nil {
		t.Fatal("everything was registered")
	}
	for _, want := range []string{"no channels", "bad_result", "bad_schema", `tool ""`, "tims", `"echo" is offered by "test" and by "other"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not mention %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines:\n%v", err)
	}
	if tools := srv.Tools(); len(tools) != 1 || tools[0].Name != "echo" {
		t.Errorf("a failed registration changed the tools to %v", tools)
	}
	if _, err := bad[0].Call(t.Context(), nil); err == nil {
		t.Error("a broken tool was called")
	}
}

func TestServer_CapabilitiesFollowFeatures(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	has := func() bool {
		got, err := dispatch(t, srv, "server/discover", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(got, `"tools":{"listChanged":true}`)
	}
	var refused *protocol.Error
	if _, err := dispatch(t, srv, "tools/list", `{}`); has() || !errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound {
		t.Errorf("a server without tools answers tools/list with %v", err)
	}
	if err := srv.Replace("later", mcp.Features{ReserveTools: true}); err != nil || !has() {
		t.Errorf("reserving tools: %v", err)
	}
	if got, err := dispatch(t, srv, "tools/list", `{}`); err != nil || !strings.Contains(got, `"tools":[]`) {
		t.Errorf("an empty list is %s, %v", got, err)
	}
	if err := srv.Remove("later"); err != nil || has() {
		t.Errorf("removing the reservation: %v", err)
	}
}

func TestUse_EveryRequest(t *testing.T) {
	var seen []string
	trace := func(name string) mcp.Middleware {
		return func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
				seen = append(seen, name+" "+req.Method)
				return next(ctx, req)
			}
		}
	}
	srv := newServer(t, nil, mcp.NewTool(echoTool, echo), mcp.NewTool(mcp.Tool{Name: "hidden"}, echo))
	srv.Use(trace("outer"), trace("inner"))
	srv.Use(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			result, err := next(ctx, req)
			if list, ok := result.(*mcp.ListResult[mcp.Tool]); ok {
				list.Items = list.Items[:1:1]
			}
			return result, err
		}
	})
	got, err := dispatch(t, srv, "tools/list", `{}`)
	if err != nil || strings.Contains(got, "hidden") || !strings.Contains(got, "echo") {
		t.Errorf("filtered list: %s, %v", got, err)
	}
	if want := "outer tools/list,inner tools/list"; strings.Join(seen, ",") != want {
		t.Errorf("seen %v, want %s", seen, want)
	}
}

func TestServer_Panics(t *testing.T) {
	var log bytes.Buffer
	srv := newServer(t, &mcp.ServerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))},
		mcp.NewTool(mcp.Tool{Name: "boom"}, func(context.Context, struct{}) (string, error) { panic("in the tool") }))
	got, err := dispatch(t, srv, "tools/call", `{"name":"boom"}`)
	if err != nil || !strings.Contains(got, `"isError":true`) || strings.Contains(got, "in the tool") {
		t.Errorf("a panic in a tool: %s, %v", got, err)
	}
	srv.Use(func(mcp.Handler) mcp.Handler {
		return func(context.Context, *protocol.Request) (protocol.Result, error) { panic("in the middleware") }
	})
	var refused *protocol.Error
	if _, err := dispatch(t, srv, "tools/list", ``); !errors.As(err, &refused) || refused.Code != protocol.CodeInternal {
		t.Errorf("a panic in middleware: %v", err)
	}
	for _, want := range []string{"in the tool", "in the middleware", "server_test.go"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not have %q", want)
		}
	}
}

func TestServer_InvalidOptions(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{StateKeys: [][]byte{{1, 2, 3}}})
	if srv.Err() == nil {
		t.Fatal("a key of 3 bytes was taken")
	}
	if _, err := dispatch(t, srv, "server/discover", ``); err == nil || !strings.Contains(err.Error(), "32") {
		t.Errorf("it answers with %v", err)
	}
}

func TestServer_MalformedCalls(t *testing.T) {
	srv := newServer(t, nil, mcp.NewTool(echoTool, echo))
	for params, want := range map[string]string{
		``:                                   `"name"`,
		`[]`:                                 `"name"`,
		`{"name":5}`:                         `"name"`,
		`{"name":"echo","arguments":"x"}`:    `"arguments"`,
		`{"name":"echo","inputResponses":1}`: `"inputResponses"`,
		`{"name":"echo","requestState":1}`:   `"requestState"`,
		`{"name":"echo","requestState":"x"}`: `requestState`,
		`{"name":"ecko"}`:                    `did you mean "echo"?`,
		`{"name":"entirely different"}`:      `Unknown tool`,
	} {
		var refused *protocol.Error
		if _, err := dispatch(t, srv, "tools/call", params); !errors.As(err, &refused) || refused.Code != protocol.CodeInvalidParams || !strings.Contains(err.Error(), want) {
			t.Errorf("params %s: %v, want %s", params, err, want)
		}
	}
	for _, cursor := range []string{`"x"`, `5`, `"YWZ0ZXI6bm9uZQ"`} {
		if _, err := dispatch(t, srv, "tools/list", `{"cursor":`+cursor+`}`); err == nil {
			t.Errorf("the cursor %s was taken", cursor)
		}
	}
	if _, err := dispatch(t, srv, "tools/list", `{"cursor":""}`); err != nil {
		t.Errorf("the empty cursor: %v", err)
	}
	if _, err := dispatch(t, srv, "subscriptions/listen", `{"notifications":{}}`); err == nil {
		t.Error("a subscription without a way to notify was opened")
	}
}

func TestLogLevels(t *testing.T) {
	if !protocol.LevelInfo.Includes(protocol.LevelError) || protocol.LevelError.Includes(protocol.LevelInfo) || protocol.LogLevel("").Includes(protocol.LevelEmergency) || protocol.LogLevel("loud").Known() {
		t.Error("levels are out of order")
	}
}

func TestServer_NoClient(t *testing.T) {
	ctx := t.Context()
	mcp.Progress(ctx, 1, 2, "")
	mcp.Log(ctx, protocol.LevelError, "", "")
	if _, err := mcp.Elicit[struct{}](ctx, "k", "?"); !errors.Is(err, mcp.ErrNoClient) {
		t.Errorf("asking: %v", err)
	}
	if mcp.Supports(ctx, mcp.CapRoots) || mcp.CallFrom(ctx) != nil {
		t.Error("a client was found")
	}
	if n, err := mcp.Once(ctx, "k", func() (int, error) { return 7, nil }); n != 7 || err != nil {
		t.Errorf("Once: %d, %v", n, err)
	}
}

func TestToolOptions_CompactInput(t *testing.T) {
	tool := mcp.NewTool(echoTool, echo)
	compact := tool.With(mcp.ToolOptions{CompactInput: true, UnlistedArguments: []string{"mode"}}).With(mcp.ToolOptions{Defaults: map[string]any{"times": 2}})
	if listed := string(compact.Tool().InputSchema); strings.Contains(listed, "mode") || strings.Contains(listed, "additionalProperties") || !strings.Contains(listed, `"times"`) {
		t.Errorf("the model sees %s", listed)
	}
	if got := callText(t, compact, `{"text":"a","mode":"loud"}`); got != "AA" {
		t.Errorf("an unlisted argument: %q", got)
	}
	if got := callText(t, compact, `{"text":"a","modes":"loud"}`); !strings.Contains(got, "mode") {
		t.Errorf("an unknown argument: %q", got)
	}
	if !strings.Contains(string(tool.Tool().InputSchema), `"mode"`) {
		t.Error("the original has changed")
	}
	if err := tool.With(mcp.ToolOptions{CompactInput: true, UnlistedArguments: []string{"text"}}).Err(); err == nil {
		t.Error("a required argument can be omitted")
	}
}
