package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// runProtected runs a handler whose result type has no error member: a prompt, a resource or a
// completer. It converts a panic and a timeout to errors. what names the feature in messages; limit
// and hard are its time limits.
func runProtected[T any](ctx context.Context, what string, limit, hard time.Duration, f func(context.Context) (T, error)) (out T, err error) {
	call := CallFrom(ctx)
	if limit > 0 {
		timed, clock, stop := startClock(ctx, limit, hard)
		defer stop()
		if ctx = timed; call != nil {
			call.clock = clock
		}
	}
	defer func() {
		if v := recover(); v != nil {
			log := slog.Default()
			if call != nil {
				log = call.server.opts.Log
			}
			log.ErrorContext(ctx, "panic in a handler", "of", what, "panic", v, "stack", string(debug.Stack()))
			err = &ToolError{Code: "INTERNAL_ERROR", Message: what + " failed in an unexpected way", Next: "the failure is in the server's log"}
		}
	}()
	out, err = f(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errTimeout) {
		err = &ToolError{Code: "TIMEOUT", Message: fmt.Sprintf("%s did not end within %v", what, limit), Next: "try again later", Err: err}
	}
	return out, err
}

// checkSize returns a *ToolError if size exceeds limit, in bytes. A limit that is not positive
// means maxResult.
func checkSize(what string, size, limit int) error {
	if limit <= 0 {
		limit = maxResult
	}
	if size <= limit {
		return nil
	}
	return &ToolError{Code: "RESULT_TOO_LARGE", Message: fmt.Sprintf("%s has %d bytes; at most %d are allowed", what, size, limit)}
}

// resourceReader is a resource with the function that reads it.
type resourceReader struct {
	read     func(context.Context) ([]ResourceContents, error)
	opts     *ResourceOptions
	mimeType string
}

// readLimited reads the resource within its limits. The caller may modify the result. A failure is a
// protocol error.
func (src resourceReader) readLimited(ctx context.Context, uri string) (*ReadResult, error) {
	what := fmt.Sprintf("the resource %q", uri)
	contents, err := runProtected(ctx, what, src.opts.Timeout, src.opts.HardTimeout, src.read)
	if err != nil {
		return nil, resourceError(err, uri)
	}
	if len(contents) == 0 {
		return nil, ResourceNotFound(uri)
	}
	contents = slices.Clone(contents)
	size := 0
	for i := range contents {
		c := &contents[i]
		if c.URI == "" {
			c.URI = uri
		}
		if c.MIMEType == "" && c.URI == uri {
			c.MIMEType = src.mimeType
		}
		size += len(c.Text) + len(c.Blob)
	}
	if err := checkSize(what, size, src.opts.MaxResult); err != nil {
		return nil, resourceError(err, uri)
	}
	result := &ReadResult{Contents: contents}
	if src.opts.Cache != nil {
		result.Cache = *src.opts.Cache
	}
	return result, nil
}

// resourceError converts the error of a resource handler to a protocol error.
func resourceError(err error, uri string) error {
	own := protocolErrorOf(err)
	switch {
	case own != nil:
		return own
	case errors.Is(err, fs.ErrNotExist):
		return ResourceNotFound(uri)
	}
	return internalError(protocol.CodeInternal, err)
}

// promptError converts the error of a prompt handler or completer to a protocol error.
func promptError(err error) error {
	own := protocolErrorOf(err)
	switch {
	case own != nil:
		return own
	case errorCode(err) == "INVALID_PARAMS":
		return internalError(protocol.CodeInvalidParams, err)
	}
	return internalError(protocol.CodeInternal, err)
}

// internalError returns a protocol error with the text of err, and with its code, next step and
// details as data.
func internalError(code int64, err error) *protocol.Error {
	text, parts := errorParts(err)
	e := &protocol.Error{Code: code, Message: text}
	if parts == nil {
		return e
	}
	e = e.WithData(parts)
	if !json.Valid(e.Data) {
		e.Data = nil
	}
	return e
}
