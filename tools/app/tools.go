package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

func (a *App) toolsFlags(flags *flag.FlagSet) {
	flags.Bool("json", false, "print the definitions as tools/list returns them")
}

// tools is the command tools: it prints the tool definitions with their size, as a table or
// with -json as in tools/list. With names of tools it prints the arguments of these tools.
func (a *App) tools(ctx context.Context, flags *flag.FlagSet) (err error) {
	if flags.Lookup(rootFlag) != nil && len(a.options.project.dirs) == 0 {
		empty, clean, failed := emptyProject()
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, clean()) }()
		if err := setRoots(flags, []string{empty}); err != nil {
			return err
		}
	}
	return a.withServer(ctx, func(p *Program, _ *transport.Options) error {
		tools, err := p.tools(ctx)
		if err == nil && flags.NArg() > 0 {
			tools, err = selectTools(tools, flags.Args())
		}
		switch {
		case err != nil:
			return err
		case isSet(flags, "json"):
			return a.printDefinitions(tools)
		case flags.NArg() > 0:
			return a.printArguments(tools)
		}
		return a.printTable(tools)
	})
}

// selectTools returns the tools with the given names, in the order of the names.
func selectTools(tools []mcp.Tool, names []string) ([]mcp.Tool, error) {
	var known []string
	for _, tool := range tools {
		known = append(known, tool.Name)
	}
	var selected []mcp.Tool
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("there is no tool %q%s", name, didYouMean(name, known, ""))
		}
		selected = append(selected, tools[i])
	}
	return selected, nil
}

func (a *App) printDefinitions(tools []mcp.Tool) error {
	for _, tool := range tools {
		definition, err := tool.MarshalJSON()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s\n", definition); err != nil {
			return err
		}
	}
	return nil
}

// bytesPerToken is the assumed size of a token of a definition, in bytes.
const bytesPerToken = 4

// printTable prints a line for each tool. A terminal shows a long description on several lines.
func (a *App) printTable(tools []mcp.Tool) error {
	widest := 0
	for _, tool := range tools {
		widest = max(widest, len(tool.Name))
	}
	const bytesColumns = len("BYTES")
	line := func(name, size, description string) {
		fmt.Fprintf(a.Stdout, "%-*s  %-*s  ", widest, name, bytesColumns, size)
		a.printWrapped(description, widest+bytesColumns+4)
	}
	line("TOOL", "BYTES", "DESCRIPTION")
	total := 0
	for _, tool := range tools {
		definition, err := tool.MarshalJSON()
		if err != nil {
			return err
		}
		total += len(definition)
		summary, _, _ := strings.Cut(tool.Description, ". ")
		line(tool.Name, strconv.Itoa(len(definition)), strings.TrimSuffix(summary, "."))
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%d tools, %d bytes, about %d tokens\n", len(tools), total, total/bytesPerToken)
	return err
}
