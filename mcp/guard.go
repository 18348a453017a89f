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
)

// guarded runs a handler that has no result to put a failure into. Its panic
// and its running out of time are errors.
func guarded[T any](ctx context.Context, what string, limit, hard time.Duration, f func(context.Context) (T, error)) (out T, err error) {
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

// checkSize refuses a result of more bytes than the limit, which is maxResult
// if it is not set.
func checkSize(what string, size, limit int) error {
	if limit <= 0 {
		limit = maxResult
	}
	if size <= limit {
		return nil
	}
	return &ToolError{Code: "RESULT_TOO_LARGE", Message: fmt.Sprintf("%s has %d bytes; at most %d are allowed", what, size, limit)}
}

// source reads one resource.
type source struct {
	read     func(context.Context) ([]ResourceContents, error)
	opts     *ResourceOptions
	mimeType string
}

// run reads it under its limits. The result is the caller's own.
func (src source) run(ctx context.Context, uri string) (*ReadResult, error) {
	what := fmt.Sprintf("the resource %q", uri)
	contents, err := guarded(ctx, what, src.opts.Timeout, src.opts.HardTimeout, src.read)
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

// resourceError is the protocol error for what a resource's handler returned.
func resourceError(err error, uri string) error {
	var protocol *Error
	switch {
	case errors.As(err, &protocol):
		return err // what is around it may matter to a transport
	case errors.Is(err, fs.ErrNotExist):
		return ResourceNotFound(uri)
	}
	return internalError(CodeInternal, err)
}

// promptError is the protocol error for what a prompt's handler, or a
// completer, returned.
func promptError(err error) error {
	var protocol *Error
	switch {
	case errors.As(err, &protocol):
		return err
	case errorCode(err) == "INVALID_PARAMS":
		return internalError(CodeInvalidParams, err)
	}
	return internalError(CodeInternal, err)
}

// internalError tells all that an error says about itself.
func internalError(code int64, err error) *Error {
	text, parts := errorParts(err)
	e := &Error{Code: code, Message: text}
	if parts == nil {
		return e
	}
	e = e.withData(parts)
	if !json.Valid(e.Data) {
		e.Data = nil
	}
	return e
}
