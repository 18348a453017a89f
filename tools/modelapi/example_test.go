package modelapi_test

import (
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/modelapi"
)

// exampleTools is the list of a tools.Box, or of a client.
var exampleTools = []mcp.Tool{{
	Name: "read_file", Description: "Reads a file.",
	InputSchema: []byte(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
}}

// The objects are the member "tools" of a request to the Messages API.
func ExampleAnthropic() {
	functions, err := modelapi.Anthropic(exampleTools)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", functions[0])
	// Output: {"name":"read_file","description":"Reads a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}
}

// The result of a call becomes the text of a tool message. An image is one line, since the APIs have other places for it.
func ExampleText() {
	fmt.Println(modelapi.Text(&mcp.ToolResult{Content: []mcp.Content{
		mcp.TextContent{Text: "The plan:"},
		mcp.ImageContent{Data: []byte("\x89PNG"), MIMEType: "image/png"},
	}}))
	// Output:
	// The plan:
	// [image, image/png, 4 bytes]
}
