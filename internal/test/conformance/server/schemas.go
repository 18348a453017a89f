package main

import (
	"context"
	"encoding/json"

	"fmt"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/schema/reference"
)

// wide is a schema with keywords that a library must pass on unchanged (SEP-1613, SEP-2106).
const wide = `{
	"$schema":"https://json-schema.org/draft/2020-12/schema",
	"type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{
		"name":{"type":"string"},
		"address":{"$ref":"#/$defs/address"},
		"contactMethod":{"type":"string","enum":["phone","email"]},
		"phone":{"type":"string"},
		"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},
	"else":{"required":["email"]},
	"additionalProperties":false}`

// regionArgs are arguments that are repeated in HTTP headers (2026-07-28, server/tools, "x-mcp-header").
type regionArgs struct {
	Region string `json:"region" jsonschema:"x-mcp-header=Region,description=Where to run"`
}

// schemaTools returns tools with special schemas.
func schemaTools() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewRawTool(mcp.Tool{Name: "json_schema_2020_12_tool", Description: "Tool with JSON Schema 2020-12 features", InputSchema: json.RawMessage(wide)},
			func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
				return mcp.Text(fmt.Sprintf("The arguments are valid: %s", args)), nil
			}).With(mcp.ToolOptions{Reference: reference.Validator}),
		mcp.NewTool(mcp.Tool{Name: "test_x_mcp_header", Description: "Takes an argument that a header repeats."},
			func(_ context.Context, in regionArgs) (string, error) { return "Region: " + in.Region, nil }),
	}
}
