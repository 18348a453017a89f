//lint:file-ignore SA1019 sampling and roots are deprecated, and tested all the same

package main

import (
	"context"
	"encoding/json"

	"github.com/dougu-go/dougu/mcp"
)

// options returns the options of a client that supports all questions.
func options(scenario string) *mcp.ClientOptions {
	content := json.RawMessage(`{"confirmed":true}`)
	if scenario == "elicitation-sep1034-client-defaults" {
		content = nil // the library must fill in the defaults
	}
	return &mcp.ClientOptions{
		Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: content}, nil
		},
		Sample: func(context.Context, mcp.SampleParams) (*mcp.SampleResult, error) {
			return &mcp.SampleResult{Content: []mcp.Content{mcp.TextContent{Text: "Nothing much."}}, Model: "none"}, nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) {
			return []mcp.Root{{URI: "file:///conformance", Name: "conformance"}}, nil
		},
	}
}
