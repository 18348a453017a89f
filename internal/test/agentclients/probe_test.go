package agentclients

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// probeCommand is the first argument of the test binary that makes it the probe. The second one is the file of its log.
const probeCommand = "serve-probe"

// Sizes of texts of the probe, in bytes. Programs cut texts at different lengths.
const (
	descriptionSize  = 4000
	instructionsSize = 6000
	longSize         = 200_000
)

// ruler returns a text of size bytes in which every position is known: lines of 20 bytes with a label and their offset.
func ruler(label string, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%-11s %07d\n", label, b.Len())
	}
	return b.String()[:size]
}

// picture returns a red PNG image of 16 × 16 pixels.
func picture() []byte {
	img := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 16 * 16 {
		img.Set(i%16, i/16, color.RGBA{R: 255, A: 255})
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

type noArgs struct{}

type color3 struct {
	Color string `json:"color" jsonschema:"enum=red,enum=green,enum=blue"`
}

// newProbe returns the probe's server.
func newProbe() (*mcp.Server, error) {
	srv := mcp.NewServer(mcp.Implementation{Name: "probe", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: ruler("instruct", instructionsSize)})
	structured := json.RawMessage(`{"form":"structured"}`)
	result := func(structured json.RawMessage, failed bool, content ...mcp.Content) func(context.Context, noArgs) (*mcp.ToolResult, error) {
		return func(context.Context, noArgs) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Content: content, Structured: structured, IsError: failed}, nil
		}
	}
	text := mcp.TextContent{Text: "The form is a text."}
	red := mcp.ImageContent{Data: picture(), MIMEType: "image/png"}
	for _, tool := range []struct {
		name, description string
		handler           func(context.Context, noArgs) (*mcp.ToolResult, error)
	}{
		{"describe", ruler("describe", descriptionSize), result(nil, false, text)},
		{"both", "Returns a text and structured content.", result(structured, false, text)},
		{"fail_both", "Fails with a text and structured content.", result(structured, true, text)},
		{"blocks", "Returns two texts.", result(nil, false, text, mcp.TextContent{Text: "A second text."})},
		{"image", "Returns a text and an image.", result(nil, false, text, red)},
		{"image_both", "Returns a text, an image and structured content.", result(structured, false, text, red)},
		{"links", "Returns a link and an embedded resource.", result(nil, false,
			mcp.ResourceLink{URI: "file:///src/main.go", Name: "main.go", MIMEType: "text/x-go"},
			mcp.EmbeddedResource{Resource: mcp.ResourceContents{URI: "file:///notes.txt", MIMEType: "text/plain", Text: "The text of a resource."}})},
		{"audio", "Returns a text and a sound.", result(nil, false, text, mcp.AudioContent{Data: []byte("RIFF....WAVE"), MIMEType: "audio/wav"})},
		{"ask", "Asks the user for a color.", ask},
		{"long", "Returns a long text.", result(nil, false, mcp.TextContent{Text: ruler("long", longSize)})},
		{"progress", "Reports progress for five seconds.", progress},
		{"wait", "Waits until the call is cancelled.", wait},
	} {
		if err := mcp.AddTool(srv, mcp.Tool{Name: tool.name, Description: tool.description}, tool.handler); err != nil {
			return nil, err
		}
	}
	return srv, nil
}

// ask asks the user a question with a form.
func ask(ctx context.Context, _ noArgs) (*mcp.ToolResult, error) {
	answer, err := mcp.Elicit[color3](ctx, "color", "Which color?")
	if err != nil {
		return nil, err
	}
	return mcp.Text(fmt.Sprintf("The user chose %s %s.", answer.Action, answer.Value.Color)), nil
}

// progress reports progress for longer than the programs wait for a result without progress.
func progress(ctx context.Context, _ noArgs) (*mcp.ToolResult, error) {
	for i := range 10 {
		mcp.Progress(ctx, float64(i+1), 10, fmt.Sprintf("step %d of 10", i+1))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(toolTimeout / 6):
		}
	}
	return mcp.Text("The work is done."), nil
}

// wait returns when the call is cancelled, at the latest after a minute.
func wait(ctx context.Context, _ noArgs) (*mcp.ToolResult, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Minute):
		return mcp.Text("The call was not cancelled."), nil
	}
}

// serveProbe serves the probe on standard input and output. It appends each message of the client to the log, the only argument.
func serveProbe(args []string) error {
	f, err := os.OpenFile(args[0], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	srv, err := newProbe()
	if err != nil {
		return err
	}
	return transport.ServeIO(context.Background(), srv, io.TeeReader(os.Stdin, f), os.Stdout, nil)
}
