//lint:file-ignore SA1019 sampling and roots are deprecated, and tested all the same

package main

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/mcp"
)

// rounds is the prefix of the tools for questions by input_required (2026-07-28, basic/patterns/mrtr).
const rounds = "test_input_required_result_"

// Forms of these tools, one field each.
type (
	nameForm struct {
		Name string `json:"name"`
	}
	okForm struct {
		OK bool `json:"ok"`
	}
	colourForm struct {
		Color string `json:"color"`
	}
	contextForm struct {
		Context string `json:"context"`
	}
)

// roundTools returns tools that need one or several rounds of questions.
func roundTools() []mcp.ServerTool {
	tool := func(name, description string, h func(context.Context, none) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: rounds + name, Description: description}, h)
	}
	return []mcp.ServerTool{
		tool("elicitation", "Asks the user's name.", greetUser),
		tool("sampling", "Asks the client's model.", func(ctx context.Context, _ none) (string, error) {
			return ask(ctx, "The model said", sampling("capital_question", "What is the capital of France?", 100))
		}),
		tool("list_roots", "Asks for the client's roots.", func(ctx context.Context, _ none) (string, error) {
			return ask(ctx, "The roots are", mcp.RootsQuestion("client_roots"))
		}),
		tool("request_state", "Asks for a confirmation.", confirmed),
		tool("tampered_state", "Asks for a confirmation, too.", confirmed),
		tool("multiple_inputs", "Asks user, model and client in one round.", askEverybody),
		tool("multi_round", "Asks twice, the second question after the first answer.", askTwice),
		tool("capabilities", "Asks whoever of the user and the model can be asked.", askWhoCanBe),
	}
}

func greetUser(ctx context.Context, _ none) (string, error) {
	answer, err := mcp.Elicit[nameForm](ctx, "user_name", "What is your name?")
	if err != nil {
		return "", err
	}
	if answer.Action != mcp.Accept {
		return "Hello, whoever you are!", nil
	}
	return "Hello, " + answer.Value.Name + "!", nil
}

// confirmed reports a valid request state. With an invalid one the handler would not run to this point.
func confirmed(ctx context.Context, _ none) (string, error) {
	answer, err := mcp.Elicit[okForm](ctx, "confirm", "Please confirm")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("state-ok, confirmed: %t", answer.Value.OK), nil
}

func askEverybody(ctx context.Context, _ none) (string, error) {
	name, err := mcp.FormQuestion[nameForm]("user_name", "What is your name?")
	if err != nil {
		return "", err
	}
	answers, err := mcp.AskAll(ctx, name,
		sampling("greeting", "Generate a greeting", 50),
		mcp.RootsQuestion("client_roots"))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("User: %s\nModel: %s\nRoots: %s", answers[0], answers[1], answers[2]), nil
}

func askTwice(ctx context.Context, _ none) (string, error) {
	name, err := mcp.Elicit[nameForm](ctx, "step1", "Step 1: What is your name?")
	if err != nil {
		return "", err
	}
	colour, err := mcp.Elicit[colourForm](ctx, "step2", "Step 2: What is your favorite color, "+name.Value.Name+"?")
	if err != nil {
		return "", err
	}
	return name.Value.Name + " likes " + colour.Value.Color, nil
}

func askWhoCanBe(ctx context.Context, _ none) (string, error) {
	var questions []mcp.Question
	if mcp.Supports(ctx, mcp.CapElicitForm) {
		q, err := mcp.FormQuestion[nameForm]("user_name", "What is your name?")
		if err != nil {
			return "", err
		}
		questions = append(questions, q)
	}
	if mcp.Supports(ctx, mcp.CapSampling) {
		questions = append(questions, sampling("greeting", "Generate a greeting", 50))
	}
	answers, err := mcp.AskAll(ctx, questions...)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d answers", len(answers)), nil
}
