package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

type twoArgs struct {
	Arg1 string `json:"arg1" jsonschema:"description=First test argument"`
	Arg2 string `json:"arg2" jsonschema:"description=Second test argument"`
}

type resourceArgs struct {
	ResourceURI string `json:"resourceUri" jsonschema:"description=URI of the resource to embed"`
}

// prompts returns the prompts of the scenarios.
func prompts() []mcp.ServerPrompt {
	return []mcp.ServerPrompt{
		mcp.NewPrompt(mcp.Prompt{Name: "test_simple_prompt", Description: "Takes no arguments."}, simplePrompt),
		mcp.NewPrompt(mcp.Prompt{Name: "test_prompt_with_arguments", Description: "Takes two arguments."}, promptWithArguments).
			Complete("arg1", completeArgument),
		mcp.NewPrompt(mcp.Prompt{Name: "test_prompt_with_embedded_resource", Description: "Embeds a resource."}, promptWithResource),
		mcp.NewPrompt(mcp.Prompt{Name: "test_prompt_with_image", Description: "Shows an image."}, promptWithImage),
		mcp.NewPrompt(mcp.Prompt{Name: rounds + "prompt", Description: "Asks the user first."}, promptInRounds),
	}
}

func messages(all ...mcp.PromptMessage) *mcp.PromptResult { return &mcp.PromptResult{Messages: all} }

func simplePrompt(context.Context, none) (*mcp.PromptResult, error) {
	return messages(mcp.UserText("This is a simple prompt for testing.")), nil
}

func promptWithArguments(_ context.Context, in twoArgs) (*mcp.PromptResult, error) {
	return messages(mcp.UserText(fmt.Sprintf("Prompt with arguments: arg1=%q, arg2=%q", in.Arg1, in.Arg2))), nil
}

// completeArgument completes the argument arg1.
func completeArgument(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	var found mcp.Completion
	for _, known := range []string{"test", "testValue1", "testValue2", "other"} {
		if strings.HasPrefix(known, value) {
			found.Values = append(found.Values, known)
		}
	}
	return found, nil
}

func promptWithResource(_ context.Context, in resourceArgs) (*mcp.PromptResult, error) {
	embedded := mcp.EmbeddedResource{Resource: mcp.ResourceContents{
		URI: in.ResourceURI, MIMEType: "text/plain", Text: "Embedded resource content for testing.",
	}}
	return messages(mcp.PromptMessage{Role: mcp.RoleUser, Content: embedded}, mcp.UserText("Please process the embedded resource above.")), nil
}

func promptWithImage(context.Context, none) (*mcp.PromptResult, error) {
	picture := mcp.ImageContent{Data: dot(), MIMEType: "image/png"}
	return messages(mcp.PromptMessage{Role: mcp.RoleUser, Content: picture}, mcp.UserText("Please analyze the image above.")), nil
}

func promptInRounds(ctx context.Context, _ none) (*mcp.PromptResult, error) {
	answer, err := mcp.Elicit[contextForm](ctx, "user_context", "What context should the prompt use?")
	if err != nil {
		return nil, err
	}
	return messages(mcp.UserText("Use this context: " + answer.Value.Context)), nil
}
