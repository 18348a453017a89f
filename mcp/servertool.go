package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

// RawHandler runs a tool. args are validated, with defaults filled in.
type RawHandler func(ctx context.Context, args json.RawMessage) (*ToolResult, error)

// ToolMiddleware wraps the handler of a tool. It receives validated arguments. If it reads
// ToolResult.Structured, it must call the handler with KeepStructured.
type ToolMiddleware func(RawHandler) RawHandler

// None is the result type of a tool without a result.
type None struct{}

// ToolOptions configures a tool; see ServerTool.With. Zero values keep the current setting. A
// negative limit restores the default.
type ToolOptions struct {
	// Description replaces the description of the tool.
	Description string
	// EditDescriptions edits the listed descriptions of the tool and of its parameters. An empty
	// result removes a description.
	EditDescriptions func(description string) string
	// CompactInput lists the input schema without bounds; see schema.Compact. The check of arguments
	// does not change.
	CompactInput bool
	// Timeout limits the time of a call. It is suspended while the tool waits for an answer of its
	// client. Default, and with a negative value: no limit.
	Timeout time.Duration
	// HardTimeout limits the time including waits. Default ten times Timeout; it applies only with
	// Timeout.
	HardTimeout time.Duration
	// MaxResult limits the content of a result, in bytes. Default 10 MiB.
	MaxResult int
	// Unlisted omits the tool from lists; clients can still call it. Listed undoes Unlisted.
	Unlisted, Listed bool
	// Permissions are the permissions that a caller needs, for example "issues:write". Lists do not
	// contain them; ServerOptions.Authorize decides by them. An empty slice that is not nil removes
	// the current ones.
	Permissions []string
	// NoOutputSchema omits the output schema from lists, because it costs a model as many tokens as
	// the input schema. Results do not change.
	NoOutputSchema bool
	// Structured decides which clients receive the structured content of results, and the output
	// schema in lists. Default: ServerOptions.Structured.
	Structured StructuredPolicy
	// Meta holds members to add to the tool's _meta; a nil value removes a member.
	Meta Meta
	// Gate limits the concurrent calls of all tools with the same Gate.
	Gate *Gate
	// Task decides whether calls are tasks. It needs ServerOptions.Tasks. The time to live of a
	// task replaces Timeout and HardTimeout. Progress sets the status message of the task, and a
	// question waits in the task until a client answers it.
	Task TaskSupport
	// DeferTask lets the handler decide when its call becomes a task; see BecomeTask. Before that,
	// questions work as in any other call, so a handler should ask them early.
	DeferTask bool
	// InputSchema replaces the input schema of the tool. Arguments are checked against it and get its
	// defaults; then the handler decodes them as usual, so that it must know all of its properties.
	// Defaults, enumerations and names of arguments of earlier options are
	// dropped.
	InputSchema json.RawMessage
	// Defaults and Enums replace those of the schema. Keys are property paths, for example "depth"
	// or "options.depth". They change the listed schema, the validation and the defaults that are
	// filled in.
	Defaults map[string]any
	Enums    map[string][]any
	// ArgumentNames and UnlistedArguments change the names under which arguments are listed, by property path; the handler
	// receives its own names, which stay accepted. ArgumentSynonyms returns further accepted names. See schema.Options: Names,
	// Unlisted, Synonyms.
	ArgumentNames     map[string]string
	UnlistedArguments []string
	ArgumentSynonyms  func(arguments []string) map[string]string
	// Reference compiles the parts of a JSON schema that package schema does not compile:
	// reference.Validator of package mcp/schema/reference. It must be set explicitly, because
	// linking it slows the start of a program.
	Reference func(document []byte) (schema.Validator, error)
}

// ServerTool is a tool with its handler. It is a value: it can be registered in any number of
// servers, modified by methods that return copies, and called in process.
type ServerTool struct {
	tool                     Tool                           // public description
	input                    *schema.Schema                 // validates arguments
	run                      RawHandler                     // handler with middleware
	output                   func() (*schema.Schema, error) // schema of structured content; nil if there is none
	ownOutput                json.RawMessage                // Tool.OutputSchema of the author, or nil
	opts                     ToolOptions
	forPages                 bool                                         // under StructuredAuto: pages of MCP Apps read the results
	textIsJSON               bool                                         // results of NewTool have no text of their own
	compileInput             func(schema.Options) (*schema.Schema, error) // compiles the input schema with overrides
	handlerErr               error                                        // problem of the handler or of middleware
	inputErr, outputErr, err error                                        // problems of the schemas, and all problems
}

// NewTool returns a tool with a typed handler. In is a struct; its fields and tags define the input
// schema, see package schema. Problems of either type are reported at registration or call.
//
// Out defines the result. A string becomes text. A struct, map, slice or scalar becomes structured
// content, with the same JSON as text. If it has a method TextContent() string, that text is sent
// in place of the JSON; a method TextNote() string may add a second block. A block, for example
// ImageContent, a list of blocks, and pointers to blocks become content without structure;
// TypedResult is a value with further blocks. None becomes an empty result, and *ToolResult is sent
// unchanged. A nil pointer is a failure of the tool. A returned error becomes a result with isError
// for the model, unless it is itself a *protocol.Error.
func NewTool[In, Out any](t Tool, h func(context.Context, In) (Out, error)) ServerTool {
	st := ServerTool{tool: t}
	if h == nil {
		st.handlerErr = errNoHandler
	}
	st.compileInput = func(o schema.Options) (*schema.Schema, error) { return schema.Input(reflect.TypeFor[In](), o) }
	if t.InputSchema != nil {
		st.compileInput = func(o schema.Options) (*schema.Schema, error) { return schema.Compile(t.InputSchema, o) }
	}
	st.input, st.inputErr = st.compileInput(schema.Options{})
	encoder, err := encoderFor[Out]()
	st.outputErr, st.textIsJSON = err, encoder.textIsJSON
	switch {
	case t.OutputSchema != nil:
		st.output, st.ownOutput = compileOutput(t.OutputSchema, nil), t.OutputSchema
	case encoder.output != nil:
		st.tool.OutputSchema = encoder.output.JSON()
		st.output = func() (*schema.Schema, error) { return encoder.output, nil }
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
		return encoder.encode(ctx, out)
	}
	return st.check()
}

// NewRawTool returns a tool with a schema that is known only at run time. Arguments are validated
// against t.InputSchema before h receives them.
func NewRawTool(t Tool, h RawHandler) ServerTool {
	st := ServerTool{tool: t, run: h}
	if h == nil {
		st.handlerErr = errNoHandler
	}
	st.compileInput = func(o schema.Options) (*schema.Schema, error) { return schema.Compile(t.InputSchema, o) }
	st.input, st.inputErr = st.compileInput(schema.Options{})
	if t.OutputSchema != nil {
		st.output, st.ownOutput = compileOutput(t.OutputSchema, nil), t.OutputSchema
	}
	return st.check()
}

// compileOutput returns a function that compiles an output schema at its first call.
func compileOutput(raw json.RawMessage, reference func([]byte) (schema.Validator, error)) func() (*schema.Schema, error) {
	return sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(raw, schema.Options{Reference: reference}) })
}

// errNoHandler is the problem of a tool with a nil handler.
var errNoHandler = errors.New("it has no handler")

// errNilContext is the error of a call in process without a context.
var errNilContext = errors.New("the context is nil")

// check collects the problems of the tool. If there are none, it sets the listed input schema.
func (t ServerTool) check() ServerTool {
	problems := &multierror.Error{ErrorFormat: joinErrors}
	for _, err := range []error{checkName(t.tool.Name), t.handlerErr, t.inputErr, t.outputErr, t.opts.Structured.check()} {
		if err != nil {
			problems.Errors = append(problems.Errors, err)
		}
	}
	if t.err = problems.ErrorOrNil(); t.err != nil {
		t.err = fmt.Errorf("tool %q: %w", t.tool.Name, t.err)
		return t
	}
	t.tool.InputSchema = t.input.JSON()
	if t.opts.CompactInput {
		if t.tool.InputSchema, t.err = schema.Compact(t.tool.InputSchema); t.err != nil {
			t.err = fmt.Errorf("tool %q: list the input schema: %w", t.tool.Name, t.err)
			return t
		}
	}
	if t.opts.EditDescriptions != nil {
		t.tool.InputSchema, t.err = schema.EditDescriptions(t.tool.InputSchema, t.opts.EditDescriptions)
	}
	return t
}

// Tool returns the public description.
func (t ServerTool) Tool() Tool { return t.tool }

// Err returns the problems of the definition, or nil.
func (t ServerTool) Err() error {
	if t.err == nil && t.compileInput == nil {
		return errors.New("the tool was not made by NewTool or NewRawTool")
	}
	return t.err
}

func (t *ServerTool) key() string  { return t.tool.Name }
func (t *ServerTool) item() Tool   { return t.tool }
func (t *ServerTool) hidden() bool { return t.opts.Unlisted }
func (t *ServerTool) append(dst []byte) []byte {
	dst = t.tool.appendJSON(dst, protocol.Latest)
	for _, p := range t.opts.Permissions { // permissions decide which callers see the tool
		dst = append(append(dst, 0), p...)
	}
	return append(append(dst, 0), t.tool.task...) // not part of the latest revision
}

// TextIsJSON reports whether the text of results is a copy of their JSON, because the type of the
// result has no method TextContent; see NewTool. It is false for a raw tool and for a tool that
// makes its own *ToolResult. A text for the model is shorter.
func (t ServerTool) TextIsJSON() bool { return t.textIsJSON }

// Permissions returns the permissions that a caller needs; see ToolOptions.
func (t ServerTool) Permissions() []string { return slices.Clone(t.opts.Permissions) }

// Options returns the current options.
func (t ServerTool) Options() ToolOptions { return t.opts }

// With returns a copy with the options of o that are not zero.
func (t ServerTool) With(o ToolOptions) ServerTool {
	setNonZero(&t.tool.Description, o.Description)
	if o.EditDescriptions != nil {
		t.opts.EditDescriptions = o.EditDescriptions
		t.tool.Description = o.EditDescriptions(t.tool.Description)
	}
	setLimit(&t.opts.Timeout, o.Timeout)
	setLimit(&t.opts.HardTimeout, o.HardTimeout)
	setLimit(&t.opts.MaxResult, o.MaxResult)
	setListed(&t.opts.Unlisted, o.Unlisted, o.Listed)
	setNonZero(&t.opts.Gate, o.Gate)
	setNonZero(&t.opts.Task, o.Task)
	setNonZero(&t.opts.DeferTask, o.DeferTask)
	setNonZero(&t.opts.Structured, o.Structured)
	setNonZero(&t.opts.CompactInput, o.CompactInput)
	if o.NoOutputSchema {
		t.opts.NoOutputSchema, t.tool.OutputSchema = true, nil
	}
	if o.Reference != nil {
		t.opts.Reference = o.Reference
		if t.ownOutput != nil {
			t.output = compileOutput(t.ownOutput, o.Reference)
		}
	}
	if o.Meta != nil {
		t.tool.Meta = mergeMaps(t.tool.Meta, o.Meta)
		maps.DeleteFunc(t.tool.Meta, func(_ string, value any) bool { return value == nil })
	}
	if o.Permissions != nil {
		t.opts.Permissions = slices.Clone(o.Permissions)
	}
	if o.InputSchema != nil {
		t.compileInput = func(with schema.Options) (*schema.Schema, error) { return schema.Compile(o.InputSchema, with) }
		t.opts.InputSchema, t.opts.Defaults, t.opts.Enums = o.InputSchema, nil, nil
		t.opts.ArgumentNames, t.opts.UnlistedArguments, t.opts.ArgumentSynonyms = nil, nil, nil
	}
	if !o.changesInput() {
		if (o.EditDescriptions != nil || o.Structured != "" || o.CompactInput) && t.err == nil {
			return t.check()
		}
		return t
	}
	t.opts.Defaults = mergeMaps(t.opts.Defaults, o.Defaults)
	t.opts.Enums = mergeMaps(t.opts.Enums, o.Enums)
	t.opts.ArgumentNames = mergeMaps(t.opts.ArgumentNames, o.ArgumentNames)
	if o.ArgumentSynonyms != nil {
		t.opts.ArgumentSynonyms = o.ArgumentSynonyms
	}
	t.opts.UnlistedArguments = slices.Concat(t.opts.UnlistedArguments, o.UnlistedArguments)
	input, err := t.compileInput(schema.Options{
		Defaults: t.opts.Defaults, Enums: t.opts.Enums, Reference: t.opts.Reference,
		Names: t.opts.ArgumentNames, Unlisted: t.opts.UnlistedArguments, Synonyms: t.opts.ArgumentSynonyms,
	})
	t.input, t.inputErr = input, err
	return t.check()
}

// changesInput reports whether the options change the input schema.
func (o ToolOptions) changesInput() bool {
	return o.InputSchema != nil || o.Defaults != nil || o.Enums != nil || o.Reference != nil ||
		o.ArgumentNames != nil || o.UnlistedArguments != nil || o.ArgumentSynonyms != nil
}

// Named returns a copy with another name.
func (t ServerTool) Named(name string) ServerTool {
	t.tool.Name = name
	return t.check()
}

// Describe returns a copy with another description.
func (t ServerTool) Describe(description string) ServerTool {
	t.tool.Description = description
	return t
}

// Wrap returns a copy with middleware around the handler; the first one is the outermost.
func (t ServerTool) Wrap(middleware ...ToolMiddleware) ServerTool {
	for _, m := range slices.Backward(middleware) {
		if m != nil {
			t.run = m(t.run)
		}
		if m == nil || t.run == nil {
			t.handlerErr = errors.New("a middleware is nil or has returned no handler")
			return t.check()
		}
	}
	return t
}

// Call validates the arguments and runs the tool in process, within its gate and its limits of time,
// which go on while the tool waits for an answer of a user. A failure of the tool is a result with
// IsError, as for a client, and a panic is logged, too. The error is a protocol error or a problem of
// the definition. Questions to a user need the context of a server's call. The middleware and the
// authorization of a server do not apply; transport.InProcess has them.
func (t ServerTool) Call(ctx context.Context, args json.RawMessage) (*ToolResult, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errNilContext
	}
	checked, err := t.input.Prepare(args)
	if err != nil {
		return invalidArguments(err), nil
	}
	place := gatePlace{gate: t.opts.Gate, principal: protocol.PrincipalFrom(ctx)}
	if err := place.enter(ctx); err != nil {
		return toToolResult(nil, err)
	}
	defer place.close()
	if t.opts.Timeout > 0 {
		var stop context.CancelFunc
		ctx, _, stop = startClock(ctx, t.opts.Timeout, t.opts.HardTimeout)
		defer stop()
	}
	return toToolResult(t.invoke(KeepStructured(ctx), checked))
}

// invalidArguments returns the result for arguments that the schema rejects.
func invalidArguments(err error) *ToolResult {
	return errorResult(&ToolError{Code: "INVALID_PARAMS", Message: err.Error(), Next: "correct the arguments and call again", Err: err})
}

// toToolResult converts the error of a tool to a result for the model. Protocol errors are returned as
// errors.
func toToolResult(result *ToolResult, err error) (*ToolResult, error) {
	switch {
	case err == nil && result == nil:
		return &ToolResult{}, nil
	case err == nil:
		return result, nil
	}
	if isProtocolError(err) {
		return nil, err // a transport may need the errors around it
	}
	return errorResult(err), nil
}

// setNonZero assigns v to *dst unless v is zero.
func setNonZero[T comparable](dst *T, v T) {
	var zero T
	if v != zero {
		*dst = v
	}
}

// setLimit assigns v to *dst unless v is zero. A negative v restores the default, zero.
func setLimit[T ~int | ~int64](dst *T, v T) {
	setNonZero(dst, v)
	*dst = max(*dst, 0)
}

// setListed sets or resets *dst, which omits a feature from lists.
func setListed(dst *bool, unlisted, listed bool) {
	if unlisted || listed {
		*dst = unlisted && !listed
	}
}

// mergeMaps returns a new map with the entries of both maps; those of over take precedence.
func mergeMaps[V any](base, over map[string]V) map[string]V {
	all := make(map[string]V, len(base)+len(over))
	for key, value := range base {
		all[key] = value
	}
	for key, value := range over {
		all[key] = value
	}
	return all
}
