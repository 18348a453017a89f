package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp/schema"
)

// RawHandler runs a tool on arguments that have passed its schema, with
// defaults filled in.
type RawHandler func(ctx context.Context, args json.RawMessage) (*ToolResult, error)

// ToolMiddleware wraps a tool's handler; it sees checked arguments.
type ToolMiddleware func(RawHandler) RawHandler

// None is the result type of a tool that has nothing to tell but that it is
// done.
type None struct{}

// ToolOptions are set with ServerTool.With. Zero values keep what is set.
type ToolOptions struct {
	// Description replaces the description of the tool.
	Description string
	// EditDescriptions edits the listed descriptions of the tool and of its
	// parameters. It returns an empty text to leave one out.
	EditDescriptions func(description string) string
	// Timeout ends the call's context. It stops while the tool waits for an
	// answer from its client.
	Timeout time.Duration
	// HardTimeout ends the call's context whatever it waits for. Default: ten
	// times Timeout.
	HardTimeout time.Duration
	// MaxResult bounds the bytes of a result's content. Default 10 MB.
	MaxResult int
	// Unlisted hides the tool from lists; it can be called.
	Unlisted bool
	// Permissions are what a caller must have been given, such as
	// "issues:write". They are not in lists; ServerOptions.Authorize
	// decides by them. An empty slice that is not nil takes away what is set.
	Permissions []string
	// NoOutputSchema leaves the schema of the result out of what is listed: it
	// costs a model as much as that of the arguments. Results stay as they are.
	NoOutputSchema bool
	// Meta are members that are added to the tool's _meta; nil takes one away.
	Meta Meta
	// Gate bounds how many calls run at once, of all tools that have the same.
	Gate *Gate
	// Task says whether calls are tasks, see ServerOptions.Tasks, without which they
	// never are. In a task neither Timeout nor HardTimeout counts, but how long the
	// task is kept; Progress is what it says of itself; and a question waits in it
	// until whoever looks after it answers.
	Task TaskSupport
	// TaskLate lets the handler say when its call becomes a task, see BecomeTask.
	// Until then it may put questions as in any other call: what can be asked before
	// there is a task should be.
	TaskLate bool
	// Defaults and Enums replace those of the schema, by property path such as
	// "depth" or "options.depth": in what the model sees, in what is checked
	// and in what is filled in.
	Defaults map[string]any
	Enums    map[string][]any
	// Reference judges what the compiled checker does not, in a schema that was
	// given as JSON: reference.Validator of package mcp/schema/reference. It is
	// not linked by itself, for it slows the start of every program that has it.
	Reference func(document []byte) (schema.Validator, error)
}

// ServerTool is a tool with its handler: a value that can be registered in any
// number of servers, changed into another, or called in process.
type ServerTool struct {
	tool                     Tool
	input                    *schema.Schema
	run                      RawHandler
	opts                     ToolOptions
	remake                   func(schema.Options) (*schema.Schema, error) // the input schema with overrides
	inputErr, outputErr, err error                                        // what is wrong with the schemas, and with the tool as a whole
}

// NewTool makes a tool from a typed handler. In is a struct; its schema comes
// from its fields and tags, see package schema. What is wrong with either type
// is reported when the tool is registered or called.
//
// Out decides the result: a string is text; a struct, map, slice or scalar is
// structured content with the same JSON as text, or its own text if it has a
// method TextContent() string, after which TextNote() string, if it has that too
// and it is not empty, is a text of its own; None is an empty result; *ToolResult
// is passed through. A returned error is a result that the model reads (isError), unless
// it is a *Error.
func NewTool[In, Out any](t Tool, h func(context.Context, In) (Out, error)) ServerTool {
	st := ServerTool{tool: t}
	st.remake = func(o schema.Options) (*schema.Schema, error) { return schema.Input(reflect.TypeFor[In](), o) }
	if t.InputSchema != nil {
		st.remake = func(o schema.Options) (*schema.Schema, error) { return schema.Compile(t.InputSchema, o) }
	}
	st.input, st.inputErr = st.remake(schema.Options{})
	encode, output, err := encoderFor[Out]()
	st.outputErr = err
	if output != nil && t.OutputSchema == nil {
		st.tool.OutputSchema = output
	}
	st.run = func(ctx context.Context, args json.RawMessage) (*ToolResult, error) {
		var in In
		if err := unmarshal(args, &in); err != nil {
			return nil, &ToolError{Code: "INVALID_PARAMS", Message: "the arguments do not fit: " + err.Error(), Err: err}
		}
		out, err := h(ctx, in)
		if err != nil {
			return nil, err
		}
		return encode(out)
	}
	return st.finish()
}

// NewRawTool makes a tool whose schema is known only at run time. The
// arguments are checked against t.InputSchema before h sees them.
func NewRawTool(t Tool, h RawHandler) ServerTool {
	st := ServerTool{tool: t, run: h}
	st.remake = func(o schema.Options) (*schema.Schema, error) { return schema.Compile(t.InputSchema, o) }
	st.input, st.inputErr = st.remake(schema.Options{})
	return st.finish()
}

// finish gathers what is wrong with the tool, and shows its schema if nothing is.
func (t ServerTool) finish() ServerTool {
	problems := &multierror.Error{ErrorFormat: oneLine}
	for _, err := range []error{checkName(t.tool.Name), t.inputErr, t.outputErr} {
		if err != nil {
			problems.Errors = append(problems.Errors, err)
		}
	}
	if t.err = problems.ErrorOrNil(); t.err != nil {
		t.err = fmt.Errorf("tool %q: %w", t.tool.Name, t.err)
		return t
	}
	t.tool.InputSchema = t.input.JSON()
	if t.opts.EditDescriptions != nil {
		t.tool.InputSchema, t.err = schema.EditDescriptions(t.tool.InputSchema, t.opts.EditDescriptions)
	}
	return t
}

// Tool returns what a model sees.
func (t ServerTool) Tool() Tool { return t.tool }

// Err returns what is wrong with the tool, or nil.
func (t ServerTool) Err() error { return t.err }

func (t *ServerTool) key() string  { return t.tool.Name }
func (t *ServerTool) shown() Tool  { return t.tool }
func (t *ServerTool) hidden() bool { return t.opts.Unlisted }
func (t *ServerTool) append(dst []byte) []byte {
	dst = t.tool.appendJSON(dst, Latest)
	for _, p := range t.opts.Permissions { // who sees the tool depends on them
		dst = append(append(dst, 0), p...)
	}
	return append(append(dst, 0), t.tool.task...) // which the latest revision does not list
}

// Permissions returns what a caller must have been given; see ToolOptions.
func (t ServerTool) Permissions() []string { return slices.Clone(t.opts.Permissions) }

// Options returns the options that are set.
func (t ServerTool) Options() ToolOptions { return t.opts }

// With returns the tool with the options that are not zero.
func (t ServerTool) With(o ToolOptions) ServerTool {
	set(&t.tool.Description, o.Description)
	if o.EditDescriptions != nil {
		t.opts.EditDescriptions = o.EditDescriptions
		t.tool.Description = o.EditDescriptions(t.tool.Description)
	}
	set(&t.opts.Timeout, o.Timeout)
	set(&t.opts.HardTimeout, o.HardTimeout)
	set(&t.opts.MaxResult, o.MaxResult)
	set(&t.opts.Unlisted, o.Unlisted)
	set(&t.opts.Gate, o.Gate)
	set(&t.opts.Task, o.Task)
	set(&t.opts.TaskLate, o.TaskLate)
	if o.NoOutputSchema {
		t.opts.NoOutputSchema, t.tool.OutputSchema = true, nil
	}
	if o.Reference != nil {
		t.opts.Reference = o.Reference
	}
	if o.Meta != nil {
		t.tool.Meta = merged(t.tool.Meta, o.Meta)
		maps.DeleteFunc(t.tool.Meta, func(_ string, value any) bool { return value == nil })
	}
	if o.Permissions != nil {
		t.opts.Permissions = slices.Clone(o.Permissions)
	}
	if o.Defaults == nil && o.Enums == nil && o.Reference == nil {
		if o.EditDescriptions != nil && t.err == nil {
			return t.finish()
		}
		return t
	}
	t.opts.Defaults = merged(t.opts.Defaults, o.Defaults)
	t.opts.Enums = merged(t.opts.Enums, o.Enums)
	input, err := t.remake(schema.Options{Defaults: t.opts.Defaults, Enums: t.opts.Enums, Reference: t.opts.Reference})
	t.input, t.inputErr = input, err
	return t.finish()
}

// Named returns the tool under another name.
func (t ServerTool) Named(name string) ServerTool {
	t.tool.Name = name
	return t.finish()
}

// Describe returns the tool with another description.
func (t ServerTool) Describe(description string) ServerTool {
	t.tool.Description = description
	return t
}

// Wrap returns the tool with middleware around its handler; the first is the
// outermost.
func (t ServerTool) Wrap(middleware ...ToolMiddleware) ServerTool {
	for i := len(middleware) - 1; i >= 0; i-- {
		t.run = middleware[i](t.run)
	}
	return t
}

// Call checks the arguments and runs the tool in process. What the tool fails
// with is a result with IsError, as a client would see it; the error is a
// protocol error, or what is wrong with the tool itself. Questions to a user
// need a context from a server's call.
func (t ServerTool) Call(ctx context.Context, args json.RawMessage) (*ToolResult, error) {
	if t.err != nil {
		return nil, t.err
	}
	checked, err := t.input.Prepare(args)
	if err != nil {
		return invalidArguments(err), nil
	}
	result, err := t.invoke(ctx, checked)
	return settle(result, err)
}

// invalidArguments is the result for arguments that the schema refuses.
func invalidArguments(err error) *ToolResult {
	return errorResult(&ToolError{Code: "INVALID_PARAMS", Message: err.Error(), Next: "correct the arguments and call again", Err: err})
}

// settle turns a tool's failure into the result that the model reads, and lets
// protocol errors pass.
func settle(result *ToolResult, err error) (*ToolResult, error) {
	switch {
	case err == nil && result == nil:
		return &ToolResult{}, nil
	case err == nil:
		return result, nil
	}
	var protocol *Error
	if errors.As(err, &protocol) {
		return nil, err // what is around it may matter to a transport
	}
	return errorResult(err), nil
}

func set[T comparable](dst *T, v T) {
	var zero T
	if v != zero {
		*dst = v
	}
}

func merged[V any](base, over map[string]V) map[string]V {
	all := make(map[string]V, len(base)+len(over))
	for key, value := range base {
		all[key] = value
	}
	for key, value := range over {
		all[key] = value
	}
	return all
}
