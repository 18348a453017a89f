package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/calllog"
	"github.com/dougu-go/dougu/transport"
)

func (a *App) callFlags(flags *flag.FlagSet) {
	flags.Bool("json", false, "print the complete result as JSON")
	flags.Bool("yes", false, "agree to all questions of the tool, for scripts")
}

// errTool reports that a tool has returned an error result. The result has been printed.
var errTool = errors.New("the tool failed")

// call is the command call: it runs one tool through a client and the complete protocol,
// and prints the result.
func (a *App) call(ctx context.Context, flags *flag.FlagSet) error {
	if flags.NArg() == 0 {
		return a.usageError(fmt.Errorf("call needs the name of a tool; \"%s tools\" lists them", a.Name))
	}
	name, yes := flags.Arg(0), isSet(flags, "yes")
	if slices.Contains(a.AskBefore, name) && !yes && a.hasTerminal() {
		if err := a.confirm(fmt.Sprintf("Run %s?", visible(strings.Join(flags.Args(), " ")))); err != nil {
			return fmt.Errorf("%s was not run: %w", name, err)
		}
	}
	return a.withServer(ctx, func(p *Program, opts *transport.Options) error {
		s := p.Server
		ctx := calllog.WithShownFailures(ctx)
		client, err := mcp.Connect(ctx, transport.InMemory{Server: s, Options: opts}, mcp.Implementation{Name: a.Name, Version: a.Version}, a.askingClient(yes))
		if err != nil {
			return err
		}
		args, err := arguments(ctx, client, name, flags.Args()[1:])
		if err == nil {
			err = a.callTool(ctx, client, name, args, isSet(flags, "json"))
		}
		return errors.Join(err, client.Close())
	})
}

// isSet reports whether a boolean flag is true.
func isSet(flags *flag.FlagSet, name string) bool { return flags.Lookup(name).Value.String() == "true" }

// askingClient returns options of a client that shows questions of a tool on the terminal.
// With yes it accepts all questions. Without a terminal and without yes the client does not
// support questions.
func (a *App) askingClient(yes bool) *mcp.ClientOptions {
	o := &mcp.ClientOptions{Timeout: -1}
	if !yes && !a.hasTerminal() {
		return o
	}
	o.Elicit = func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		agreed := mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage("{}")}
		if yes {
			return agreed, nil
		}
		switch err := a.confirm(visible(form.Message)); {
		case errors.Is(err, errRefused):
			return mcp.Answer[json.RawMessage]{Action: mcp.Decline}, nil
		case err != nil:
			return mcp.Answer[json.RawMessage]{}, err
		}
		return agreed, nil
	}
	return o
}

func (a *App) callTool(ctx context.Context, client *mcp.Client, name string, args map[string]any, raw bool) error {
	a.Progress("running " + name)
	result, err := client.CallTool(ctx, name, args, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) {
		text := cmp.Or(p.Message, "running "+name)
		if p.Total > 0 {
			text = fmt.Sprintf("%s, %.0f %%", text, 100*p.Progress/p.Total)
		}
		a.Progress(text)
	}})
	a.Progress("")
	if err != nil {
		return a.explainUnknown(ctx, client, name, err)
	}
	if raw {
		wire, err := result.AppendJSON(nil, protocol.Latest)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s\n", wire)
	} else {
		a.printContent(result)
	}
	if result.IsError {
		return errTool
	}
	return nil
}

// explainUnknown returns the error of a call. If the server does not list the tool, the error names the
// command that lists tools, and the flag that selects others.
func (a *App) explainUnknown(ctx context.Context, client *mcp.Client, name string, err error) error {
	refused, ok := errors.AsType[*protocol.Error](err)
	if !ok || refused.Code != protocol.CodeInvalidParams || !strings.HasPrefix(refused.Message, "Unknown tool") {
		return err
	}
	var known []string
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			break // the error of the call matters
		}
		known = append(known, tool.Name)
	}
	next := didYouMean(name, known, "")
	if next == "" {
		next = fmt.Sprintf("; \"%s tools\" lists the tools", a.Name)
		if a.serveFlagSet().Lookup("profile") != nil {
			next += ", and -profile selects others"
		}
	}
	return fmt.Errorf("there is no tool %q%s", name, next)
}

func (a *App) printContent(result *mcp.ToolResult) {
	for _, block := range result.Blocks() {
		switch b := block.(type) {
		case mcp.TextContent:
			fmt.Fprintln(a.Stdout, strings.TrimSuffix(b.Text, "\n"))
		case mcp.ResourceLink:
			fmt.Fprintln(a.Stdout, b.URI)
		case mcp.ImageContent:
			fmt.Fprintf(a.Stdout, "[%s, %d bytes; -json prints it]\n", b.MIMEType, len(b.Data))
		case mcp.AudioContent:
			fmt.Fprintf(a.Stdout, "[%s, %d bytes; -json prints it]\n", b.MIMEType, len(b.Data))
		case mcp.EmbeddedResource:
			fmt.Fprintf(a.Stdout, "%s\n%s\n", b.Resource.URI, b.Resource.Text)
		}
	}
}

// arguments parses KEY=VALUE words. A value is a string if the schema of the tool declares
// one, otherwise JSON. A value @FILE is replaced by the text of the file. A single word
// that is a JSON object is the complete arguments.
func arguments(ctx context.Context, client *mcp.Client, tool string, words []string) (map[string]any, error) {
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		var args map[string]any
		dec := json.NewDecoder(strings.NewReader(words[0]))
		dec.UseNumber()
		if err := dec.Decode(&args); err != nil {
			return nil, UsageErrorf("reading the arguments: %w", err)
		}
		return args, nil
	}
	types, err := parameterTypes(ctx, client, tool)
	if err != nil {
		return nil, err
	}
	args := make(map[string]any, len(words))
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			return nil, UsageErrorf("the argument %q is not of the form key=value", word)
		}
		if file, found := strings.CutPrefix(value, "@"); found {
			content, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("reading the value of %s: %w", key, err)
			}
			value = string(content)
		}
		args[key] = argument(types[key], value)
	}
	return args, nil
}

// argument returns value as JSON if the parameter is not a string and value is valid JSON.
// Other mistakes are reported by the schema check of the tool.
func argument(kind, value string) any {
	if kind != "string" && json.Valid([]byte(value)) {
		return json.RawMessage(value)
	}
	return value
}

// parameterTypes reads the JSON types of a tool's parameters from its schema, by parameter
// name.
func parameterTypes(ctx context.Context, client *mcp.Client, name string) (map[string]string, error) {
	for tool, err := range client.Tools(ctx) {
		if err != nil {
			return nil, err
		}
		if tool.Name != name {
			continue
		}
		var schema struct {
			Properties map[string]struct {
				Type string `json:"type"`
			} `json:"properties"`
		}
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			return nil, fmt.Errorf("reading the schema of %s: %w", name, err)
		}
		types := make(map[string]string, len(schema.Properties))
		for key, property := range schema.Properties {
			types[key] = property.Type
		}
		return types, nil
	}
	return nil, nil // an unlisted or unknown tool: the call reports the error
}
