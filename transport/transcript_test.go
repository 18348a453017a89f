package transport_test

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

var _ = flag.Bool("update", false, "rewrite the transcripts to what the server does")

func TestServeIO_Transcripts(t *testing.T) {
	mcptest.Transcripts(t, "testdata/*.txt", func() protocol.Dispatcher { return fixture(t) })
}

type addArgs struct {
	A int64 `json:"a" jsonschema:"first summand"`
	B int64 `json:"b,omitempty" jsonschema:"default=1"`
}

type sum struct {
	Sum   int64   `json:"sum"`
	Terms []int64 `json:"terms"`
}

var grown = mcp.NewTool(mcp.Tool{Name: "new"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, errors.New("new and failing") })

type person struct {
	Name string `json:"name" jsonschema:"minLength=1"`
}

// fixture is a server with one tool for everything that a protocol can show.
func fixture(t testing.TB) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "fixture", Version: "1.0.0", Title: "Fixture", Description: "For tests"}, &mcp.ServerOptions{Instructions: "Use the tools.", Log: quiet.Log})
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(mcp.AddTool(srv, mcp.Tool{Name: "greet", Title: "Greet", Description: "Greets a person.", Annotations: mcp.ReadOnly()},
		func(_ context.Context, in person) (string, error) { return "Hello, " + in.Name, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "add", Description: "Adds.", Icons: []protocol.Icon{{Src: "https://example.com/add.png"}}},
		func(_ context.Context, in addArgs) (sum, error) { return sum{Sum: in.A + in.B}, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "list"}, func(context.Context, struct{}) ([]int, error) { return []int{1, 2}, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "media"}, func(context.Context, struct{}) (*mcp.ToolResult, error) {
		return &mcp.ToolResult{Content: []mcp.Content{
			mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"},
			mcp.AudioContent{Data: []byte("wav"), MIMEType: "audio/wav"},
			mcp.ResourceLink{URI: "file:///a.txt", Name: "a.txt"},
			mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "file:///b", Blob: []byte{0}}},
		}}, nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (mcp.None, error) {
		return mcp.None{}, &mcp.ToolError{Code: "FILE_NOT_FOUND", Message: "there is no a.txt", Next: "list the directory"}
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "refuse"}, func(context.Context, struct{}) (mcp.None, error) {
		return mcp.None{}, protocol.Errorf(protocol.CodeInvalidParams, "not like this")
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "panic"}, func(context.Context, struct{}) (mcp.None, error) { panic("boom") }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
		//lint:ignore SA1019 every revision must go on working
		mcp.Log(ctx, protocol.LevelDebug, "work", "details")
		for i := range 3 {
			mcp.Progress(ctx, float64(i), 2, "step")
			mcp.Progress(ctx, float64(i), 2, "not further")
		}
		//lint:ignore SA1019 every revision must go on working
		mcp.Log(ctx, protocol.LevelWarning, "work", map[string]int{"left": 0})
		return "done", nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-ctx.Done():
			mcp.Progress(ctx, 1, 1, "too late")
			return "", context.Cause(ctx)
		case <-time.After(time.Minute):
			return "waited", nil
		}
	}))
	must(srv.Replace("slow", mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}).With(mcp.ToolOptions{Timeout: 5 * time.Second, Unlisted: true}),
	}}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[person](ctx, "who", "Who are you?")
		switch {
		case err != nil:
			return "", err
		case answer.Action != mcp.Accept:
			return "The user said " + string(answer.Action), nil
		}
		if err := mcp.Confirm(ctx, "sure", "Are you sure, "+answer.Value.Name+"?"); err != nil {
			return "", err
		}
		return "Hello, " + answer.Value.Name, nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "grow"}, func(context.Context, struct{}) (string, error) {
		time.AfterFunc(time.Second, func() { must(srv.Replace("grown", mcp.Features{Tools: []mcp.ServerTool{grown}})) })
		return "growing", nil
	}))
	addFeatures(t, srv)
	return srv
}
