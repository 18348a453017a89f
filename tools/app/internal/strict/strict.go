// Package strict gives tools the exact interface of a specification: its descriptions, input schemas and result
// members. A program keeps the interface as a JSON document beside its code, and puts [Interface.Adapt] into the
// profile of its tools.
package strict

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// Interface is the interface of tools in a specification, by tool.
type Interface map[string]Tool

// Tool is the interface of one tool.
type Tool struct {
	// Description replaces the description. Empty keeps it.
	Description string `json:"description"`
	// InputSchema replaces the input schema. Nil keeps it.
	InputSchema json.RawMessage `json:"inputSchema"`
	// Preset holds arguments that the specification lacks. Every call gets them.
	Preset map[string]json.RawMessage `json:"preset"`
	// NextSteps replace next steps that name parameters outside of the specification, by error code.
	NextSteps map[string]string `json:"nextSteps"`
	// Result changes the members of a structured result, in place. Nil changes nothing.
	Result func(args, result Object) `json:"-"`
}

// Object is a JSON object, by member.
type Object map[string]json.RawMessage

// Rename moves the value of a member to another name. A missing member stays missing.
func (o Object) Rename(from, to string) {
	if value, ok := o[from]; ok {
		delete(o, from)
		o[to] = value
	}
}

// Copy repeats the value of a member under another name.
func (o Object) Copy(from, to string) {
	if value, ok := o[from]; ok {
		o[to] = value
	}
}

// Parse parses a document: an object with a [Tool] for each name.
func Parse(document []byte) (Interface, error) {
	var i Interface
	if err := json.Unmarshal(document, &i); err != nil {
		return nil, fmt.Errorf("parse strict tools: %w", err)
	}
	return i, nil
}

// Adapt returns a tool with its interface of the specification. A tool without one stays as it is. It is a
// tools.Profile.Adapt.
func (i Interface) Adapt(t mcp.ServerTool) mcp.ServerTool {
	own, ok := i[t.Tool().Name]
	if !ok {
		return t
	}
	t = t.With(mcp.ToolOptions{Description: own.Description, InputSchema: own.InputSchema, NoOutputSchema: own.Result != nil})
	return t.Wrap(own.middleware)
}

// middleware adds Preset to the arguments and applies Result. Specifications have the type number for integers too, so
// that 5.0 is a valid argument: it becomes 5.
func (t Tool) middleware(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, raw json.RawMessage) (*mcp.ToolResult, error) {
		args := Object{}
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &args); err != nil {
				return nil, fmt.Errorf("decode arguments: %w", err)
			}
		}
		for name, value := range args {
			if whole, tail, ok := strings.Cut(string(value), "."); ok && value[0] != '"' && value[0] != '{' && value[0] != '[' && strings.Trim(tail, "0") == "" {
				args[name] = json.RawMessage(whole)
			}
		}
		maps.Copy(args, t.Preset)
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("encode arguments: %w", err)
		}
		result, err := next(mcp.KeepStructured(ctx), raw)
		if failure, ok := errors.AsType[*mcp.ToolError](err); ok && t.NextSteps[failure.Code] != "" {
			better := *failure
			better.Next = t.NextSteps[failure.Code]
			return result, &better
		}
		if err != nil || result == nil || result.IsError || result.Structured == nil {
			return result, err
		}
		if isTruncated(result.Structured) {
			result = t.withoutContinuation(result)
		}
		if t.Result == nil {
			return result, nil
		}
		var members Object
		if err := json.Unmarshal(result.Structured, &members); err != nil {
			return nil, fmt.Errorf("decode result: %w", err)
		}
		t.Result(args, members)
		changed := *result
		if changed.Structured, err = json.Marshal(members); err != nil {
			return nil, fmt.Errorf("encode result: %w", err)
		}
		return &changed, nil
	}
}

// isTruncated reports whether a structured result says that more follows. The last line of a complete file stays, whatever it is.
func isTruncated(structured json.RawMessage) bool {
	var r struct {
		Truncated  bool   `json:"truncated"`
		NextCursor string `json:"nextCursor"`
	}
	return json.Unmarshal(structured, &r) == nil && (r.Truncated || r.NextCursor != "")
}

// continuation matches the last line of a text that says how to get the rest of an answer.
var continuation = regexp.MustCompile(`\n\[[^\n]*\b(?:(?:startLine|offset|cursor)=|raise maxBytes\b)[^\n]*\]\n?$`)

// parameter matches the parameter that a continuation names.
var parameter = regexp.MustCompile(`\b(startLine|offset|cursor|maxBytes)\b`)

// withoutContinuation removes the last line of a truncated text if it names a parameter that the specification lacks.
func (t Tool) withoutContinuation(result *mcp.ToolResult) *mcp.ToolResult {
	blocks := slices.Clone(result.Content)
	for i, block := range blocks {
		text, ok := block.(mcp.TextContent)
		if !ok {
			continue
		}
		at := continuation.FindStringIndex(text.Text)
		if at != nil && !bytes.Contains(t.InputSchema, []byte(`"`+parameter.FindString(text.Text[at[0]:])+`"`)) {
			text.Text = text.Text[:at[0]] + "\n[truncated]"
			blocks[i] = text
		}
	}
	changed := *result
	changed.Content = blocks
	return &changed
}
