package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/mcp/schema"
)

// ResultError is the error of a result whose structured content does not match the listed output
// schema of its tool.
type ResultError struct {
	Tool   string      // Tool is the name of the tool.
	Result *ToolResult // Result is the invalid result.
	Err    error       // Err is the mismatch, for example a *schema.ValidationError.
}

// Error returns the name of the tool and the mismatch.
func (e *ResultError) Error() string {
	return fmt.Sprintf("the result of %s does not match its output schema: %v", e.Tool, e.Err)
}

// Unwrap returns Err.
func (e *ResultError) Unwrap() error { return e.Err }

// outputSchemas caches the output schemas of the listed tools.
type outputSchemas struct {
	mu     sync.Mutex
	epoch  int                      // number of changes of the list
	listed map[string]*outputSchema // by tool; nil before the first use and after a change
}

// outputSchema is the output schema of one tool, compiled on first use. A nil outputSchema accepts
// every result.
type outputSchema struct {
	raw     json.RawMessage
	compile sync.Once
	schema  *schema.Schema
	err     error // error of the compilation
}

// clear clears the cache, so that the next validation lists the tools again.
func (o *outputSchemas) clear() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.epoch++
	o.listed = nil
}

// validate checks a result against the output schema of its tool. Before it rejects a result by a
// cached schema, it lists the tools again, since the schema may have changed without a
// notification.
func (c *Client) validate(ctx context.Context, tool string, result *ToolResult) error {
	listed, kept, err := c.outputSchema(ctx, tool)
	if err != nil {
		return fmt.Errorf("looking for the output schema of %s: %w", tool, err)
	}
	err = listed.check(result, c.opts.Reference)
	if err != nil && kept {
		c.schemas.clear()
		c.cache.dropMethod("tools/list")
		if listed, _, err = c.outputSchema(ctx, tool); err != nil {
			return fmt.Errorf("looking for the output schema of %s: %w", tool, err)
		}
		err = listed.check(result, c.opts.Reference)
	}
	if err != nil {
		return &ResultError{Tool: tool, Result: result, Err: err}
	}
	return nil
}

// outputSchema returns the output schema of a tool, or nil if it has none. kept reports whether the
// schema comes from the cache.
func (c *Client) outputSchema(ctx context.Context, tool string) (found *outputSchema, kept bool, err error) {
	o := &c.schemas
	o.mu.Lock()
	listed, epoch := o.listed, o.epoch
	o.mu.Unlock()
	if listed != nil {
		return listed[tool], true, nil
	}
	listed = make(map[string]*outputSchema)
	for t, err := range c.Tools(ctx) {
		if err != nil {
			return nil, false, err
		}
		if t.OutputSchema != nil {
			listed[t.Name] = &outputSchema{raw: t.OutputSchema}
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.epoch == epoch {
		o.listed = listed
	}
	return listed[tool], false, nil
}

// check validates the structured content of result. reference compiles schemas that package schema
// does not compile; it may be nil.
func (o *outputSchema) check(result *ToolResult, reference func([]byte) (schema.Validator, error)) error {
	if o == nil {
		return nil
	}
	o.compile.Do(func() { o.schema, o.err = schema.Compile(o.raw, schema.Options{Reference: reference}) })
	switch {
	case o.err != nil:
		return fmt.Errorf("its output schema cannot be used: %w", o.err)
	case result.Structured == nil:
		return errors.New("it has no structured content")
	}
	return o.schema.Check(result.Structured)
}
