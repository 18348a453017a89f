// Command embed is an agent that uses the tools of this library without a protocol. It shows the definitions to a model, executes
// the model's calls, and returns the results, until the model is done.
//
// The model is a fake that finds and reads the project's README. A real agent calls the API of its model instead.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(context.Background(), dir, readmeModel, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// message is one entry of the conversation.
type message struct {
	Role string // "user", "assistant", "tool"
	Text string
}

// call is a tool call of the model.
type call struct {
	Tool string
	Args any
}

// model returns the next step: a call, or a final answer.
type model func(tools []mcp.Tool, history []message) (next *call, answer string)

func run(ctx context.Context, dir string, decide model, out io.Writer) error {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true})
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		return err
	}
	defer files.Close(ctx)

	byName := make(map[string]mcp.ServerTool)
	var shown []mcp.Tool
	for _, tool := range files.Features().Tools {
		byName[tool.Tool().Name] = tool
		shown = append(shown, tool.Tool())
	}
	history := []message{{Role: "user", Text: "What is this project?"}}
	for range 10 { // limit for a model that does not stop
		next, answer := decide(shown, history)
		if next == nil {
			_, err := fmt.Fprintln(out, answer)
			return err
		}
		text, err := perform(ctx, byName, next)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "called %s\n", next.Tool)
		history = append(history, message{Role: "tool", Text: text})
	}
	return fmt.Errorf("the model has not come to an answer")
}

// perform executes one call. An error of a tool is returned as text for the model.
func perform(ctx context.Context, byName map[string]mcp.ServerTool, c *call) (string, error) {
	tool, ok := byName[c.Tool]
	if !ok {
		return "there is no tool " + c.Tool, nil
	}
	args, err := json.Marshal(c.Args)
	if err != nil {
		return "", err
	}
	result, err := tool.Call(ctx, args)
	if err != nil {
		return "", err
	}
	var text string
	for _, block := range result.Blocks() {
		if t, ok := block.(mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text, nil
}
