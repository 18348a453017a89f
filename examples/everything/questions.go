package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// form is a question with every type of field.
//
//go:embed form.json
var form []byte

type urlArgs struct {
	URL           string `json:"url" jsonschema:"format=uri,description=Page to open"`
	Message       string `json:"message,omitempty" jsonschema:"default=Please open the link to complete this action.,description=Text for the user"`
	ElicitationID string `json:"elicitationId,omitempty" jsonschema:"Key of the question"`
	ErrorPath     bool   `json:"errorPath,omitempty" jsonschema:"default=false,description=Answer the first call with an error that asks for another page"`
}

type samplingArgs struct {
	Prompt    string `json:"prompt" jsonschema:"Text for the model"`
	MaxTokens int    `json:"maxTokens,omitempty" jsonschema:"default=100,minimum=1,description=Most tokens of the answer"`
}

type researchArgs struct {
	Topic     string `json:"topic" jsonschema:"Topic of the research"`
	Ambiguous bool   `json:"ambiguous,omitempty" jsonschema:"default=false,description=Ask the user what the topic means"`
}

func (e *everything) addQuestions() error {
	research := mcp.NewTool(mcp.Tool{Name: "simulate-research-query", Title: "Simulate Research Query",
		Description: "Pretends to do research, as a task.", Annotations: hints(false, false, false)}, research)
	return errors.Join(
		mcp.AddTool(e.server, mcp.Tool{Name: "get-roots-list", Title: "Get Roots List Tool",
			Description: "Lists the folders that the client works in.", Annotations: hints(true, true, false)}, roots),
		mcp.AddTool(e.server, mcp.Tool{Name: "trigger-elicitation-request", Title: "Trigger Elicitation Request Tool",
			Description: "Asks the user to fill in a form.", Annotations: hints(false, false, false)}, askForm),
		mcp.AddTool(e.server, mcp.Tool{Name: "trigger-url-elicitation", Title: "Trigger URL Elicitation Tool",
			Description: "Asks the user to open a page.", Annotations: hints(false, false, true)}, e.askURL),
		mcp.AddTool(e.server, mcp.Tool{Name: "trigger-sampling-request", Title: "Trigger Sampling Request Tool",
			Description: "Lets the client's model answer.", Annotations: hints(false, false, true)}, sample),
		e.server.Replace("research", mcp.Features{Tools: []mcp.ServerTool{research.With(mcp.ToolOptions{Task: mcp.TaskRequired})}}),
	)
}

// ask asks one question and returns the answer, and its JSON as text.
func ask(ctx context.Context, question mcp.Question, answer any) (string, error) {
	raw, err := mcp.AskAll(ctx, question)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw[0], answer); err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = json.Indent(&text, raw[0], "", "  ")
	return text.String(), err
}

func roots(ctx context.Context, _ mcp.None) (string, error) {
	var answer struct{ Roots []mcp.Root }
	//lint:ignore SA1019 roots are deprecated, and a feature of the protocol all the same
	if _, err := ask(ctx, mcp.RootsQuestion("roots"), &answer); err != nil {
		return "", err
	}
	if len(answer.Roots) == 0 {
		return "The client supports roots but no roots are currently configured.", nil
	}
	var all []string
	for i, root := range answer.Roots {
		all = append(all, fmt.Sprintf("%d. %s\n   URI: %s", i+1, cmp.Or(root.Name, "Unnamed Root"), root.URI))
	}
	return fmt.Sprintf("Current MCP Roots (%d total):\n\n%s", len(all), strings.Join(all, "\n\n")), nil
}

func askForm(ctx context.Context, _ mcp.None) ([]mcp.Content, error) {
	question, err := mcp.RawFormQuestion("form", "Please provide inputs for the following fields:", form)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Action  mcp.Action
		Content map[string]any
	}
	raw, err := ask(ctx, question, &answer)
	if err != nil {
		return nil, err
	}
	var texts []string
	switch answer.Action {
	case mcp.Accept:
		inputs := "User inputs:"
		for _, field := range [][2]string{
			{"name", "Name"}, {"check", "Agreed to terms"}, {"email", "Email"}, {"homepage", "Homepage"}, {"birthdate", "Birthdate"},
			{"integer", "Favorite Integer"}, {"number", "Favorite Number"},
		} {
			if value, ok := answer.Content[field[0]]; ok {
				inputs += fmt.Sprintf("\n- %s: %v", field[1], value)
			}
		}
		texts = []string{"✅ User provided the requested information!", inputs}
	case mcp.Decline:
		texts = []string{"❌ User declined to provide the requested information."}
	default:
		texts = []string{"⚠️ User cancelled the elicitation dialog."}
	}
	return blocks(append(texts, "\nRaw result: "+raw)...), nil
}

func blocks(texts ...string) []mcp.Content {
	var all []mcp.Content
	for _, text := range texts {
		all = append(all, mcp.TextContent{Text: text})
	}
	return all
}

func (e *everything) askURL(ctx context.Context, in urlArgs) ([]mcp.Content, error) {
	if in.ErrorPath && e.issue(in.URL+"\x00"+in.ElicitationID) {
		data, err := json.Marshal(map[string]any{"elicitations": []map[string]string{{
			"mode": "url", "url": "https://modelcontextprotocol.io", "elicitationId": "prerequisite",
			"message": "Open this link to satisfy the prerequisite, then retry the request.",
		}}})
		if err != nil {
			return nil, err
		}
		return nil, &protocol.Error{Code: protocol.CodeURLElicitationNeeded, Message: "This request requires browser-based authorization.", Data: data}
	}
	key := cmp.Or(in.ElicitationID, "page")
	var answer struct{ Action mcp.Action }
	raw, err := ask(ctx, mcp.URLQuestion(key, in.Message, in.URL), &answer)
	if err != nil {
		return nil, err
	}
	text := map[mcp.Action]string{
		mcp.Accept:  "✅ User completed the URL elicitation flow.\nElicitation ID: " + key + "\nURL: " + in.URL,
		mcp.Decline: "❌ User declined to open the URL (Elicitation ID: " + key + ").",
		mcp.Cancel:  "⚠️ User cancelled the URL elicitation (Elicitation ID: " + key + ").",
	}[answer.Action]
	return blocks(text, "\nRaw result: "+raw), nil
}

// issue reports whether a call is the first of two with the same arguments, and forgets the call at the second.
func (e *everything) issue(call string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.issued[call] || len(e.issued) >= 1000 {
		delete(e.issued, call)
		return false
	}
	e.issued[call] = true
	return true
}

func sample(ctx context.Context, in samplingArgs) (string, error) {
	params := mcp.SampleParams{
		Prompt:       "Resource trigger-sampling-request context: " + in.Prompt,
		SystemPrompt: "You are a helpful test server.", MaxTokens: in.MaxTokens, Temperature: new(0.7),
	}
	//lint:ignore SA1019 sampling is deprecated, and a feature of the protocol all the same
	question, err := mcp.SamplingQuestion("sampling", params)
	if err != nil {
		return "", err
	}
	var answer json.RawMessage
	raw, err := ask(ctx, question, &answer)
	return "LLM sampling result: \n" + raw, err
}

// research reports its stages as the status of the task.
func research(ctx context.Context, in researchArgs) (string, error) {
	var meaning string
	for i, stage := range []string{"Gathering sources", "Analyzing content", "Synthesizing findings", "Generating report"} {
		mcp.Progress(ctx, float64(i+1), 4, stage+"...")
		if i == 2 && in.Ambiguous && mcp.Supports(ctx, mcp.CapElicitForm) {
			var err error
			if meaning, err = interpretation(ctx, in.Topic); err != nil {
				return "", err
			}
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	topic := in.Topic
	if meaning != "" {
		topic += " (" + meaning + ")"
	}
	return "# Research Report: " + topic + "\n\nThe research went through four stages.\n", nil
}

// interpretation asks the user which meaning a topic has.
func interpretation(ctx context.Context, topic string) (string, error) {
	const schema = `{"type":"object","properties":{"interpretation":{"type":"string","title":"Clarification","oneOf":[
		{"const":"technical","title":"Technical/scientific perspective"},{"const":"historical","title":"Historical perspective"},
		{"const":"current","title":"Current events/news perspective"}]}},"required":["interpretation"]}`
	question, err := mcp.RawFormQuestion("interpretation", "The topic "+topic+" could have several meanings. Please choose one:", json.RawMessage(schema))
	if err != nil {
		return "", err
	}
	var answer struct {
		Action  mcp.Action
		Content struct{ Interpretation string }
	}
	if _, err := ask(ctx, question, &answer); err != nil {
		return "", err
	}
	if answer.Action != mcp.Accept {
		return "default interpretation", nil
	}
	return answer.Content.Interpretation, nil
}
