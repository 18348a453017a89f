package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/transport"
)

// deeds is a set of tools that end in every way.
type deeds struct{ log *audit.Log }

func (d deeds) Features() mcp.Features {
	type args struct {
		Password string `json:"password,omitempty"`
	}
	return mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "works"}, func(context.Context, args) (string, error) { return "done", nil }),
		mcp.NewTool(mcp.Tool{Name: "refuses"}, func(context.Context, args) (string, error) {
			return "", &security.Error{Code: security.CommandBlocked, Message: "No."}
		}),
		mcp.NewTool(mcp.Tool{Name: "records"}, func(ctx context.Context, args args) (string, error) {
			refusal := &security.Error{Code: security.CommandBlocked, Message: "No."}
			return "", errors.Join(refusal, d.log.Record(ctx, audit.Entry{Operation: "records", Params: args}, 0, refusal))
		}),
		mcp.NewTool(mcp.Tool{Name: "fails"}, func(context.Context, args) (string, error) { return "", errors.New("broken") }),
		mcp.NewRawTool(mcp.Tool{Name: "answers", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Content: []mcp.Content{mcp.TextContent{Text: "no"}}, IsError: true}, nil
		}),
	}}
}

func (deeds) Close(context.Context) error { return nil }

func TestRecord(t *testing.T) {
	records, err := audit.Open(audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	in, err := tools.Install(srv, "test", tools.Profile{Wrap: []mcp.ToolMiddleware{tools.Record(records, slog.New(slog.NewTextHandler(&told, nil)))}}, deeds{records})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(t.Context())
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "ada's client", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, want := range []struct{ tool, result, code string }{
		{"works", "success", ""}, {"refuses", "blocked", "COMMAND_BLOCKED"}, {"records", "blocked", "COMMAND_BLOCKED"}, {"fails", "error", "INTERNAL_ERROR"}, {"answers", "error", ""},
	} {
		if _, err := client.CallTool(t.Context(), want.tool, map[string]any{"password": "hunter2"}, nil); err != nil {
			t.Fatal(err)
		}
		got := records.Recent(1)[0]
		if got.Operation != want.tool || got.Result != want.result || string(got.ErrorCode) != want.code || got.UserID != "ada's client" || got.SessionID == "unknown" {
			t.Errorf("%s is recorded as %+v", want.tool, got)
		}
		if strings.Contains(got.Params, "hunter2") || !strings.Contains(got.Params, "password") {
			t.Errorf("the arguments of %s are recorded as %s", want.tool, got.Params)
		}
	}
	if n := len(records.Recent(100)); n != 5 || told.Len() > 0 {
		t.Errorf("%d records, and %s", n, &told)
	}
}
