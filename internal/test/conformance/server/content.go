package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/png"

	"github.com/dougu-go/dougu/mcp"
)

// none is the argument type of tools without arguments.
type none struct{}

// contentTools returns tools with fixed results, one for each kind of content.
func contentTools() []mcp.ServerTool {
	text := mcp.TextContent{Text: "This is a simple text response for testing."}
	picture := mcp.ImageContent{Data: dot(), MIMEType: "image/png"}
	sound := mcp.AudioContent{Data: silence(), MIMEType: "audio/wav"}
	embedded := mcp.EmbeddedResource{Resource: mcp.ResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
	}}
	return []mcp.ServerTool{
		constant("test_simple_text", "Answers with text.", text),
		constant("test_image_content", "Answers with an image.", picture),
		constant("test_audio_content", "Answers with sound.", sound),
		constant("test_embedded_resource", "Answers with an embedded resource.", embedded),
		constant("test_multiple_content_types", "Answers with text, an image and a resource.", text, picture, embedded),
		mcp.NewTool(mcp.Tool{Name: "test_error_handling", Description: "Fails, always."},
			func(context.Context, none) (mcp.None, error) {
				return mcp.None{}, errors.New("this tool intentionally fails")
			}),
	}
}

// constant returns a tool with a fixed result.
func constant(name, description string, content ...mcp.Content) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name, Description: description, Annotations: mcp.ReadOnly()},
		func(context.Context, none) (*mcp.ToolResult, error) {
			return &mcp.ToolResult{Content: content}, nil
		})
}

// dot returns a PNG image of one pixel.
func dot() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err) // writing to a buffer does not fail
	}
	return b.Bytes()
}

// silence returns a WAV file with one PCM sample.
func silence() []byte {
	const rate, sampleBytes = 8000, 2
	le := binary.LittleEndian
	b := append([]byte("RIFF"), 0, 0, 0, 0)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b = le.AppendUint16(le.AppendUint16(b, 1), 1) // PCM, mono
	b = le.AppendUint32(le.AppendUint32(b, rate), rate*sampleBytes)
	b = le.AppendUint16(le.AppendUint16(b, sampleBytes), 8*sampleBytes)
	b = le.AppendUint32(append(b, "data"...), sampleBytes)
	b = append(b, 0, 0)
	le.PutUint32(b[4:], uint32(len(b)-8))
	return b
}
