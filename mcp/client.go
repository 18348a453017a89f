package mcp

//lint:file-ignore SA1019 deprecated parts of the protocol work in every revision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

const (
	// defaultTimeout limits the time until the response or the next progress notification of a
	// request.
	defaultTimeout = time.Minute
	// hardTimeoutFactor is the ratio of the default HardTimeout to Timeout.
	hardTimeoutFactor = 10
	// closeTimeout limits the time that Close waits for functions of ClientOptions.
	closeTimeout = 5 * time.Second
	// ackTimeout limits the time that Connect waits for the acknowledgement of the subscription to
	// list changes.
	ackTimeout = 5 * time.Second
)

// ErrClosed is the error of requests of a closed Client.
var ErrClosed = errors.New("the client is closed")

// ClientOptions configures a Client. Nil and the zero value select the defaults.
//
// The functions may run concurrently. OnLog, OnListChanged and OnResourceUpdated share one
// goroutine: they receive notifications one at a time, in order.
type ClientOptions struct {
	// Elicit asks the user to fill in a form. Setting it declares the capability for forms. The
	// client adds the defaults of the form to an accepted answer that lacks them. An empty Action
	// means Cancel.
	Elicit func(ctx context.Context, form ElicitForm) (Answer[json.RawMessage], error)
	// ElicitURL asks the user to open a page. Setting it declares the capability for URLs. It must
	// show the whole URL and must not open it without consent.
	ElicitURL func(ctx context.Context, message, url string) (Action, error)
	// Sample asks the model of the client to continue a conversation for the server. Setting it
	// declares the capability. The params are checked: there is a message, each message has content,
	// MaxTokens is positive, and every tool use has its result. A user should see the request and its
	// answer, and be able to reject them (2026-07-28, client/sampling). A nil result rejects the
	// request.
	//
	// Deprecated: sampling is deprecated as of 2026-07-28.
	Sample func(ctx context.Context, params SampleParams) (*SampleResult, error)
	// SampleTools declares that Sample supports SampleParams.Tools. Otherwise a request with tools is
	// an error.
	SampleTools bool
	// SampleContext declares that Sample supports SampleParams.IncludeContext.
	SampleContext bool
	// Roots returns the folders that the client works in. Setting it declares the capability. See
	// Client.RootsChanged.
	//
	// Deprecated: roots are deprecated as of 2026-07-28.
	Roots func(ctx context.Context) ([]Root, error)
	// OnLog receives log notifications. The server sends the messages at or above LogLevel.
	OnLog func(protocol.LogNotification)
	// LogLevel is the lowest level that the client requests. Empty requests no logs.
	LogLevel protocol.LogLevel
	// OnListChanged receives the name of a changed list: "tools", "prompts" or "resources". Setting
	// it opens a subscription, which also removes stale lists from the cache. The client opens it
	// again when the server ends it, and then reports every list, since it may have missed changes.
	OnListChanged func(list string)
	// OnResourceUpdated receives the URI of a changed resource that a subscription of the client
	// includes; see Client.Subscribe. Two subscriptions may both report one change.
	OnResourceUpdated func(uri string)
	// Extensions declares protocol extensions. It maps identifiers, for example
	// "com.example/thing", to settings, JSON objects; nil means {}. Server().Capabilities has the
	// extensions of the server (2026-07-28, basic/versioning, "Extension Negotiation").
	Extensions map[string]json.RawMessage
	// Task waits for the end of a call that the server runs as a task, and returns its result.
	// created is the server's first result, which describes the task. Function Declare of package
	// mcp/tasks sets this field. Servers create tasks only for clients that declare the extension.
	Task func(ctx context.Context, c *Client, created json.RawMessage) (json.RawMessage, error)
	// Timeout limits the time of a request. Each progress notification restarts it. It is suspended
	// while the client answers a question of the server. Default 1 minute; negative means no limit.
	Timeout time.Duration
	// HardTimeout limits the time of a request regardless of its progress. Default ten times
	// Timeout; negative means no limit.
	HardTimeout time.Duration
	// CacheEntries and CacheBytes limit the cache of the server's results: their number, and their
	// size with their keys. The cache holds results of list and read requests for the time that the
	// server allows. A notification of a change removes them earlier (2026-07-28,
	// server/utilities/caching). Defaults 1024 and 16 MiB; a negative value turns the cache off.
	CacheEntries int
	CacheBytes   int
	// CheckResults checks the structured content of tool results against the listed output
	// schema. A mismatch is a *ResultError.
	CheckResults bool
	// Reference compiles an output schema with keywords that package mcp/schema does not compile:
	// reference.Validator of package mcp/schema/reference. Without it, validation against that
	// schema is an error.
	Reference func(document []byte) (schema.Validator, error)
	// Use is middleware around every request that the client sends after the connection setup, except
	// subscriptions; the first one is the outermost. Requests are in the form of revision
	// 2026-07-28. A result from the cache needs no request. A nil element is an error.
	Use []Middleware
	// Log receives panics of OnLog, OnListChanged and OnResourceUpdated. Default slog.Default().
	Log *slog.Logger
	// Revision, if set, is the only revision that the client offers.
	Revision protocol.Revision
	// ProbeTimeout has the meaning of protocol.Host.ProbeTimeout.
	ProbeTimeout time.Duration
}

// Root is a folder that a client works in.
type Root struct {
	URI  string `json:"uri"`            // URI is a file URI.
	Name string `json:"name,omitempty"` // Name is a name for people; optional.
}

// Client is a connection to one server. All methods may be called concurrently.
type Client struct {
	conn          protocol.Conn
	connected     atomic.Pointer[protocol.Conn] // conn, for questions that arrive while it is being set up
	send          Handler                       // Dispatch of conn within the middleware of the options
	opts          ClientOptions                 // copy of the caller's options
	cache         *cache                        // nil if disabled
	schemas       outputSchemas                 // output schemas of tools, for CheckResults
	deadlines     deadlines                     // time limits of in-flight requests
	notifications notificationQueue             // notifications for functions of the options

	ctx    context.Context         // cancelled by Close
	cancel context.CancelCauseFunc // cancels life

	mu         sync.Mutex  // orders bg.Go before bg.Wait
	closed     bool        // Close was called
	goroutines group.Group // goroutines that Close waits for
}

// Connect connects to a server through t. info describes the client. ctx limits only the connection
// setup. opts may be nil. The caller must call Close.
func Connect(ctx context.Context, t protocol.Transport, info Implementation, opts *ClientOptions) (*Client, error) {
	switch {
	case ctx == nil:
		return nil, fmt.Errorf("connecting: %w", errNilContext)
	case isNil(t):
		return nil, errors.New("connecting: the transport is nil")
	case opts != nil && slices.ContainsFunc(opts.Use, func(m Middleware) bool { return m == nil }):
		return nil, errors.New("connecting: a middleware is nil")
	}
	c := new(Client)
	if opts != nil {
		c.opts = *opts
	}
	if c.opts.Log == nil {
		c.opts.Log = slog.Default()
	}
	caps, err := c.opts.capabilities()
	if err != nil {
		return nil, err
	}
	c.cache = newCache(c.opts.CacheEntries, c.opts.CacheBytes)
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	soft, _ := c.limits(&CallOptions{})
	host := &protocol.Host{
		Info: info, Capabilities: caps, Answer: c.answerSessionQuestion, Notified: c.handleNotification,
		Revision: c.opts.Revision, ProbeTimeout: c.opts.ProbeTimeout, Timeout: soft,
	}
	c.conn, err = t.Connect(ctx, host)
	if err != nil {
		c.cancel(err)
		return nil, fmt.Errorf("connecting: %w", err)
	}
	c.connected.Store(&c.conn)
	c.send = c.conn.Dispatch
	for _, m := range slices.Backward(c.opts.Use) {
		c.send = m(c.send)
	}
	if len(c.opts.Use) > 0 {
		c.send = requireResult(c.send)
	}
	if err := c.start(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// isNil reports whether v is nil or a nil pointer.
func isNil(v any) bool {
	value := reflect.ValueOf(v)
	return v == nil || value.Kind() == reflect.Pointer && value.IsNil()
}

// errZeroClient is the error of a nil *Client and of the zero Client, which have no connection.
var errZeroClient = errors.New("the client was not made by Connect")

// check returns an error if the client has no connection or ctx is nil.
func (c *Client) check(ctx context.Context) error {
	switch {
	case c == nil || c.conn == nil:
		return errZeroClient
	case ctx == nil:
		return errNilContext
	}
	return nil
}

// start starts the delivery of notifications, the subscription to list changes and, in a session,
// the log level.
func (c *Client) start(ctx context.Context) error {
	if c.opts.OnLog != nil || c.opts.OnListChanged != nil || c.opts.OnResourceUpdated != nil {
		c.background(c.deliver)
	}
	if c.Revision().Modern() {
		if c.opts.OnListChanged != nil {
			c.subscribeToLists(ctx)
		}
		return nil
	}
	if c.opts.LogLevel != "" && c.conn.Discovered().Capabilities.Logging != nil {
		level := append(jsonx.AppendQuoted([]byte(`{"level":`), c.opts.LogLevel), '}')
		if err := c.sendControl(ctx, "logging/setLevel", level); err != nil {
			return fmt.Errorf("setting the log level: %w", err)
		}
	}
	return nil
}

// background runs f in a goroutine that Close waits for. It returns false if the client is closed.
func (c *Client) background(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.goroutines.Go(f)
	return true
}

// capabilities returns the capabilities that the set options declare. Invalid extensions are an
// error.
func (o *ClientOptions) capabilities() (protocol.ClientCapabilities, error) {
	caps := protocol.ClientCapabilities{Experimental: map[string]json.RawMessage{protocol.StructuredCapability: json.RawMessage(`{}`)}}
	if o.Elicit != nil || o.ElicitURL != nil {
		caps.Elicitation = new(protocol.ElicitationCapability)
		if o.Elicit != nil {
			caps.Elicitation.Form = new(struct{})
		}
		if o.ElicitURL != nil {
			caps.Elicitation.URL = new(struct{})
		}
	}
	if o.Sample != nil {
		caps.Sampling = new(protocol.SamplingCapability)
		if o.SampleTools {
			caps.Sampling.Tools = new(struct{})
		}
		if o.SampleContext {
			caps.Sampling.Context = new(struct{})
		}
	}
	if o.Roots != nil {
		caps.Roots = &protocol.RootsCapability{ListChanged: true}
	}
	for id, settings := range o.Extensions {
		if prefix, name, ok := strings.Cut(id, "/"); !ok || prefix == "" || name == "" {
			return caps, fmt.Errorf("the extension %q has no prefix; an example of an identifier is %q", id, "com.example/thing")
		}
		if settings == nil {
			settings = json.RawMessage(`{}`)
		}
		if jsonx.Valid(settings) != nil || settings[jsonx.Space(settings, 0)] != '{' {
			return caps, fmt.Errorf("the settings of the extension %s are not a JSON object: %s", id, settings)
		}
		if caps.Extensions == nil {
			caps.Extensions = make(map[string]json.RawMessage, len(o.Extensions))
		}
		caps.Extensions[id] = settings
	}
	return caps, nil
}

// Server returns the server's description of itself from the connection setup.
func (c *Client) Server() *protocol.DiscoverResult { return c.conn.Discovered() }

// Revision returns the negotiated revision of the protocol.
func (c *Client) Revision() protocol.Revision { return c.conn.Revision() }

// Done returns a channel that is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Close ends the connection, its subscriptions and in-flight requests, which fail. It waits at most
// five seconds for running functions of the options; after that it returns an error.
func (c *Client) Close() error {
	if c == nil || c.conn == nil {
		return errZeroClient
	}
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel(ErrClosed)
	err := c.conn.Close()
	if !c.goroutines.WaitFor(closeTimeout) {
		err = errors.Join(err, fmt.Errorf("a function of the client's options or of a subscription has not returned within %v", closeTimeout))
	}
	return err
}

// Ping checks that the server responds. It sends ping, or server/discover in revision 2026-07-28,
// which has no ping.
func (c *Client) Ping(ctx context.Context) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	method := "ping"
	if c.Revision().Modern() {
		method = "server/discover"
	}
	return c.sendControl(ctx, method, nil)
}

// sendControl sends a request and ignores the content of its result.
func (c *Client) sendControl(ctx context.Context, method string, params json.RawMessage) error {
	soft, hard := c.limits(&CallOptions{})
	ctx, _, stop := c.deadlines.begin(ctx, method, soft, hard)
	defer stop()
	_, err := c.dispatch(ctx, &protocol.Request{Method: method, Params: params})
	return err
}

// RootsChanged notifies the server that the result of ClientOptions.Roots has changed. It does
// nothing in revision 2026-07-28, whose servers request the roots when they need them.
//
// Deprecated: roots are deprecated as of 2026-07-28.
func (c *Client) RootsChanged(ctx context.Context) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	switch notifier, ok := c.conn.(protocol.Notifier); {
	case c.opts.Roots == nil:
		return errors.New("the client has no roots: ClientOptions.Roots is not set")
	case c.Revision().Modern():
		return nil
	case !ok:
		return errors.New("the transport cannot send notifications")
	default:
		return notifier.Notify(ctx, &protocol.RawNotification{Name: "notifications/roots/list_changed"})
	}
}
