package main

import (
	"context"
	"encoding/json"
	_ "net/http/pprof"
	"net/url"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

type args struct {
	Name string `json:"name" jsonschema:"the name to say hi to"`
}

type promptArgs struct {
	Name string `json:"name,omitempty"`
}

type result struct {
	Message string `json:"message" jsonschema:"the message to convey"`
}

type form struct {
	Random string `json:"random,omitempty"`
}

type templateArgs struct {
	Name string `json:"resource_name"`
}

// icons returns the icon of the server, its tools and resources.
func icons() []protocol.Icon {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><circle cx="24" cy="24" r="20"/></svg>`
	return []protocol.Icon{{Src: "data:image/svg+xml," + url.PathEscape(svg), MIMEType: "image/svg+xml", Sizes: []string{"48x48"}, Theme: "light"}}
}

func greet(_ context.Context, in args) (string, error) { return "Hi " + in.Name, nil }

func greetStructured(_ context.Context, in args) (result, error) { return result{"Hi " + in.Name}, nil }

func greetLink(_ context.Context, in args) (mcp.Content, error) {
	uri := "data:text/plain,Hi%20" + url.PathEscape(in.Name)
	return mcp.ResourceLink{Name: "greeting", Title: "A friendly greeting", MIMEType: "text/plain", URI: uri, Icons: icons()}, nil
}

func logSomething(ctx context.Context, _ mcp.None) (mcp.None, error) {
	//lint:ignore SA1019 logging is deprecated, and works with every revision
	mcp.Log(ctx, protocol.LevelError, "", "something happened!")
	return mcp.None{}, nil
}

func sample(ctx context.Context, _ mcp.None) ([]mcp.Content, error) {
	//lint:ignore SA1019 sampling is deprecated, and works with every revision
	answer, err := mcp.Sample(ctx, "sample", mcp.SampleParams{})
	if err != nil {
		return nil, err
	}
	return answer.Content, nil
}

func elicitForm(ctx context.Context, _ mcp.None) (string, error) {
	answer, err := mcp.Elicit[form](ctx, "form", "provide a random string")
	return answer.Value.Random, err
}

func elicitURL(ctx context.Context, _ mcp.None) (string, error) {
	_, err := mcp.ElicitURL(ctx, "url", "submit a string", "http://localhost:6062?id=1")
	return "(elicitation pending)", err
}

func roots(ctx context.Context, _ mcp.None) (string, error) {
	//lint:ignore SA1019 roots are deprecated, and work with every revision
	raw, err := mcp.AskAll(ctx, mcp.RootsQuestion("roots"))
	if err != nil {
		return "", err
	}
	var answer struct{ Roots []mcp.Root }
	if err := json.Unmarshal(raw[0], &answer); err != nil {
		return "", err
	}
	var all []string
	for _, root := range answer.Roots {
		all = append(all, root.Name+":"+root.URI)
	}
	return strings.Join(all, ","), nil
}

func prompt(_ context.Context, in promptArgs) (*mcp.PromptResult, error) {
	return &mcp.PromptResult{Description: "Hi prompt", Messages: []mcp.PromptMessage{mcp.UserText("Say hi to " + in.Name)}}, nil
}

func info(context.Context, string) ([]mcp.ResourceContents, error) {
	return []mcp.ResourceContents{{Text: "This is the hello example server."}}, nil
}

func complete(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	return mcp.Completion{Total: 1, Values: []string{value + "x"}}, nil
}
