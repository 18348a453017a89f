package calllog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/calllog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type args struct {
	Content string `json:"content,omitempty"`
}

// server returns a server with tools that end in every way, and a handler for its log.
func server(t *testing.T, to slog.Handler, stop func()) *mcp.Server {
	t.Helper()
	calls := calllog.New(slog.New(to), func(arguments []byte) []byte {
		return bytes.ReplaceAll(arguments, []byte("hunter2"), []byte("[redacted]"))
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: slog.New(slog.DiscardHandler)})
	srv.Use(calls.Requests)
	tool := func(name string, run func(context.Context) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ args) (string, error) { return run(ctx) }).Wrap(calls.Tools)
	}
	err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{
		tool("works", func(context.Context) (string, error) { return "content", nil }),
		tool("fails", func(context.Context) (string, error) {
			return "", &mcp.ToolError{Code: "FILE_NOT_FOUND", Message: "gone"}
		}),
		tool("fails_badly", func(context.Context) (string, error) { return "", errors.New("no code") }),
		tool("panics", func(context.Context) (string, error) { panic("boom") }),
		tool("refuses", func(context.Context) (string, error) { return "", protocol.Errorf(protocol.CodeInternal, "broken") }),
		tool("asks", func(ctx context.Context) (string, error) {
			return "", mcp.Confirm(ctx, "sure", "Are you sure?")
		}),
		tool("is_given_up", func(ctx context.Context) (string, error) {
			stop()
			return "", ctx.Err()
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

func request(tool, arguments string) *protocol.Request {
	params := fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":{"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}`, tool, arguments)
	meta, err := protocol.ReadMeta(json.RawMessage(params))
	if err != nil {
		panic(err)
	}
	meta.Revision = protocol.Latest
	return &protocol.Request{ID: "7", Method: "tools/call", Params: json.RawMessage(params), Meta: meta}
}

func TestRequests_Outcomes(t *testing.T) {
	for name, tc := range map[string]struct {
		tool, arguments string
		want            string
	}{
		"a call that succeeds":      {"works", `{"content":"secret content"}`, `level=INFO msg="tool call" tool=works requestId=7 outcome=ok`},
		"a call that fails":         {"fails", `{}`, `level=WARN msg="tool call" tool=fails requestId=7 outcome=error code=FILE_NOT_FOUND`},
		"a call without a code":     {"fails_badly", `{}`, `level=WARN msg="tool call" tool=fails_badly requestId=7 outcome=error code=""`},
		"a panic":                   {"panics", `{}`, `level=ERROR msg="tool call" tool=panics requestId=7 outcome=error code=INTERNAL_ERROR`},
		"a protocol error":          {"refuses", `{}`, `level=ERROR msg="tool call" tool=refuses requestId=7 outcome=refused code=-32603 error=broken`},
		"a question":                {"asks", `{}`, `level=INFO msg="tool call" tool=asks requestId=7 outcome="input required"`},
		"a call that is given up":   {"is_given_up", `{}`, `level=INFO msg="tool call" tool=is_given_up requestId=7 outcome=cancelled`},
		"arguments that do not fit": {"works", `{"content":1}`, `level=WARN msg="tool call" tool=works requestId=7 outcome=error code=INVALID_PARAMS`},
		"a tool that is none":       {"work", `{}`, `level=WARN msg="tool call" tool=work requestId=7 outcome=refused code=-32602 error="Unknown tool: \"work\"; did you mean \"works\"?"`},
		"an endless name":           {strings.Repeat("é", 100), `{}`, `level=WARN msg="tool call" tool=` + strings.Repeat("é", 64) + `… requestId=7 outcome=refused code=-32602 error="Unknown tool: \"` + strings.Repeat("é", 56) + `…"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			srv := server(t, slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: untimed}), cancel)
			_, _ = srv.Dispatch(ctx, request(tc.tool, tc.arguments))
			if got := log.String(); got != tc.want+"\n" {
				t.Errorf("logged %swant   %s", got, tc.want)
			}
		})
	}
}

// untimed removes attributes that differ from run to run.
func untimed(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "durationMs" && a.Value.Kind() == slog.KindFloat64 {
		return slog.Attr{}
	}
	return a
}

func TestTools_ArgumentsAtDebug(t *testing.T) {
	var log bytes.Buffer
	srv := server(t, slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: untimed, Level: slog.LevelDebug}), nil)
	if _, err := srv.Dispatch(t.Context(), request("works", `{"content":"hunter2"}`)); err != nil {
		t.Fatal(err)
	}
	want := `level=DEBUG msg="tool called" tool=works requestId=7 arguments="{\"content\":\"[redacted]\"}"` + "\n"
	if got, _, _ := strings.Cut(log.String(), "level=INFO"); got != want {
		t.Errorf("logged %swant   %s", got, want)
	}
}

func TestRequests_OtherMethods(t *testing.T) {
	var log bytes.Buffer
	srv := server(t, slog.NewTextHandler(&log, nil), nil)
	for _, method := range []string{"tools/list", "none"} {
		_, _ = srv.Dispatch(t.Context(), &protocol.Request{Method: method, Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	}
	if log.Len() > 0 {
		t.Errorf("logged %s", &log)
	}
	_, _ = srv.Dispatch(t.Context(), &protocol.Request{Method: "tools/call", Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if !strings.Contains(log.String(), "outcome=refused") {
		t.Errorf("a call without params: logged %s", &log)
	}
}

// A client that requests log messages receives the messages of its own calls.
func TestTools_LogToClient(t *testing.T) {
	var log bytes.Buffer
	var told []string
	srv := server(t, mcp.NewLogHandler(slog.NewTextHandler(&log, nil)), nil)
	req := request("works", `{}`)
	req.Meta.LogLevel = protocol.LevelInfo
	req.Notify = func(_ context.Context, n protocol.Notification) error {
		told = append(told, string(n.AppendParams(nil, protocol.Latest)))
		return nil
	}
	if _, err := srv.Dispatch(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], `"outcome":"ok"`) || !strings.Contains(told[0], `"tool":"works"`) || log.Len() > 0 {
		t.Errorf("told %q, logged %q", told, &log)
	}
}

// A caller that shows failures itself has no warning about them. Other levels stay.
func TestWithShownFailures(t *testing.T) {
	var out bytes.Buffer
	srv := server(t, slog.NewTextHandler(&out, nil), func() {})
	for tool, logged := range map[string]bool{"fails": false, "panics": true, "works": true} {
		out.Reset()
		if _, err := srv.Dispatch(calllog.WithShownFailures(t.Context()), request(tool, `{}`)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); strings.Contains(got, "tool call") != logged {
			t.Errorf("%s: the log has %q", tool, got)
		}
	}
}
