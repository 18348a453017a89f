package otel

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net"
	"strconv"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// outcome is how a request has ended.
type outcome struct {
	failure  string // error.type; empty if it went well
	protocol int64  // code of a protocol error
	message  string // of a protocol error
	code     string // of a tool's error
	kind     string // of a result that is not complete
}

func (o *outcome) status() string {
	if o.protocol == 0 {
		return ""
	}
	return code(o.protocol)
}

// outcomeOf tells how a request has ended with this result or error.
func outcomeOf(ctx context.Context, result protocol.Result, err error) outcome {
	if err != nil {
		return outcomeOfError(ctx, err)
	}
	switch r := result.(type) {
	case *mcp.ToolResult:
		if r.IsError {
			return outcome{failure: toolError, code: r.ErrorCode()}
		}
	case *protocol.InputRequired:
		return outcome{kind: "input_required"}
	case protocol.RawResult:
		return outcomeOfJSON(json.RawMessage(r))
	case interface{ TaskID() string }:
		return outcome{kind: "task"}
	}
	return outcome{}
}

func outcomeOfError(ctx context.Context, err error) outcome {
	var refused *protocol.Error
	var late interface{ Timeout() bool }
	cause := context.Cause(ctx)
	switch {
	case errors.As(err, &refused):
		return outcome{failure: code(refused.Code), protocol: refused.Code, message: refused.Message}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(cause, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return outcome{failure: errorTimeout}
	case errors.Is(err, context.Canceled), cause != nil:
		return outcome{failure: errorCancelled}
	}
	return outcome{failure: otherError}
}

// outcomeOfJSON looks at a result that is JSON already: that of another server.
func outcomeOfJSON(raw json.RawMessage) (o outcome) {
	members := jsonx.Object(raw)
	for members.Next() {
		switch string(members.Key()) {
		case "isError":
			if string(members.Value()) == "true" {
				o.failure = toolError
			}
		case "resultType":
			if kind, err := jsonx.Unquote(members.Value()); err == nil && kind != "complete" && isName(kind) {
				o.kind = kind
			}
		case "_meta":
			o.code = codeOf(members.Value())
		}
	}
	if o.failure == "" {
		o.code = ""
	}
	return o
}

// codeOf is the code of a tool's error, where the server is one that says.
func codeOf(meta json.RawMessage) string {
	members := jsonx.Object(meta)
	for members.Next() {
		if members.Name() != protocol.ErrorMeta {
			continue
		}
		parts := jsonx.Object(members.Value())
		for parts.Next() {
			if string(parts.Key()) == "code" {
				code, _ := jsonx.Unquote(parts.Value())
				return code
			}
		}
	}
	return ""
}

// record writes the outcome of an operation to its span.
func (i *Instruments) record(span trace.Span, o outcome) {
	if !span.IsRecording() {
		return
	}
	if o.kind != "" {
		span.SetAttributes(keyOutcome.String(o.kind))
	}
	if o.failure == "" {
		return
	}
	span.SetAttributes(keyError.String(o.failure))
	if o.protocol != 0 {
		span.SetAttributes(keyStatus.String(o.status()))
	}
	if isName(o.code) {
		span.SetAttributes(keyCode.String(o.code))
	}
	span.SetStatus(codes.Error, i.text(o.message))
}

// arguments returns the arguments of a tool, redacted and shortened.
func (i *Instruments) arguments(raw json.RawMessage) string {
	const most = 4 << 10
	if len(raw) > 16*most {
		return "[" + strconv.Itoa(len(raw)) + " bytes]"
	}
	text := i.opts.Redactor.JSON(raw)
	if len(text) > most {
		return "[" + strconv.Itoa(len(raw)) + " bytes]"
	}
	return string(text)
}

// requestID is the id of a request as text, or nothing.
func requestID(id protocol.ID) string {
	if id == "" || len(id) > maxName {
		return ""
	}
	if id[0] != '"' {
		return string(id)
	}
	s, err := jsonx.Unquote([]byte(id))
	if err != nil || !isName(s) {
		return ""
	}
	return s
}

// sessionID stands for the id of a session, which lets its holder go on with it
// and is therefore not told: the same one has the same digest everywhere.
func sessionID(id string) string {
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// hostPort splits an address. The results are empty and 0 for an invalid one.
func hostPort(address string) (host string, port int) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0
	}
	port, err = strconv.Atoi(service)
	if err != nil || len(host) > maxText {
		return "", 0
	}
	return host, port
}
