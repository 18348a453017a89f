package errorclass

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Options configure a Middleware.
type Options struct {
	// Language is what people are told in. Default English.
	Language Language
	// OnError, if set, hears of every error of a request, with the tool's name where
	// there is one. It is called concurrently, and the answer waits for it.
	OnError func(ctx context.Context, req *mcp.Request, f Fault)
}

// Fault is an error that a request was answered with.
type Fault struct {
	Code      string // empty for protocol errors that have none
	Severity  Severity
	Retryable bool
	// RPC is the JSON-RPC code of a protocol error; 0 for the result of a tool.
	RPC     int64
	Message string // for whoever reads the log
}

// Middleware returns a middleware that tells more of every error: for
// mcp.Server.Use, outside of what refuses requests. The failed result of a tool
// gets the members severity, retryable, requestId, timestamp and userMessage in
// its _meta["io.github.dougu-go/error"]; a protocol error that has a code in its
// data, or no data at all, gets them there, and the JSON-RPC code that the table
// has for it instead of that of an internal error. What tells a client which
// revisions or capabilities there are stays as it is.
func Middleware(o Options) mcp.Middleware {
	return func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
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

// tool tells more of a failed result, which may be shared: it is copied.
func (o Options) tool(ctx context.Context, req *mcp.Request, failed *mcp.ToolResult) *mcp.ToolResult {
	code := failed.ErrorCode()
	f := fault(code)
	parts, _ := failed.Meta[mcp.ErrorMeta].(map[string]any)
	f.Message, _ = parts["message"].(string)
	parts = o.tell(req, f, parts)
	told := *failed
	told.Meta = maps.Clone(failed.Meta)
	if told.Meta == nil {
		told.Meta = make(mcp.Meta, 1)
	}
	told.Meta[mcp.ErrorMeta] = parts
	o.heard(ctx, req, f)
	return &told
}

// protocol tells more of a protocol error.
func (o Options) protocol(ctx context.Context, req *mcp.Request, err error) error {
	var e *mcp.Error
	if !errors.As(err, &e) {
		if ctx.Err() == nil {
			f := fault("INTERNAL_ERROR")
			f.RPC, f.Message = mcp.CodeInternal, err.Error()
			o.heard(ctx, req, f)
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
		o.heard(ctx, req, f)
		return err // what it has to tell is the protocol's
	}
	told := *e
	if e.Code == mcp.CodeInternal && code != "" {
		told.Code = Of(code).RPC
		f.RPC = told.Code
	}
	if data, err := json.Marshal(o.tell(req, f, parts)); err == nil {
		told.Data = data
	}
	o.heard(ctx, req, f)
	if err == error(e) {
		return &told
	}
	return &around{err, &told}
}

// around is an error of which more is told, with what is around it: that may matter
// to a transport.
type around struct {
	error
	told *mcp.Error
}

// Unwrap finds what is told first.
func (a *around) Unwrap() []error { return []error{a.told, a.error} }

func fault(code string) Fault {
	k := Of(code)
	return Fault{Code: code, Severity: k.Severity, Retryable: k.Retryable}
}

// ofRPC judges a protocol error by its JSON-RPC code alone.
func ofRPC(code int64) Fault {
	f := Fault{Severity: Low}
	if code == mcp.CodeInternal {
		f.Severity = High
	}
	return f
}

// maxID is the longest id that is repeated, in bytes.
const maxID = 128

// tell returns the parts of an error with what is known of it.
func (o Options) tell(req *mcp.Request, f Fault, parts map[string]any) map[string]any {
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
	maps.Copy(all, parts) // what the error itself says counts
	return all
}

func (o Options) heard(ctx context.Context, req *mcp.Request, f Fault) {
	if o.OnError != nil {
		o.OnError(ctx, req, f)
	}
}
