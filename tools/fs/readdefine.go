package fs

import (
	"context"
	"reflect"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/schema"
)

// readAnswer is the structured result of read_file: one file, or several.
type readAnswer struct {
	*ReadResult
	Files []FileRead `json:"files,omitempty"`
}

// defineRead returns read_file. Its handler builds the result itself, because the result can contain an image beside its text.
func (f *Files) defineRead() (mcp.ServerTool, error) {
	t := reflect.TypeFor[readAnswer]()
	output, err := schema.Output(t, schema.Options{})
	if err != nil {
		return mcp.ServerTool{}, err
	}
	encoder, err := schema.NewEncoder(t)
	if err != nil {
		return mcp.ServerTool{}, err
	}
	answer := func(ctx context.Context, args ReadArgs) (*mcp.ToolResult, error) {
		got, text, err := f.answerRead(ctx, args)
		if err != nil {
			return nil, err
		}
		structured, err := encoder.Append(nil, got)
		if err != nil {
			return nil, err
		}
		result := &mcp.ToolResult{Structured: structured, Content: []mcp.Content{mcp.TextContent{Text: text}}}
		if got.ReadResult != nil && got.Image != nil {
			result.Content = append(result.Content, mcp.ImageContent{Data: got.Image, MIMEType: got.MIMEType})
		}
		return result, nil
	}
	return mcp.NewTool(mcp.Tool{
		Name: "read_file",
		Description: "Reads a file, or lines or bytes of it; or several files." +
			" Answers over " + number(int64(f.limits.Answer)) + " bytes are cut and say how to resume.",
		Annotations:  mcp.ReadOnly(),
		OutputSchema: output.JSON(),
	}, answer).With(mcp.ToolOptions{Defaults: map[string]any{"maxSize": f.maxSize(0)}}), nil
}

// answerRead reads one file or several and returns the result and its text.
func (f *Files) answerRead(ctx context.Context, args ReadArgs) (readAnswer, string, error) {
	if len(args.Paths) > 0 {
		got, err := f.ReadMany(ctx, args)
		return readAnswer{Files: got.Files}, got.TextContent(), err
	}
	got, err := f.Read(ctx, args)
	if err != nil {
		return readAnswer{}, "", err
	}
	return readAnswer{ReadResult: &got}, got.TextContent(), nil
}
