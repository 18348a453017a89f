package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxResult is the default limit of the content of a result, in bytes. ToolOptions.MaxResult
// replaces it.
const maxResult = 10 << 20

// callParams holds the params of tools/call, prompts/get or resources/read, with undecoded values.
type callParams struct {
	name      string          // name of the tool or prompt, or URI of the resource
	arguments json.RawMessage // JSON object; {} if absent
	responses json.RawMessage // JSON object inputResponses, or nil
	state     string          // requestState
	task      json.RawMessage // params of a task that a client of a session requests, or nil
}

// readCall parses the params of method. subject is the name of the required member: "name" or
// "uri". Errors are protocol errors for the client.
func readCall(method, subject string, params json.RawMessage) (callParams, error) {
	var p callParams
	if len(params) == 0 || params[0] != '{' {
		return p, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s needs an object with the member %q", method, subject)
	}
	named := false
	members := jsonx.Object(params)
	for members.Next() {
		value := json.RawMessage(members.Value())
		var err error
		if string(members.Key()) == subject {
			p.name, err = jsonx.Unquote(value)
			named = err == nil
		} else {
			err = p.read(members.Key(), value)
		}
		if err != nil {
			return p, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the member %q of %s: %v", members.Key(), method, err)
		}
	}
	if err := members.Err(); err != nil {
		return p, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %v", err)
	}
	if !named {
		return p, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: %s needs the member %q", method, subject)
	}
	if p.arguments == nil || isNull(p.arguments) {
		p.arguments = json.RawMessage(`{}`)
	}
	return p, nil
}

// read parses a member other than the subject. Unknown members are ignored.
func (p *callParams) read(key []byte, value json.RawMessage) (err error) {
	switch string(key) {
	case "arguments":
		if p.arguments = value; value[0] != '{' && !isNull(value) {
			err = errors.New("must be an object")
		}
	case "inputResponses":
		if p.responses = value; value[0] != '{' {
			err = errors.New("must be an object")
		}
	case "requestState":
		p.state, err = jsonx.Unquote(value)
	case "task":
		if !isNull(value) {
			p.task = value
		}
	}
	return err
}

// callTool handles tools/call: it finds and authorizes the tool, and runs it as a call or as a
// task.
func (s *Server) callTool(ctx context.Context, reg *registry, req *protocol.Request) (protocol.Result, error) {
	params, err := readCall("tools/call", "name", req.Params)
	if err != nil {
		return nil, err
	}
	tool, own, err := s.findTool(ctx, reg, req, params.name)
	if err != nil {
		return s.refusalResponse(err)
	}
	if tool == nil {
		return nil, unknownTool(s.visibleNames(ctx, reg, req, own), params.name)
	}
	if s.opts.Authorize != nil {
		if err := s.opts.Authorize(ctx, req, *tool); err != nil {
			return s.refusalResponse(err)
		}
	}
	call := &Invocation{Request: req, Tool: params.name, server: s, tool: tool, canAsk: true}
	if tool.opts.Structured == StructuredAuto || tool.opts.Structured == StructuredNever {
		call.omitStructured = !tool.sendsStructured(s.structuredReachOf(req))
	}
	if req.Asker == nil {
		if err := s.openJournal(call, params); err != nil {
			return nil, err
		}
	}
	if s.opts.Tasks != nil && (tool.opts.Task != "" || params.task != nil) {
		switch task, err := isTask(req, tool, params.task); {
		case err != nil:
			return s.refusalResponse(err)
		case task:
			return s.callTask(ctx, call, tool, params)
		}
	}
	result, err := s.runTool(withCall(ctx, call), call, tool, params.arguments)
	return s.callResponse(call, params, result, err)
}

// callResponse returns the response to a call after its handler has returned: the pending questions,
// the error, or the result.
func (s *Server) callResponse(call *Invocation, p callParams, result *ToolResult, err error) (protocol.Result, error) {
	if len(call.journal.pending) > 0 {
		return s.inputRequired(call, p)
	}
	if err != nil {
		return nil, err
	}
	return s.finishResult(call, result), nil
}

// refusalResponse returns the response to a call that the server does not run because of the error why.
func (s *Server) refusalResponse(why error) (protocol.Result, error) {
	answer, err := toToolResult(nil, why)
	if err != nil {
		return nil, err
	}
	answer.server = s.serverInfo() // it was made for this answer
	return answer, nil
}

// runTool validates the arguments against the input schema and runs the tool within its limits.
// Invalid arguments are a result with an error.
func (s *Server) runTool(ctx context.Context, call *Invocation, tool *ServerTool, arguments json.RawMessage) (*ToolResult, error) {
	args, err := tool.input.Prepare(arguments)
	if err != nil {
		return invalidArguments(err), nil
	}
	return s.runChecked(ctx, call, tool, args)
}

// runChecked runs the tool with valid arguments. It enters the gate of the tool and starts its time
// limit. A task has no time limit here; its time to live limits it.
func (s *Server) runChecked(ctx context.Context, call *Invocation, tool *ServerTool, args json.RawMessage) (*ToolResult, error) {
	call.gate.gate, call.gate.principal = tool.opts.Gate, call.Request.Peer.Principal
	if err := call.gate.enter(ctx); err != nil {
		return toToolResult(nil, err)
	}
	defer call.gate.close()
	if tool.opts.Timeout > 0 && call.task() == nil {
		var stop context.CancelFunc
		ctx, call.clock, stop = startClock(ctx, tool.opts.Timeout, tool.opts.HardTimeout)
		defer stop()
	}
	if middleware := s.toolMiddleware.Load(); middleware != nil {
		wrapped := tool.Wrap(*middleware...)
		tool = &wrapped
	}
	return toToolResult(tool.invoke(ctx, args))
}

// invoke runs the handler. A panic, a timeout and a result over the size limit become errors for
// the model.
func (t *ServerTool) invoke(ctx context.Context, args json.RawMessage) (result *ToolResult, err error) {
	call := CallFrom(ctx)
	defer func() {
		if v := recover(); v != nil {
			log := slog.Default()
			if call != nil {
				log = call.server.opts.Log
			}
			log.ErrorContext(ctx, "panic in a tool", "tool", t.tool.Name, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, &ToolError{Code: "INTERNAL_ERROR", Message: "the tool " + t.tool.Name + " failed in an unexpected way", Next: "try other arguments, or another tool; the failure is in the server's log"}
		}
	}()
	checks := call != nil && call.server.opts.CheckResults
	if checks {
		ctx = KeepStructured(ctx) // the client may receive the text alone
	}
	result, err = t.run(ctx, args)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return nil, &ToolError{Code: "TIMEOUT", Message: fmt.Sprintf("%s did not end within %v", t.tool.Name, t.opts.Timeout), Next: "ask for less at once", Err: err}
	}
	if err != nil || result == nil {
		return result, err
	}
	blocks, err := checkBlocks(result.Content)
	if err != nil {
		return nil, &ToolError{Code: "INVALID_RESULT", Message: "the result of " + t.tool.Name + " is invalid: " + err.Error(), Next: nextAfterInvalidResult}
	}
	if len(blocks) > 0 && &blocks[0] != &result.Content[0] {
		own := *result
		own.Content, result = blocks, &own
	}
	if checks {
		if err := t.checkResult(result); err != nil {
			call.server.opts.Log.ErrorContext(ctx, "invalid result of a tool", "tool", t.tool.Name, "error", err)
			return nil, err
		}
	}
	return result, t.checkSize(result)
}

// nextAfterInvalidResult is the next step after a result that its tool must not return.
const nextAfterInvalidResult = "report the failure of the tool; the failure is in the server's log"

// checkResult returns a *ToolError if a result without an error does not match the output schema of
// the tool.
func (t *ServerTool) checkResult(result *ToolResult) error {
	if t.output == nil || result.IsError {
		return nil
	}
	output, err := t.output()
	switch {
	case err != nil:
		err = fmt.Errorf("the output schema cannot be checked: %w", err)
	case len(result.Structured) == 0:
		err = errors.New("it has no structured content, which the output schema requires")
	default:
		if err = output.Check(result.Structured); err == nil {
			return nil
		}
	}
	return &ToolError{Code: "INVALID_RESULT", Message: "the result of " + t.tool.Name + " does not match its output schema: " + err.Error(), Next: nextAfterInvalidResult, Err: err}
}

// checkSize returns a *ToolError if the content of result exceeds the size limit of the tool.
func (t *ServerTool) checkSize(result *ToolResult) error {
	limit := t.opts.MaxResult
	if limit <= 0 {
		limit = maxResult
	}
	size := len(result.Structured)
	for _, block := range result.Content {
		size += blockSize(block)
	}
	if size <= limit {
		return nil
	}
	return &ToolError{Code: "RESULT_TOO_LARGE", Message: fmt.Sprintf("the result of %s has %d bytes; at most %d are allowed", t.tool.Name, size, limit), Next: "ask for a smaller part"}
}

// blockSize returns the number of bytes that block counts toward the size limit.
func blockSize(block Content) int {
	switch b := block.(type) {
	case TextContent:
		return len(b.Text)
	case ImageContent:
		return len(b.Data)
	case AudioContent:
		return len(b.Data)
	case EmbeddedResource:
		return len(b.Resource.Text) + len(b.Resource.Blob)
	case UnknownContent:
		return len(b.Raw)
	}
	return 0
}

// ToolCall returns the name of the tool and the arguments of a request tools/call, as the server reads them: {} without arguments.
// ok is false for another request, and for params that the server refuses. Middleware that decides by the tool needs no parser of
// its own, which could understand hostile params in another way than the server.
func ToolCall(r *protocol.Request) (tool string, arguments json.RawMessage, ok bool) {
	if r.Method != "tools/call" {
		return "", nil, false
	}
	p, err := readCall(r.Method, "name", r.Params)
	if err != nil {
		return "", nil, false
	}
	return p.name, p.arguments, true
}

// unknownTool returns the protocol error for an unknown tool, with the most similar name as a
// suggestion. known are the names that the sender may see.
func unknownTool(known []string, name string) error {
	if near := nearest.Name(name, known); near != "" {
		return protocol.Errorf(protocol.CodeInvalidParams, "Unknown tool: %q; did you mean %q?", name, near)
	}
	return protocol.Errorf(protocol.CodeInvalidParams, "Unknown tool: %q; see tools/list", name)
}

// openJournal prepares a call whose questions are answered by a replay. It restores the answers and
// step results from the request state that the client sent.
func (s *Server) openJournal(call *Invocation, p callParams) error {
	call.replayable = true
	if p.state == "" {
		call.journal.firstRequest = true
	} else {
		state, err := s.sealer.open(p.state, s.bindingOf(call, p))
		if err != nil {
			return err
		}
		call.journal.state = state
	}
	if p.responses != nil {
		if err := unmarshal(p.responses, &call.journal.responses); err != nil {
			return protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: inputResponses: %v", err)
		}
	}
	return nil
}

// bindingOf returns the data that the request state of a call is bound to: principal, method, name
// and arguments.
func (s *Server) bindingOf(call *Invocation, p callParams) []byte {
	return binding(call.Request.Peer.Principal, call.Request.Method, p.name, p.arguments)
}

// inputRequired returns the response to a call whose handler asked questions: the questions and the
// sealed request state.
func (s *Server) inputRequired(call *Invocation, p callParams) (protocol.Result, error) {
	j := &call.journal
	asked := make(map[string]string, len(j.state.Answers)+len(j.pending))
	for key := range j.state.Answers {
		asked[key] = j.state.Asked[key]
	}
	for key, request := range j.pending {
		asked[key] = questionDigest(request)
		delete(j.state.Answers, key)
	}
	j.state.Asked = asked
	state, err := s.sealer.seal(j.state, s.bindingOf(call, p))
	if err != nil {
		return nil, protocol.Errorf(protocol.CodeInternal, "Internal error: %v", err)
	}
	return &protocol.InputRequired{Requests: j.pending, State: state, Order: j.order}, nil
}
