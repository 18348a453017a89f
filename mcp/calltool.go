package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/nearest"
)

// maxResult is the most that the content of a result may hold unless a tool
// sets its own limit, in bytes.
const maxResult = 10 << 20

// callParams are the params of tools/call, prompts/get or resources/read, not
// yet decoded.
type callParams struct {
	name      string // or URI
	arguments json.RawMessage
	responses json.RawMessage
	state     string
	task      json.RawMessage // of a session's client that wants one
}

// readCall reads the params of a method; subject is the member that says what is
// asked for.
func readCall(method, subject string, params json.RawMessage) (callParams, error) {
	var p callParams
	if len(params) == 0 || params[0] != '{' {
		return p, Errorf(CodeInvalidParams, "Invalid params: %s needs an object with the member %q", method, subject)
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
			return p, Errorf(CodeInvalidParams, "Invalid params: the member %q of %s: %v", members.Key(), method, err)
		}
	}
	if err := members.Err(); err != nil {
		return p, Errorf(CodeInvalidParams, "Invalid params: %v", err)
	}
	if !named {
		return p, Errorf(CodeInvalidParams, "Invalid params: %s needs the member %q", method, subject)
	}
	if p.arguments == nil || isNull(p.arguments) {
		p.arguments = json.RawMessage(`{}`)
	}
	return p, nil
}

// read reads one of the other members.
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

func (s *Server) callTool(ctx context.Context, reg *registry, req *Request) (Result, error) {
	params, err := readCall("tools/call", "name", req.Params)
	if err != nil {
		return nil, err
	}
	tool, ok := reg.tools.byKey[params.name]
	if !ok {
		return nil, unknownTool(reg, params.name)
	}
	if s.opts.Authorize != nil {
		if err := s.opts.Authorize(ctx, req, *tool); err != nil {
			return s.refuse(err)
		}
	}
	call := &Invocation{Request: req, Tool: params.name, server: s, asks: true}
	if req.Asker == nil {
		if err := s.openJournal(call, params); err != nil {
			return nil, err
		}
	}
	if s.opts.Tasks != nil && (tool.opts.Task != "" || params.task != nil) {
		switch task, err := isTask(req, tool, params.task); {
		case err != nil:
			return s.refuse(err)
		case task:
			return s.callTask(ctx, call, tool, params)
		}
	}
	result, err := s.runTool(withCall(ctx, call), call, tool, params.arguments)
	return s.answerCall(call, params, result, err)
}

// answerCall answers a call whose handler has returned.
func (s *Server) answerCall(call *Invocation, p callParams, result *ToolResult, err error) (Result, error) {
	if len(call.journal.pending) > 0 {
		return s.inputRequired(call, p)
	}
	if err != nil {
		return nil, err
	}
	return s.introduced(result), nil
}

// refuse answers a call that its sender may not make.
func (s *Server) refuse(why error) (Result, error) {
	answer, err := settle(nil, why)
	if err != nil {
		return nil, err
	}
	answer.server = s.self() // it was made for this answer
	return answer, nil
}

// runTool checks the arguments and runs the tool under its limits.
func (s *Server) runTool(ctx context.Context, call *Invocation, tool *ServerTool, arguments json.RawMessage) (*ToolResult, error) {
	args, err := tool.input.Prepare(arguments)
	if err != nil {
		return invalidArguments(err), nil
	}
	return s.runChecked(ctx, call, tool, args)
}

// runChecked runs the tool under its limits. A task has another one, of the time
// that it is kept.
func (s *Server) runChecked(ctx context.Context, call *Invocation, tool *ServerTool, args json.RawMessage) (*ToolResult, error) {
	call.gate.gate, call.gate.principal = tool.opts.Gate, call.Request.Peer.Principal
	if err := call.gate.enter(ctx); err != nil {
		return settle(nil, err)
	}
	defer call.gate.end()
	if tool.opts.Timeout > 0 && call.task() == nil {
		var stop context.CancelFunc
		ctx, call.clock, stop = startClock(ctx, tool.opts.Timeout, tool.opts.HardTimeout)
		defer stop()
	}
	return settle(tool.invoke(ctx, args))
}

// invoke runs the handler. Its panic, its running out of time and a result that
// is too large are errors that the model reads.
func (t *ServerTool) invoke(ctx context.Context, args json.RawMessage) (result *ToolResult, err error) {
	defer func() {
		if v := recover(); v != nil {
			if call := CallFrom(ctx); call != nil {
				call.server.opts.Log.ErrorContext(ctx, "panic in a tool", "tool", t.tool.Name, "panic", v, "stack", string(debug.Stack()))
			}
			result, err = nil, &ToolError{Code: "INTERNAL_ERROR", Message: "the tool " + t.tool.Name + " failed in an unexpected way", Next: "try other arguments, or another tool; the failure is in the server's log"}
		}
	}()
	result, err = t.run(ctx, args)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return nil, &ToolError{Code: "TIMEOUT", Message: fmt.Sprintf("%s did not end within %v", t.tool.Name, t.opts.Timeout), Next: "ask for less at once", Err: err}
	}
	if err == nil && result != nil {
		err = t.checkSize(result)
	}
	return result, err
}

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

func unknownTool(reg *registry, name string) error {
	if near := nearest.Name(name, reg.tools.names()); near != "" {
		return Errorf(CodeInvalidParams, "Unknown tool: %q; did you mean %q?", name, near)
	}
	return Errorf(CodeInvalidParams, "Unknown tool: %q; tools/list names those that exist", name)
}

// openJournal prepares the call for questions that are answered by running it
// again, from what the client sent back of an earlier round.
func (s *Server) openJournal(call *Invocation, p callParams) error {
	call.replayable = true
	if p.state == "" {
		call.journal.unasked = true
	} else {
		state, err := s.seal.open(p.state, s.bindingOf(call, p))
		if err != nil {
			return err
		}
		call.journal.state = state
	}
	if p.responses != nil {
		if err := unmarshal(p.responses, &call.journal.responses); err != nil {
			return Errorf(CodeInvalidParams, "Invalid params: inputResponses: %v", err)
		}
	}
	return nil
}

func (s *Server) bindingOf(call *Invocation, p callParams) []byte {
	return binding(call.Request.Peer.Principal, call.Request.Method, p.name, p.arguments)
}

// inputRequired ends a round whose handler has asked.
func (s *Server) inputRequired(call *Invocation, p callParams) (Result, error) {
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
	state, err := s.seal.seal(j.state, s.bindingOf(call, p))
	if err != nil {
		return nil, Errorf(CodeInternal, "Internal error: %v", err)
	}
	return &InputRequired{Requests: j.pending, State: state, order: j.order}, nil
}
