package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
)

// maxRounds is how many times in a row a server may ask before it answers.
const maxRounds = 16

// ClientOptions configure a Client. The zero value, or nil, has the defaults.
type ClientOptions struct {
	// Elicit answers questions to the user. Setting it declares the capability
	// for forms. To fill in the defaults of a form is the callee's choice.
	Elicit func(ctx context.Context, form ElicitForm) (Answer[json.RawMessage], error)
	// ElicitURL asks the user to open a page, and declares that capability.
	ElicitURL func(ctx context.Context, message, url string) (Action, error)
	// Sample runs sampling/createMessage and declares the capability.
	//
	// Deprecated: sampling is deprecated as of 2026-07-28.
	Sample func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Roots tells the folders that the client works in, and declares the
	// capability.
	//
	// Deprecated: roots are deprecated as of 2026-07-28.
	Roots func(ctx context.Context) ([]Root, error)
	// OnLog receives log notifications at or above LogLevel.
	OnLog    func(LogNotification)
	LogLevel LogLevel
	// OnListChanged receives the name of a list that has changed: "tools",
	// "prompts" or "resources". Setting it opens a subscription.
	OnListChanged func(list string)
	// Revision, if set, is the only one tried.
	Revision Revision
	// ProbeTimeout: see Host.
	ProbeTimeout time.Duration
}

// ElicitForm is a form that a server asks the user to fill in.
type ElicitForm struct {
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// Root is a folder that a client works in, as a file URI.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// Client calls the tools of one server. All methods may be called concurrently.
type Client struct {
	conn Conn
	opts ClientOptions
	stop context.CancelFunc
	bg   group.Group
}

// Connect connects to a server. opts may be nil.
func Connect(ctx context.Context, t Transport, info Implementation, opts *ClientOptions) (*Client, error) {
	c := new(Client)
	if opts != nil {
		c.opts = *opts
	}
	host := &Host{
		Info: info, Capabilities: c.opts.capabilities(), Answer: c.answer, Notified: c.notified,
		Revision: c.opts.Revision, ProbeTimeout: c.opts.ProbeTimeout,
	}
	conn, err := t.Connect(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	c.conn = conn
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	if c.opts.OnListChanged != nil && conn.Revision().Modern() {
		c.bg.Go(func() { c.subscribe(bg) })
	}
	if c.opts.LogLevel != "" && !conn.Revision().Modern() && conn.Discovered().Capabilities.Logging != nil {
		params := fmt.Appendf(nil, `{"level":%q}`, c.opts.LogLevel)
		if _, err := conn.Dispatch(ctx, &Request{Method: "logging/setLevel", Params: params}); err != nil {
			return nil, errors.Join(fmt.Errorf("setting the log level: %w", err), c.Close())
		}
	}
	return c, nil
}

func (o *ClientOptions) capabilities() ClientCapabilities {
	var caps ClientCapabilities
	if o.Elicit != nil || o.ElicitURL != nil {
		caps.Elicitation = new(ElicitationCapability)
		if o.Elicit != nil {
			caps.Elicitation.Form = new(struct{})
		}
		if o.ElicitURL != nil {
			caps.Elicitation.URL = new(struct{})
		}
	}
	if o.Sample != nil {
		caps.Sampling = new(SamplingCapability)
	}
	if o.Roots != nil {
		caps.Roots = new(RootsCapability)
	}
	return caps
}

// Server is what the server said of itself when the client connected.
func (c *Client) Server() *DiscoverResult { return c.conn.Discovered() }

// Revision is the revision that is spoken.
func (c *Client) Revision() Revision { return c.conn.Revision() }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Close ends the connection.
func (c *Client) Close() error {
	c.stop()
	err := c.conn.Close()
	c.bg.Wait()
	return err
}

// CallOptions are for one call. Nil has the defaults.
type CallOptions struct {
	// OnProgress, if set, asks for progress and receives it, in order, before
	// the call returns.
	OnProgress func(ProgressNotification)
	Meta       Meta // further members of the request's _meta
}

// Call calls a tool and decodes its structured content into Out, or its text if
// Out is a string. What the tool failed with is a *ToolFailure.
func Call[Out any](ctx context.Context, c *Client, name string, args any) (Out, error) {
	var out Out
	result, err := c.CallTool(ctx, name, args, nil)
	if err != nil {
		return out, err
	}
	if result.IsError {
		return out, &ToolFailure{Tool: name, Result: result}
	}
	if text, ok := any(&out).(*string); ok {
		*text = result.text()
		return out, nil
	}
	if _, ok := any(out).(None); ok {
		return out, nil
	}
	structured := result.Structured
	if structured == nil {
		structured = json.RawMessage(result.text()) // servers before 2025-06-18
	}
	if err := unmarshal(structured, &out); err != nil {
		return out, fmt.Errorf("reading the result of %s: %w", name, err)
	}
	return out, nil
}

// ToolFailure is a result with isError, as an error.
type ToolFailure struct {
	Tool   string
	Result *ToolResult
}

func (e *ToolFailure) Error() string { return e.Tool + ": " + e.Result.text() }

// ErrorCode is the code that the tool gave, where the server is one that says.
func (e *ToolFailure) ErrorCode() string {
	parts, _ := e.Result.Meta[errorMeta].(map[string]any)
	code, _ := parts["code"].(string)
	return code
}

// text joins the blocks of text.
func (r *ToolResult) text() string {
	var text string
	for _, block := range r.Blocks() {
		if t, ok := block.(TextContent); ok {
			if text != "" {
				text += "\n"
			}
			text += t.Text
		}
	}
	return text
}

// CallTool calls a tool. args is what encodes as a JSON object, or nil. The
// error is a *Error if the server answered with one. A result may have IsError.
func (c *Client) CallTool(ctx context.Context, name string, args any, opts *CallOptions) (*ToolResult, error) {
	params := append([]byte(`{"name":`), jsonx.AppendQuoted(nil, name)...)
	if args != nil {
		var err error
		if params, err = marshal(append(params, `,"arguments":`...), args); err != nil {
			return nil, fmt.Errorf("encoding the arguments of %s: %w", name, err)
		}
	}
	raw, err := c.request(ctx, "tools/call", params, opts)
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	result := new(ToolResult)
	if err := unmarshal(raw, result); err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	return result, nil
}

// Tools iterates over the server's tools, page by page.
func (c *Client) Tools(ctx context.Context) iter.Seq2[Tool, error] {
	return func(yield func(Tool, error) bool) {
		var cursor *string
		for {
			var page struct {
				Tools      []Tool  `json:"tools"`
				NextCursor *string `json:"nextCursor"`
			}
			if err := c.page(ctx, "tools/list", cursor, &page); err != nil {
				yield(Tool{}, err)
				return
			}
			for _, tool := range page.Tools {
				if !yield(tool, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			if cursor != nil && *cursor == *page.NextCursor {
				yield(Tool{}, fmt.Errorf("listing tools: the server gives the same cursor again"))
				return
			}
			cursor = page.NextCursor
		}
	}
}

func (c *Client) page(ctx context.Context, method string, cursor *string, page any) error {
	params := []byte(`{`)
	if cursor != nil {
		params = jsonx.AppendQuoted(append(params, `"cursor":`...), *cursor)
	}
	raw, err := c.request(ctx, method, params, nil)
	if err == nil {
		err = unmarshal(raw, page)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}
