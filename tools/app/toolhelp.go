package app

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// toolHelp is "call TOOL -help": it prints the arguments of the tool.
func (a *App) toolHelp(ctx context.Context, flags *flag.FlagSet) error {
	return a.withServer(ctx, func(p *Program, _ *transport.Options) error {
		tools, err := p.tools(ctx)
		if err == nil {
			tools, err = selectTools(tools, flags.Args()[:1])
		}
		if err != nil {
			return err
		}
		return a.printArguments(tools)
	})
}

// printArguments prints the description of each tool, and a table of its arguments.
func (a *App) printArguments(tools []mcp.Tool) error {
	columns := outputColumns(a.Stdout)
	for i, tool := range tools {
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		arguments, err := toolArguments(tool.InputSchema)
		if err != nil {
			return fmt.Errorf("reading the schema of %s: %w", tool.Name, err)
		}
		fmt.Fprintf(a.Stdout, "Usage: %s call %s%s\n", a.Name, tool.Name, exampleArguments(arguments))
		if tool.Description != "" {
			fmt.Fprintf(a.Stdout, "\n%s\n", strings.Join(wrap(tool.Description, columns), "\n"))
		}
		if len(arguments) == 0 {
			fmt.Fprintln(a.Stdout, "\nIt takes no arguments.")
			continue
		}
		fmt.Fprintln(a.Stdout)
		printArgumentTable(a, arguments, columns)
	}
	return nil
}

// exampleArguments returns the required arguments as KEY=VALUE words, each after a space.
func exampleArguments(arguments []toolArgument) string {
	var b strings.Builder
	optional := false
	for _, arg := range arguments {
		if arg.required {
			fmt.Fprintf(&b, " %s=…", arg.name)
		} else {
			optional = true
		}
	}
	if optional {
		b.WriteString(" [KEY=VALUE…]")
	}
	return b.String()
}

// printArgumentTable prints the names, types, defaults and descriptions of arguments. The
// description is wrapped in the last column, or follows below where the columns before it
// leave no room.
func printArgumentTable(a *App, arguments []toolArgument, columns int) {
	const minDescription = 24
	rows := [][4]string{{"ARGUMENT", "TYPE", "REQUIRED", "DEFAULT"}}
	texts := []string{"DESCRIPTION"}
	for _, arg := range arguments {
		required := ""
		if arg.required {
			required = "yes"
		}
		rows = append(rows, [4]string{arg.name, arg.kind, required, arg.fallback})
		texts = append(texts, arg.description)
	}
	var widths [4]int
	total := 2
	for i := range widths {
		for _, row := range rows {
			widths[i] = max(widths[i], textColumns(row[i]))
		}
		total += widths[i] + 2
	}
	room := max(columns-total, minDescription)
	for i, row := range rows {
		line := "  "
		for j, cell := range row {
			line += cell + strings.Repeat(" ", widths[j]-textColumns(cell)+2)
		}
		for j, text := range wrap(texts[i], room) {
			if j > 0 {
				line = strings.Repeat(" ", total)
			}
			fmt.Fprintln(a.Stdout, strings.TrimRight(line+text, " "))
		}
	}
}

// toolArgument is one property of the input schema of a tool.
type toolArgument struct {
	name, kind, fallback, description string
	required                          bool
}

// argumentSchema is the part of a JSON Schema that the table of arguments shows.
type argumentSchema struct {
	Type        json.RawMessage   `json:"type"`
	Enum        []json.RawMessage `json:"enum"`
	Items       *argumentSchema   `json:"items"`
	Properties  json.RawMessage   `json:"properties"`
	AnyOf       []argumentSchema  `json:"anyOf"`
	OneOf       []argumentSchema  `json:"oneOf"`
	Ref         string            `json:"$ref"`
	Default     json.RawMessage   `json:"default"`
	Description string            `json:"description"`
	Minimum     json.RawMessage   `json:"minimum"`
	Maximum     json.RawMessage   `json:"maximum"`
}

// toolArguments returns the arguments of a tool: first the required ones, each group in the
// order of the schema.
func toolArguments(schema json.RawMessage) ([]toolArgument, error) {
	var input struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(schema) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(schema, &input); err != nil {
		return nil, err
	}
	if len(input.Properties) == 0 {
		return nil, nil
	}
	required := make(map[string]bool)
	for _, name := range input.Required {
		required[name] = true
	}
	var first, others []toolArgument
	err := eachMember(input.Properties, func(name string, value json.RawMessage) {
		var property argumentSchema
		_ = json.Unmarshal(value, &property) // the schema true allows every value
		arg := property.argument(name)
		if arg.required = required[name]; arg.required {
			first = append(first, arg)
		} else {
			others = append(others, arg)
		}
	})
	return append(first, others...), err
}

// eachMember calls use for each member of a JSON object, in the order of the text.
func eachMember(object json.RawMessage, use func(name string, value json.RawMessage)) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		use(fmt.Sprint(name), value)
	}
	return nil
}

// maxKindColumns is the width above which the values of an enumeration are in the description.
const maxKindColumns = 24

func (s *argumentSchema) argument(name string) toolArgument {
	arg := toolArgument{name: name, kind: s.kind(), fallback: plainJSON(s.Default), description: s.Description}
	if textColumns(arg.kind) > maxKindColumns {
		if len(s.Enum) > 0 {
			arg.description = strings.TrimSpace(arg.description + " One of: " + strings.ReplaceAll(arg.kind, "|", ", "))
			arg.kind = cmp.Or(plainJSON(s.Type), "any")
		}
	}
	if members := s.members(); len(members) > 0 {
		arg.description = strings.TrimSpace(arg.description + " {" + strings.Join(members, ", ") + "}")
	}
	var limits string
	switch lowest, highest := plainJSON(s.Minimum), plainJSON(s.Maximum); {
	case lowest != "" && highest != "":
		limits = lowest + " to " + highest
	case lowest != "":
		limits = "at least " + lowest
	case highest != "":
		limits = "at most " + highest
	}
	if limits != "" {
		arg.description = strings.TrimSpace(arg.description + " (" + limits + ")")
	}
	return arg
}

// members returns the names of the members of an object, or of the objects in an array.
func (s *argumentSchema) members() []string {
	if s.Items != nil {
		return s.Items.members()
	}
	var names []string
	if len(s.Properties) > 0 {
		_ = eachMember(s.Properties, func(name string, _ json.RawMessage) { names = append(names, name) }) // the names before an error are enough for a hint
	}
	return names
}

// kind returns the type in words: the values of an enumeration, "list of …" for an array, and
// the alternatives separated by "|".
func (s *argumentSchema) kind() string {
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, plainJSON(v))
		}
		return strings.Join(values, "|")
	}
	var kinds []string
	if err := json.Unmarshal(s.Type, &kinds); err != nil {
		kinds = nil
		if kind := plainJSON(s.Type); kind != "" {
			kinds = []string{kind}
		}
	}
	if len(kinds) == 0 {
		for _, one := range append(s.AnyOf, s.OneOf...) {
			kinds = append(kinds, one.kind())
		}
	}
	for i, kind := range kinds {
		if kind == "array" && s.Items != nil {
			kinds[i] = "list of " + s.Items.kind()
		}
	}
	return cmp.Or(strings.Join(kinds, "|"), s.Ref[strings.LastIndexByte(s.Ref, '/')+1:], "any")
}

// plainJSON returns a JSON value as people write it: strings without quotes.
func plainJSON(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
