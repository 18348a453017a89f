package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// returning returns a tool that returns out.
func returning[Out any](out Out) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (Out, error) { return out, nil })
}

// called returns the encoded result of the tool, without its _meta.
func called(t *testing.T, opts *mcp.ServerOptions, tool mcp.ServerTool) string {
	t.Helper()
	got, err := dispatch(t, newServer(t, opts, tool), "tools/call", `{"name":"t"}`)
	if err != nil {
		t.Fatal(err)
	}
	got, _, _ = strings.Cut(got, `,"_meta":`)
	return strings.TrimPrefix(got, `{"resultType":"complete",`)
}

type chart struct {
	Points int `json:"points" jsonschema:"minimum=1"`
}

// described has a text of its own.
type described struct {
	Points int `json:"points"`
}

func (d described) TextContent() string { return fmt.Sprint(d.Points, " points") }

// Blocks, lists of blocks and pointers to blocks are content without structure.
func TestNewTool_Contents(t *testing.T) {
	image := mcp.ImageContent{Data: []byte{0}, MIMEType: "image/png"}
	const wireImage = `{"type":"image","data":"AA==","mimeType":"image/png"}`
	link := mcp.ResourceLink{URI: "a:b", Name: "b"}
	const wireLink = `{"type":"resource_link","uri":"a:b","name":"b"}`
	for name, tc := range map[string]struct {
		tool mcp.ServerTool
		want string
	}{
		"an image":               {returning(image), `"content":[` + wireImage + `]`},
		"a pointer to an image":  {returning(&image), `"content":[` + wireImage + `]`},
		"a text":                 {returning(mcp.TextContent{Text: "x"}), `"content":[{"type":"text","text":"x"}]`},
		"a link":                 {returning(link), `"content":[` + wireLink + `]`},
		"a block":                {returning[mcp.Content](image), `"content":[` + wireImage + `]`},
		"a pointer as block":     {returning[mcp.Content](&image), `"content":[` + wireImage + `]`},
		"a list of blocks":       {returning([]mcp.Content{image, &link}), `"content":[` + wireImage + `,` + wireLink + `]`},
		"a list of images":       {returning([]mcp.ImageContent{image, image}), `"content":[` + wireImage + `,` + wireImage + `]`},
		"a list of pointers":     {returning([]*mcp.ImageContent{&image}), `"content":[` + wireImage + `]`},
		"an empty list":          {returning([]mcp.Content(nil)), `"content":[]`},
		"pointers in a result":   {returning(&mcp.ToolResult{Content: []mcp.Content{&image, link}}), `"content":[` + wireImage + `,` + wireLink + `]`},
		"a result by value":      {returning(*mcp.Text("x")), `"content":[{"type":"text","text":"x"}]`},
		"a value with a block":   {returning(mcp.TypedResult[chart]{chart{3}, []mcp.Content{image}}), `"content":[{"type":"text","text":"{\"points\":3}"},` + wireImage + `],"structuredContent":{"points":3}`},
		"a value without blocks": {returning(mcp.TypedResult[chart]{Value: chart{3}}), `"content":[{"type":"text","text":"{\"points\":3}"}],"structuredContent":{"points":3}`},
		"a pointer with a block": {returning(&mcp.TypedResult[*chart]{&chart{3}, []mcp.Content{&link}}), `"content":[{"type":"text","text":"{\"points\":3}"},` + wireLink + `],"structuredContent":{"points":3}`},
		"a described value":      {returning(mcp.TypedResult[described]{described{3}, []mcp.Content{image}}), `"content":[{"type":"text","text":"3 points"},` + wireImage + `],"structuredContent":{"points":3}`},
		"a text with a block":    {returning(mcp.TypedResult[string]{"x", []mcp.Content{link}}), `"content":[{"type":"text","text":"x"},` + wireLink + `]`},
		"nothing with a block":   {returning(mcp.TypedResult[mcp.None]{Content: []mcp.Content{link}}), `"content":[` + wireLink + `]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := called(t, nil, tc.tool); got != tc.want && got != tc.want+"}" {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if structured := strings.Contains(tc.want, "structuredContent"); (tc.tool.Tool().OutputSchema != nil) != structured {
				t.Errorf("the output schema is %s", tc.tool.Tool().OutputSchema)
			}
			result, err := tc.tool.Call(t.Context(), nil)
			if err != nil || result.IsError {
				t.Errorf("in process: %+v, %v", result, err)
			}
			for _, block := range result.Content {
				if text := fmt.Sprintf("%T", block); strings.HasPrefix(text, "*") {
					t.Errorf("a block is a %s", text)
				}
			}
		})
	}
}

// A client decodes the value of a typed result and gets its blocks.
func TestCall_TypedResult(t *testing.T) {
	image := mcp.ImageContent{Data: []byte{0}, MIMEType: "image/png"}
	client := mcptest.Connect(t, newServer(t, nil, returning(mcp.TypedResult[chart]{chart{3}, []mcp.Content{image}})), nil)
	got, err := mcp.Call[mcp.TypedResult[chart]](t.Context(), client, "t", nil)
	if err != nil || got.Value.Points != 3 || len(got.Content) != 1 || string(got.Content[0].(mcp.ImageContent).Data) != "\x00" {
		t.Errorf("got %+v, %v", got, err)
	}
	pointer, err := mcp.Call[*mcp.TypedResult[*chart]](t.Context(), client, "t", nil)
	if err != nil || pointer == nil || pointer.Value.Points != 3 || len(pointer.Content) != 1 {
		t.Errorf("got %+v, %v", pointer, err)
	}
	if _, err := mcp.Call[mcp.TypedResult[[]int]](t.Context(), client, "t", nil); err == nil {
		t.Error("an object was read as a list")
	}
	if value, err := mcp.Call[chart](t.Context(), client, "t", nil); err != nil || value.Points != 3 {
		t.Errorf("the value alone: %+v, %v", value, err)
	}
}

// The size limit counts blocks behind pointers and blocks beside a value.
func TestNewTool_SizeOfBlocks(t *testing.T) {
	image := mcp.ImageContent{Data: make([]byte, 100), MIMEType: "image/png"}
	for _, tool := range []mcp.ServerTool{returning(&image), returning(mcp.TypedResult[chart]{chart{3}, []mcp.Content{&image}})} {
		if got := called(t, nil, tool.With(mcp.ToolOptions{MaxResult: 50})); !strings.Contains(got, "RESULT_TOO_LARGE") {
			t.Errorf("got %s", got)
		}
	}
}

// A nil result and a nil block are failures of the tool, in servers and in process.
func TestNewTool_NilResults(t *testing.T) {
	for name, tool := range map[string]mcp.ServerTool{
		"a nil pointer":                returning[*chart](nil),
		"a nil pointer with text":      returning[*described](nil),
		"a nil typed result":           returning[*mcp.TypedResult[chart]](nil),
		"a nil value in one":           returning(mcp.TypedResult[*chart]{}),
		"a nil block":                  returning[mcp.Content](nil),
		"a nil image":                  returning[*mcp.ImageContent](nil),
		"a nil block in a list":        returning([]mcp.Content{nil}),
		"a nil image in a list":        returning([]*mcp.ImageContent{nil}),
		"a nil block beside a value":   returning(mcp.TypedResult[chart]{chart{1}, []mcp.Content{nil}}),
		"a nil block in a tool result": returning(&mcp.ToolResult{Content: []mcp.Content{(*mcp.TextContent)(nil)}}),
	} {
		t.Run(name, func(t *testing.T) {
			if got := called(t, nil, tool); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "INVALID_RESULT") {
				t.Errorf("got %s", got)
			}
			if result, err := tool.Call(t.Context(), nil); err != nil || result.ErrorCode() != "INVALID_RESULT" {
				t.Errorf("in process: %+v, %v", result, err)
			}
		})
	}
	type embedding struct{ mcp.TypedResult[chart] }
	if err := returning(embedding{}).Err(); err == nil || !strings.Contains(err.Error(), "must be the result itself") {
		t.Errorf("an embedded typed result: %v", err)
	}
}

// With CheckResults a result outside its schema is a failure of the tool, and is logged.
func TestServer_CheckResults(t *testing.T) {
	type leveled struct {
		Level string `json:"level" jsonschema:"enum=low,enum=high"`
	}
	raw := func(structured string) mcp.ServerTool {
		return mcp.NewRawTool(mcp.Tool{Name: "t", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","required":["a"]}`)},
			func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{Content: []mcp.Content{mcp.TextContent{Text: "x"}}, Structured: json.RawMessage(structured)}, nil
			})
	}
	for name, tc := range map[string]struct {
		tool mcp.ServerTool
		want string // part of the error; "" if the result matches
	}{
		"a value within bounds":  {returning(chart{3}), ""},
		"a value below minimum":  {returning(chart{0}), "points: must be at least 1, got 0"},
		"a pointer":              {returning(&chart{0}), "points: must be at least 1"},
		"an enumerated value":    {returning(leveled{"low"}), ""},
		"another value":          {returning(leveled{"medium"}), `level: must be one of "low", "high"`},
		"a value with blocks":    {returning(mcp.TypedResult[chart]{Value: chart{0}}), "points: must be at least 1"},
		"an unlisted schema":     {returning(chart{0}).With(mcp.ToolOptions{NoOutputSchema: true}), "points: must be at least 1"},
		"a raw result":           {raw(`{"a":1}`), ""},
		"an incomplete one":      {raw(`{}`), "a: required"},
		"no structured content":  {raw(``), "it has no structured content"},
		"content without schema": {returning("text"), ""},
		"an error":               {returning(&mcp.ToolResult{IsError: true}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			opts := &mcp.ServerOptions{CheckResults: true, Log: slog.New(slog.NewTextHandler(&log, nil))}
			got := called(t, opts, tc.tool)
			if failed := strings.Contains(got, "INVALID_RESULT"); failed != (tc.want != "") || !strings.Contains(strings.ReplaceAll(got, `\"`, `"`), tc.want) || failed != strings.Contains(log.String(), "invalid result of a tool") {
				t.Errorf("got %s\nlogged %s", got, log.String())
			}
			if got := called(t, nil, tc.tool); strings.Contains(got, "INVALID_RESULT") {
				t.Errorf("without the option: %s", got)
			}
		})
	}
}

// Messages of prompts may have pointers to blocks.
func TestNewPrompt_Contents(t *testing.T) {
	shared := &mcp.PromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: &mcp.TextContent{Text: "x"}}, {Role: mcp.RoleUser}}}
	for content, want := range map[mcp.Content]string{
		&mcp.TextContent{Text: "x"}: "",
		(*mcp.TextContent)(nil):     "message 1 of the prompt \"p\": a block of content is nil",
	} {
		shared.Messages[0].Content = content
		prompt := mcp.NewPrompt(mcp.Prompt{Name: "p"}, func(context.Context, struct{}) (*mcp.PromptResult, error) { return shared, nil })
		result, err := prompt.Get(t.Context(), nil)
		switch {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		case err != nil || fmt.Sprintf("%T", result.Messages[0].Content) != "mcp.TextContent" || shared.Messages[0].Content != content:
			t.Errorf("got %+v, %v; the handler's result is %+v", result, err, shared)
		}
	}
}

// BenchmarkServer_CheckResults compares alternating calls without and with CheckResults over a connection
// in memory, with a result of ten files. It reports the median times and their ratio.
func BenchmarkServer_CheckResults(b *testing.B) {
	type file struct {
		Path  string   `json:"path" jsonschema:"minLength=1"`
		Lines int      `json:"lines" jsonschema:"minimum=0"`
		Kind  string   `json:"kind" jsonschema:"enum=file,enum=directory"`
		Tags  []string `json:"tags" jsonschema:"maxItems=10"`
	}
	type listing struct {
		Files []file `json:"files"`
	}
	var out listing
	for i := range 10 {
		out.Files = append(out.Files, file{fmt.Sprintf("src/package/file%d.go", i), 100 * i, "file", []string{"go", "source"}})
	}
	var clients [2]*mcp.Client // without and with the check
	for i := range clients {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{CheckResults: i == 1})
		if err := srv.Replace("t", mcp.Features{Tools: []mcp.ServerTool{returning(out)}}); err != nil {
			b.Fatal(err)
		}
		clients[i] = mcptest.Connect(b, unchecked{srv}, nil)
	}
	var times [2][]time.Duration
	for b.Loop() {
		for i, client := range clients {
			start := time.Now()
			if _, err := client.CallTool(b.Context(), "t", nil, nil); err != nil {
				b.Fatal(err)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	plain, checked := times[0][len(times[0])/2], times[1][len(times[1])/2]
	b.ReportMetric(float64(plain), "ns/plain")
	b.ReportMetric(float64(checked), "ns/checked")
	b.ReportMetric(float64(checked)/float64(plain), "ratio")
}

// unchecked is a server whose results mcptest does not check.
type unchecked struct{ server protocol.Dispatcher }

func (u unchecked) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return u.server.Dispatch(ctx, req)
}

// A block of unknown content that is no JSON object would break the message that contains it, or add members to it.
func TestCall_InvalidUnknownContent(t *testing.T) {
	for _, raw := range []string{"", "{", `{"type":"x"},{"type":"y"}`, `"text"`, `{"type":"x"}],"isError":true,"x":[{}`} {
		for _, block := range []mcp.Content{mcp.UnknownContent{Raw: json.RawMessage(raw)}, &mcp.UnknownContent{Raw: json.RawMessage(raw)}} {
			srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
			if err := mcp.AddTool(srv, mcp.Tool{Name: "t"}, func(context.Context, mcp.None) (mcp.Content, error) { return block, nil }); err != nil {
				t.Fatal(err)
			}
			result, err := mcptest.Connect(t, srv, nil).CallTool(t.Context(), "t", nil, nil)
			if err == nil && (!result.IsError || !strings.Contains(fmt.Sprint(result.Content), "unknown content")) {
				t.Errorf("%q: %+v", raw, result)
			} else if err != nil && !strings.Contains(err.Error(), "Internal error") {
				t.Errorf("%q: %v", raw, err)
			}
		}
	}
}
