// Command agent lets a language model work on the files of a directory with the tools of this library, which run in its own
// process. The model is behind an API that is compatible with that of OpenAI (chat completions) or of Anthropic (messages):
//
//	OPENAI_API_KEY=…    agent -model MODEL "What does this project do?"
//	ANTHROPIC_API_KEY=… agent -api anthropic -model MODEL -write "Fix the typo in the README"
//	agent -url http://127.0.0.1:11434/v1 -model MODEL "…"
//
// Without -write no tool is offered that changes a file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/modelapi"
)

// maxTurns limits the answers of a model that does not come to an end.
const maxTurns = 50

// maxCalls limits the calls of one answer, since the results of all are held in memory.
const maxCalls = 100

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	var a api
	flags.StringVar(&a.kind, "api", "openai", "form of the API: openai or anthropic")
	flags.StringVar(&a.url, "url", "", "base URL of the API, up to and including /v1 (default that of the company)")
	flags.StringVar(&a.model, "model", "", "name of the model")
	dir := flags.String("dir", ".", "directory to work in")
	write := flags.Bool("write", false, "let the model change files")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	task := strings.Join(flags.Args(), " ")
	if task == "" || a.model == "" {
		return errors.New("give -model and a task")
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{*dir}, ReadOnly: !*write})
	if err != nil {
		return err
	}
	defer root.Close()
	files, err := fs.New(tools.Env{Root: root}, fs.Options{})
	if err != nil {
		return err
	}
	box, err := tools.NewBox(ctx, tools.BoxOptions{Profile: tools.Profile{ReadOnly: !*write}}, files)
	if err != nil {
		return errors.Join(err, files.Close(ctx))
	}
	defer func() { err = errors.Join(err, box.Close(context.WithoutCancel(ctx))) }()
	model, err := a.open(getenv, box.Tools())
	if err != nil {
		return err
	}
	answer, err := converse(ctx, model, box, task, out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, answer)
	return err
}

// model is a conversation with a language model.
type model interface {
	// ask sends a text of the user.
	ask(ctx context.Context, text string) (turn, error)
	// answer sends the results of all calls of the last turn.
	answer(ctx context.Context, results []result) (turn, error)
}

// turn is one message of a model: text, calls, or both.
type turn struct {
	text  string
	calls []call
}

// call is a call that a model asks for, result its outcome as text.
type (
	call   struct{ id, tool, args string }
	result struct {
		id, text string
		failed   bool
	}
)

// converse executes the calls of a model until it answers without one, and returns that answer. A failed call is told to the model,
// which can correct it. Calls are printed to out.
func converse(ctx context.Context, m model, box *tools.Box, task string, out io.Writer) (string, error) {
	turn, err := m.ask(ctx, task)
	for range maxTurns {
		if err != nil {
			return "", err
		}
		if len(turn.calls) == 0 {
			return turn.text, nil
		}
		if len(turn.calls) > maxCalls {
			return "", fmt.Errorf("the model asks for %d calls at once, more than %d", len(turn.calls), maxCalls)
		}
		var results []result
		for _, c := range turn.calls {
			fmt.Fprintf(out, "[%s %s]\n", c.tool, c.args)
			r, err := box.Call(ctx, c.tool, []byte(c.args))
			if err != nil && ctx.Err() != nil {
				return "", err
			}
			if err != nil {
				results = append(results, result{c.id, err.Error(), true})
				continue
			}
			results = append(results, result{c.id, modelapi.Text(r), r.IsError})
		}
		turn, err = m.answer(ctx, results)
	}
	return "", fmt.Errorf("the model has not come to an answer in %d turns", maxTurns)
}
