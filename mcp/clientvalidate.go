package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/mcp/schema"
)

// ResultError is a result whose structured content does not fit the output
// schema that the server lists for the tool.
type ResultError struct {
	Tool   string
	Result *ToolResult
	Err    error // what is wrong, such as a *schema.ValidationError
}

func (e *ResultError) Error() string {
	return fmt.Sprintf("the result of %s is not what the server promises: %v", e.Tool, e.Err)
}

// Unwrap returns what is wrong.
func (e *ResultError) Unwrap() error { return e.Err }

// outputSchemas are the output schemas of the tools that the server lists.
type outputSchemas struct {
	mu     sync.Mutex
	epoch  int // counts the changes of the list
	listed map[string]*outputSchema
}

// outputSchema is compiled when it is first needed. A nil one has no schema.
type outputSchema struct {
	raw     json.RawMessage
	compile sync.Once
	schema  *schema.Schema
	err     error
}

// forget makes the next use list the tools again.
func (o *outputSchemas) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.epoch++
	o.listed = nil
}

// validate checks a result. A schema that was read some time ago may have
// changed without notice: before a result is refused it is read again.
func (c *Client) validate(ctx context.Context, tool string, result *ToolResult) error {
	listed, kept, err := c.outputSchema(ctx, tool)
	if err != nil {
		return fmt.Errorf("looking for the output schema of %s: %w", tool, err)
	}
	err = listed.check(result, c.opts.Reference)
	if err != nil && kept {
		c.schemas.forget()
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

// outputSchema finds the schema of a tool; kept tells that the list was read
// before.
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
