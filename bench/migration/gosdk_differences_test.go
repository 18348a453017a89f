package migration

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// sdkConnect connects a client of go-sdk to a server of go-sdk in memory.
func sdkConnect(t *testing.T, srv *sdk.Server, opts *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	serverSide, clientSide := sdk.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), serverSide, nil); err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), clientSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func sdkNew() *sdk.Server { return sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil) }

// sdkCall calls a tool without arguments and returns the text of its result.
func sdkCall(t *testing.T, session *sdk.ClientSession, tool string) (text string, isError bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
	if err != nil {
		t.Fatal(err)
	}
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

// call calls a tool without arguments and returns the text of its result.
func call(t *testing.T, client *mcp.Client, tool string) (text string, isError bool) {
	t.Helper()
	result, err := client.CallTool(t.Context(), tool, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result.Blocks()[0].(mcp.TextContent).Text, result.IsError
}

func serverWith(t *testing.T, tools ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	return mcptest.Server(t, mcp.Features{Tools: tools})
}

// acceptBlue is the Elicit function of a user that chooses blue in every form.
func acceptBlue(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
	return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"colour":"blue"}`)}, nil
}

func ask(ctx context.Context, _ struct{}) (string, error) {
	answer, err := mcp.Elicit[Choice](ctx, "colour", "Which colour?")
	return answer.Value.Colour, err
}

func TestGoSDK_QuestionsInTheLatestRevision(t *testing.T) {
	srv := sdkNew()
	sdk.AddTool(srv, &sdk.Tool{Name: "ask"}, func(ctx context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		answer, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Which colour?"})
		return nil, answer, err
	})
	session := sdkConnect(t, srv, &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept"}, nil
	}})
	if text, isError := sdkCall(t, session, "ask"); !isError || !strings.Contains(text, "cannot be sent") || session.InitializeResult().ProtocolVersion != "2026-07-28" {
		t.Errorf("go-sdk: %q", text)
	}
	client := mcptest.Connect(t, serverWith(t, mcp.NewTool(mcp.Tool{Name: "ask"}, ask)), &mcp.ClientOptions{Elicit: acceptBlue})
	if text, isError := call(t, client, "ask"); isError || text != "blue" || client.Revision() != protocol.Rev20260728 {
		t.Errorf("dougu: %q", text)
	}
}

func TestGoSDK_KeywordInTag(t *testing.T) {
	type limited struct {
		N int `json:"n" jsonschema:"minimum=1"`
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("go-sdk accepts the tag")
			}
		}()
		sdk.AddTool(sdkNew(), &sdk.Tool{Name: "limited"}, func(context.Context, *sdk.CallToolRequest, limited) (*sdk.CallToolResult, any, error) {
			return nil, nil, nil
		})
	}()
	tool := mcp.NewTool(mcp.Tool{Name: "limited"}, func(context.Context, limited) (mcp.None, error) { return mcp.None{}, nil })
	if schema := string(tool.Tool().InputSchema); !strings.Contains(schema, `"minimum":1`) {
		t.Errorf("dougu: %s", schema)
	}
	type misspelt struct {
		N int `json:"n" jsonschema:"minimun=1"`
	}
	err := mcp.AddTool(mcptest.Server(t, mcp.Features{}), mcp.Tool{Name: "misspelt"}, func(context.Context, misspelt) (mcp.None, error) { return mcp.None{}, nil })
	if err == nil || !strings.Contains(err.Error(), "minimum") {
		t.Errorf("dougu: %v", err)
	}
}

func TestGoSDK_NilSlice(t *testing.T) {
	type list struct {
		Items []string `json:"items"`
	}
	srv := sdkNew()
	sdk.AddTool(srv, &sdk.Tool{Name: "list"}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, list, error) {
		return nil, list{}, nil
	})
	if text, _ := sdkCall(t, sdkConnect(t, srv, nil), "list"); text != `{"items":null}` {
		t.Errorf("go-sdk: %s", text)
	}
	tool := mcp.NewTool(mcp.Tool{Name: "list"}, func(context.Context, struct{}) (list, error) { return list{}, nil })
	if text, _ := call(t, mcptest.Connect(t, serverWith(t, tool), nil), "list"); text != `{"items":[]}` {
		t.Errorf("dougu: %s", text)
	}
}

func TestGoSDK_InvalidOutput(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","enum":["red"]}},"required":["text"]}`)
	srv := sdkNew()
	sdk.AddTool(srv, &sdk.Tool{Name: "paint", OutputSchema: schema}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, sdkOut, error) {
		return nil, sdkOut{Text: "blue"}, nil
	})
	if _, err := sdkConnect(t, srv, nil).CallTool(t.Context(), &sdk.CallToolParams{Name: "paint"}); err == nil {
		t.Error("go-sdk sends the result")
	}
	type painted struct {
		Text string `json:"text" jsonschema:"enum=red"`
	}
	for _, check := range []bool{false, true} {
		srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{CheckResults: check})
		err := mcp.AddTool(srv, mcp.Tool{Name: "paint"}, func(context.Context, struct{}) (painted, error) { return painted{"blue"}, nil })
		if err != nil {
			t.Fatal(err)
		}
		client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "test", Version: "1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		if text, isError := call(t, client, "paint"); isError != check {
			t.Errorf("dougu with CheckResults %v: %s", check, text)
		}
	}
}

func TestGoSDK_DefaultCapabilitiesOfClients(t *testing.T) {
	srv := sdkNew()
	sdk.AddTool(srv, &sdk.Tool{Name: "roots"}, func(_ context.Context, req *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		//lint:ignore SA1019 every revision must go on working
		return nil, req.ClientCapabilities().RootsV2 != nil, nil
	})
	if text, _ := sdkCall(t, sdkConnect(t, srv, nil), "roots"); text != "true" {
		t.Errorf("go-sdk declares roots: %s", text)
	}
	tool := mcp.NewTool(mcp.Tool{Name: "roots"}, func(ctx context.Context, _ struct{}) (bool, error) { return mcp.Supports(ctx, mcp.CapRoots), nil })
	if text, _ := call(t, mcptest.Connect(t, serverWith(t, tool), nil), "roots"); text != "false" {
		t.Errorf("dougu declares roots: %s", text)
	}
}

func TestGoSDK_EndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if err := sdkNew().Run(ctx, &sdk.IOTransport{Reader: in, Writer: discard{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("go-sdk: %v", err)
	}
	in, _ = io.Pipe()
	if err := transport.ServeIO(ctx, serverWith(t), in, discard{}, nil); err != nil {
		t.Errorf("dougu: %v", err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) Close() error                { return nil }

func TestGoSDK_BodyLimit(t *testing.T) {
	if sdk.DefaultMaxRequestBodyBytes != 4<<20 {
		t.Errorf("go-sdk: %d", sdk.DefaultMaxRequestBodyBytes)
	}
}

// Over stdio, a panic in a tool ends a program of go-sdk. mcp-go answers with a protocol error, dougu with a result for the model.
func TestPanicInTool(t *testing.T) {
	for library, want := range map[string]string{"go-sdk": "", "mcp-go": `"error":{"code":-32603`, "dougu": `"isError":true`} {
		if answer := answerOfPanic(t, library); !strings.Contains(answer, want) || want == "" && answer != "" {
			t.Errorf("%s: %s", library, answer)
		}
	}
}
