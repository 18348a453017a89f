package errorclass

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Options configures Middleware. The zero value is ready for use.
type Options struct {
	// Language is the language of messages for users. Default English.
	Language Language
	// OnError, if set, is called for every error of a request. It may be called concurrently, and
	// the response waits for it.
	OnError func(ctx context.Context, req *protocol.Request, f Fault)
}

// Fault is one error of a request, as OnError receives it.
type Fault struct {
	Code      string   // Code is the error code; empty for protocol errors without one.
	Severity  Severity // Severity is the severity of the code.
	Retryable bool     // Retryable means that the same request may succeed later.
	// RPC is the JSON-RPC code of a protocol error; 0 for the result of a tool.
	RPC     int64
	Message string // Message is the text of the error, for logs.
}

// Middleware returns middleware that adds the classification to every error. Install it with
// mcp.Server.Use outside of middleware that refuses requests.
//
// A failed tool result gets the members severity, retryable, requestId, timestamp and userMessage
// in _meta["io.github.dougu-go/error"]. A protocol error gets them in its data if the data is empty
// or has a code. An internal error with a code also gets the JSON-RPC code of that code. Other
// protocol errors, for example about revisions and capabilities, are unchanged.
func Middleware(o Options) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			result, err := next(ctx, req)
			if err != nil {
				return result, o.protocol(ctx, req, err)
			}
			if failed, ok := result.(*mcp.ToolResult); ok && failed.IsError {
				return o.tool(ctx, req, failed), nil
			}
			return result, nil
		}
	}
}

// tool adds the classification to a copy of a failed result, because the result may be shared.
func (o Options) tool(ctx context.Context, req *protocol.Request, failed *mcp.ToolResult) *mcp.ToolResult {
	code := failed.ErrorCode()
	f := fault(code)
	parts, _ := failed.Meta[protocol.ErrorMeta].(map[string]any)
	f.Message, _ = parts["message"].(string)
	parts = o.addDetails(req, f, parts)
	told := *failed
	told.Meta = maps.Clone(failed.Meta)
	if told.Meta == nil {
		told.Meta = make(mcp.Meta, 1)
	}
	told.Meta[protocol.ErrorMeta] = parts
	o.callOnError(ctx, req, f)
	return &told
}

// protocol adds the classification to a copy of a protocol error. Other errors are only reported.
func (o Options) protocol(ctx context.Context, req *protocol.Request, err error) error {
	var e *protocol.Error
	if !errors.As(err, &e) {
		if ctx.Err() == nil {
			f := fault("INTERNAL_ERROR")
			f.RPC, f.Message = protocol.CodeInternal, err.Error()
			o.callOnError(ctx, req, f)
		}
		return err
	}
	var parts map[string]any
	if e.Data != nil && json.Unmarshal(e.Data, &parts) != nil {
		parts = nil
	}
	code, _ := parts["code"].(string)
	f := fault(code)
	if code == "" {
		f = ofRPC(e.Code)
	}
	f.RPC, f.Message = e.CodeFor(req.Meta.Revision), e.Message
	if code == "" && e.Data != nil {
		o.callOnError(ctx, req, f)
		return err // the protocol defines this data
	}
	told := *e
	if e.Code == protocol.CodeInternal && code != "" {
		told.Code = Of(code).RPC
		f.RPC = told.Code
	}
	if data, err := json.Marshal(o.addDetails(req, f, parts)); err == nil {
		told.Data = data
	}
	o.callOnError(ctx, req, f)
	if err == error(e) {
		return &told
	}
	return &wrappedError{err, &told}
}

// wrappedError is a classified protocol error with the errors that wrapped the original, which a
// transport may need.
type wrappedError struct {
	error
	told *protocol.Error // classified copy
}

// Unwrap returns the classified error first, so that errors.As finds it before the original.
func (a *wrappedError) Unwrap() []error { return []error{a.told, a.error} }

// fault returns the Fault of a code.
func fault(code string) Fault {
	k := Of(code)
	return Fault{Code: code, Severity: k.Severity, Retryable: k.Retryable}
}

// ofRPC returns the Fault of a protocol error that has only a JSON-RPC code.
func ofRPC(code int64) Fault {
	f := Fault{Severity: Low}
	if code == protocol.CodeInternal {
		f.Severity = High
	}
	return f
}

// maxID limits the length of a request id in requestId, in bytes.
const maxID = 128

// addDetails returns parts with the classification. Members of parts take precedence.
func (o Options) addDetails(req *protocol.Request, f Fault, parts map[string]any) map[string]any {
	all := make(map[string]any, len(parts)+5)
	k := Of(f.Code)
	if f.Code == "" {
		k = Kind{}
		k.english, k.japanese = messages[f.Severity].english, messages[f.Severity].japanese
	}
	all["severity"], all["retryable"], all["userMessage"] = f.Severity, f.Retryable, k.Message(o.Language)
	all["timestamp"] = time.Now().UTC().Format(time.RFC3339Nano)
	if id := string(req.ID); id != "" && len(id) <= maxID && json.Valid([]byte(id)) {
		all["requestId"] = json.RawMessage(id)
	} else if id != "" {
		all["requestId"] = strings.ToValidUTF8(id[:min(len(id), maxID)], "") + "…"
	}
	maps.Copy(all, parts)
	return all
}

// callOnError calls OnError, if set.
func (o Options) callOnError(ctx context.Context, req *protocol.Request, f Fault) {
	if o.OnError != nil {
		o.OnError(ctx, req, f)
	}
}
