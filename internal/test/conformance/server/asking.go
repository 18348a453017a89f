//lint:file-ignore SA1019 sampling is deprecated, and tested all the same

package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
)

type promptArgs struct {
	Prompt string `json:"prompt" jsonschema:"description=What to ask the model"`
}

type messageArgs struct {
	Message string `json:"message" jsonschema:"description=What to tell the user"`
}

// account is a form of text fields.
type account struct {
	Username string `json:"username" jsonschema:"description=User's response"`
	Email    string `json:"email" jsonschema:"description=User's email address"`
}

// profile is a form with a field of every primitive type, each with a default.
type profile struct {
	Name     string  `json:"name" jsonschema:"default=John Doe,description=User name"`
	Age      int     `json:"age" jsonschema:"default=30,description=User age"`
	Score    float64 `json:"score" jsonschema:"default=95.5,description=User score"`
	Status   string  `json:"status" jsonschema:"enum=active,enum=inactive,enum=pending,default=active,description=User status"`
	Verified bool    `json:"verified" jsonschema:"default=true,description=Verification status"`
}

// enumerations is the schema of a form with every kind of choice.
const enumerations = `{"type":"object","properties":{
	"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
	"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},
	"legacyEnum":{"type":"string","enum":["opt1","opt2"],"enumNames":["Option One","Option Two"]},
	"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}}`

// askingTools returns tools that ask the client one question.
func askingTools() []mcp.ServerTool {
	return []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "test_sampling", Description: "Asks the client's model."},
			func(ctx context.Context, in promptArgs) (string, error) {
				return ask(ctx, "Model response", sampling("answer", in.Prompt, 100))
			}),
		mcp.NewTool(mcp.Tool{Name: "test_elicitation", Description: "Asks the user for a name and an address."},
			func(ctx context.Context, in messageArgs) (string, error) {
				return askForm[account](ctx, "account", in.Message)
			}),
		mcp.NewTool(mcp.Tool{Name: "test_elicitation_sep1034_defaults", Description: "Asks with a form that has defaults."},
			func(ctx context.Context, _ none) (string, error) {
				return askForm[profile](ctx, "profile", "Please review and update the form fields with defaults")
			}),
		mcp.NewTool(mcp.Tool{Name: "test_elicitation_sep1330_enums", Description: "Asks with a form that has choices."},
			func(ctx context.Context, _ none) (string, error) {
				q, err := mcp.RawFormQuestion("choices", "Please choose", json.RawMessage(enumerations))
				if err != nil {
					return "", err
				}
				return ask(ctx, "Elicitation completed", q)
			}),
	}
}

// sampling returns a question to the client's model.
func sampling(key, prompt string, maxTokens int) mcp.Question {
	q, err := mcp.SamplingQuestion(key, mcp.SampleParams{Prompt: prompt, MaxTokens: maxTokens})
	if err != nil {
		panic(err) // the params are valid
	}
	return q
}

// ask asks a question and returns heading with the answer.
func ask(ctx context.Context, heading string, q mcp.Question) (string, error) {
	answers, err := mcp.AskAll(ctx, q)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s", heading, answers[0]), nil
}

// askForm asks the user with a form and returns the answer.
func askForm[T any](ctx context.Context, key, message string) (string, error) {
	answer, err := mcp.Elicit[T](ctx, key, message)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Elicitation completed: %s %+v", answer.Action, answer.Value), nil
}
