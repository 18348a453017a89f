package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

type cityArgs struct {
	City  string `json:"city" jsonschema:"Name of the city"`
	State string `json:"state,omitempty" jsonschema:"Name of the state"`
}

type teamArgs struct {
	Department string `json:"department" jsonschema:"Department that needs a head"`
	Name       string `json:"name" jsonschema:"Member of the department"`
}

type resourceArgs struct {
	ResourceType string `json:"resourceType" jsonschema:"enum=Text,enum=Blob,description=Type of the resource"`
	ResourceID   string `json:"resourceId" jsonschema:"pattern=^[1-9][0-9]*$,description=Number of the resource"`
}

func (e *everything) addPrompts() error {
	return errors.Join(
		mcp.AddPrompt(e.server, mcp.Prompt{Name: "simple-prompt", Title: "Simple Prompt", Description: "A prompt without arguments."},
			func(context.Context, mcp.None) (*mcp.PromptResult, error) {
				return said("This is a simple prompt without arguments."), nil
			}),
		mcp.AddPrompt(e.server, mcp.Prompt{Name: "args-prompt", Title: "Arguments Prompt", Description: "A prompt with an optional argument."},
			func(_ context.Context, in cityArgs) (*mcp.PromptResult, error) {
				if in.State != "" {
					in.City += ", " + in.State
				}
				return said("What's weather in " + in.City + "?"), nil
			}),
		e.server.Replace("team", mcp.Features{Prompts: []mcp.ServerPrompt{
			mcp.NewPrompt(mcp.Prompt{Name: "completable-prompt", Title: "Team Management", Description: "The proposals for the second argument depend on the first."},
				func(_ context.Context, in teamArgs) (*mcp.PromptResult, error) {
					return said(fmt.Sprintf("Please promote %s to the head of the %s team.", in.Name, in.Department)), nil
				}).Complete("department", completeDepartment).Complete("name", completeName),
		}}),
		e.server.Replace("resource", mcp.Features{Prompts: []mcp.ServerPrompt{
			mcp.NewPrompt(mcp.Prompt{Name: "resource-prompt", Title: "Resource Prompt", Description: "A prompt with the contents of a resource."},
				resourcePrompt).Complete("resourceId", completeID),
		}}),
	)
}

func said(text string) *mcp.PromptResult {
	return &mcp.PromptResult{Messages: []mcp.PromptMessage{mcp.UserText(text)}}
}

func resourcePrompt(_ context.Context, in resourceArgs) (*mcp.PromptResult, error) {
	id, err := strconv.Atoi(in.ResourceID)
	if err != nil {
		return nil, err
	}
	prompt := said(fmt.Sprintf("This prompt includes the %s resource with id: %d. Please analyze the following resource:", in.ResourceType, id))
	contents := mcp.EmbeddedResource{Resource: dynamic(in.ResourceType, id)}
	prompt.Messages = append(prompt.Messages, mcp.PromptMessage{Role: mcp.RoleUser, Content: contents})
	return prompt, nil
}

func completeDepartment(_ context.Context, value string, _ map[string]string) (mcp.Completion, error) {
	return beginning(value, "Engineering", "Sales", "Marketing", "Support"), nil
}

func completeName(_ context.Context, value string, others map[string]string) (mcp.Completion, error) {
	return beginning(value, map[string][]string{
		"Engineering": {"Alice", "Bob", "Charlie"}, "Sales": {"David", "Eve", "Frank"},
		"Marketing": {"Grace", "Henry", "Iris"}, "Support": {"John", "Kim", "Lee"},
	}[others["department"]]...), nil
}

// beginning returns the proposals that begin with value.
func beginning(value string, all ...string) mcp.Completion {
	found := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return !strings.HasPrefix(s, value) })
	return mcp.Completion{Values: found, Total: len(found)}
}
