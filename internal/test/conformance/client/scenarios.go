package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
)

// scenario plays one scenario; given is the context that the suite provides.
type scenario func(ctx context.Context, c *mcp.Client, given json.RawMessage) error

// scenarios are the scenarios of the suite by name. Scenarios with the prefix "auth/" test authorization and only use one tool.
var scenarios = map[string]scenario{
	"initialize":                          list,
	"tools_call":                          listAndCall("add_numbers", map[string]int{"a": 5, "b": 3}),
	"elicitation-sep1034-client-defaults": listAndCall("test_client_elicitation_defaults", nil),
	"sse-retry":                           listAndCall("test_reconnection", nil),
	"request-metadata":                    list,
	"sep-2322-client-request-state":       answerInRounds,
	"http-standard-headers":               useEverything,
	"http-custom-headers":                 callAsGiven,
	"http-invalid-tool-headers":           callAll,
	"json-schema-ref-no-deref":            list,
	"json-schema-2020-12-preservation":    echoSchema,

	"sep-2640-client-no-prefetch":        connect,
	"sep-2640-client-verify-digest":      connect,
	"sep-2640-client-verify-size":        connect,
	"sep-2640-client-verify-frontmatter": connect,

	"auth/metadata-default":                     useTool,
	"auth/metadata-var1":                        useTool,
	"auth/metadata-var2":                        useTool,
	"auth/metadata-var3":                        useTool,
	"auth/basic-cimd":                           useTool,
	"auth/2025-03-26-oauth-metadata-backcompat": useTool,
	"auth/2025-03-26-oauth-endpoint-fallback":   useTool,
	"auth/scope-from-www-authenticate":          useTool,
	"auth/scope-from-scopes-supported":          useTool,
	"auth/scope-omitted-when-undefined":         useTool,
	"auth/scope-step-up":                        useTool,
	"auth/scope-retry-limit":                    useTool,
	"auth/token-endpoint-auth-basic":            useTool,
	"auth/token-endpoint-auth-post":             useTool,
	"auth/token-endpoint-auth-none":             useTool,
	"auth/resource-mismatch":                    useTool,
	"auth/pre-registration":                     useTool,
	"auth/offline-access-scope":                 useTool,
	"auth/offline-access-not-supported":         useTool,
	"auth/authorization-server-migration":       useTool,
	"auth/iss-supported":                        useTool,
	"auth/iss-not-advertised":                   useTool,
	"auth/iss-supported-missing":                useTool,
	"auth/iss-wrong-issuer":                     useTool,
	"auth/iss-unexpected":                       useTool,
	"auth/iss-normalized":                       useTool,
	"auth/metadata-issuer-mismatch":             useTool,
	"auth/client-credentials-jwt":               useTool,
	"auth/client-credentials-basic":             useTool,
	"auth/enterprise-managed-authorization":     useTool,
	"auth/dpop":                                 useTool,
	"auth/dpop-nonce":                           useTool,
	"auth/wif-jwt-bearer":                       useTool,
}

// useTool calls the tool of servers that require authorization.
var useTool = listAndCall("test-tool", struct{}{})

// connect only connects: a client that loads no skill must not fetch one.
func connect(context.Context, *mcp.Client, json.RawMessage) error { return nil }

// list lists the tools.
func list(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
	_, err := tools(ctx, c)
	return err
}

// listAndCall lists the tools and calls one.
func listAndCall(name string, args any) scenario {
	return func(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
		if _, err := tools(ctx, c); err != nil {
			return err
		}
		return call(ctx, c, name, args)
	}
}

// answerInRounds calls tools that ask questions before their result.
func answerInRounds(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
	for _, name := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_unrelated", "test_mrtr_no_result_type"} {
		if err := call(ctx, c, name, struct{}{}); err != nil {
			return err
		}
	}
	return nil
}

// useEverything lists and uses one feature of each kind.
func useEverything(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
	if err := callAll(ctx, c, nil); err != nil {
		return err
	}
	for resource, err := range c.Resources(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.ReadResource(ctx, resource.URI, nil); err != nil {
			return err
		}
	}
	for prompt, err := range c.Prompts(ctx) {
		if err != nil {
			return err
		}
		if _, err := c.GetPrompt(ctx, prompt.Name, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// callAsGiven makes the calls in the scenario's context, with unchanged arguments.
func callAsGiven(ctx context.Context, c *mcp.Client, given json.RawMessage) error {
	var plan struct {
		ToolCalls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"toolCalls"`
	}
	if err := json.Unmarshal(given, &plan); err != nil {
		return fmt.Errorf("reading the context %q: %w", given, err)
	}
	if _, err := tools(ctx, c); err != nil {
		return err
	}
	for _, wanted := range plan.ToolCalls {
		if err := call(ctx, c, wanted.Name, wanted.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// callAll calls every tool that the library lists.
func callAll(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
	offered, err := tools(ctx, c)
	if err != nil {
		return err
	}
	for _, tool := range offered {
		if err := call(ctx, c, tool.Name, map[string]string{"region": "us-west1"}); err != nil {
			return err
		}
	}
	return nil
}

// echoSchema sends the schema back that the client has received.
func echoSchema(ctx context.Context, c *mcp.Client, _ json.RawMessage) error {
	offered, err := tools(ctx, c)
	if err != nil {
		return err
	}
	for _, tool := range offered {
		if tool.Name == "json_schema_2020_12_tool" {
			return call(ctx, c, "json_schema_echo", map[string]json.RawMessage{"schema": tool.InputSchema})
		}
	}
	return fmt.Errorf("json_schema_2020_12_tool is not among the %d tools", len(offered))
}

func tools(ctx context.Context, c *mcp.Client) ([]mcp.Tool, error) {
	var all []mcp.Tool
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, tool)
	}
	return all, nil
}

// call calls a tool, which must succeed.
func call(ctx context.Context, c *mcp.Client, name string, args any) error {
	result, err := c.CallTool(ctx, name, args, nil)
	if err != nil {
		return err
	}
	if result.IsError {
		return &mcp.ToolFailure{Tool: name, Result: result}
	}
	return nil
}
