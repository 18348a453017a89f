package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema"
)

const (
	// defaultTimeout is how long a request waits for its answer, or for its
	// next progress.
	defaultTimeout = time.Minute
	// hardFactor is how many times longer it may wait in all.
	hardFactor = 10
	// closeGrace is how long closing waits for functions of the user's.
	closeGrace = 5 * time.Second
	// ackGrace is how long Connect waits for a server to acknowledge the
	// subscription to its list changes.
	ackGrace = 5 * time.Second
)

// ErrClosed is returned by a Client that has been closed.
var ErrClosed = errors.New("the client is closed")

// ClientOptions configure a Client. The zero value, or nil, has the defaults.
//
// The functions may be called concurrently with each other; each of those whose
// name begins with On is called by one goroutine at a time, in order.
type ClientOptions struct {
	// Elicit answers questions to the user. Setting it declares the capability
	// for forms. What an accepted form leaves out and has a default for is
	// filled in with it. The zero Action means Cancel.
	Elicit func(ctx context.Context, form ElicitForm) (Answer[json.RawMessage], error)
	// ElicitURL asks the user to open a page, and declares that capability. It
	// must show the whole URL and must not open it without consent.
	ElicitURL func(ctx context.Context, message, url string) (Action, error)
	// Sample runs sampling/createMessage and declares the capability.
	//
	// Deprecated: sampling is deprecated as of 2026-07-28.
	Sample func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Roots tells the folders that the client works in, and declares the
	// capability. See Client.RootsChanged.
	//
	// Deprecated: roots are deprecated as of 2026-07-28.
	Roots func(ctx context.Context) ([]Root, error)
	// OnLog receives log notifications at or above LogLevel.
	OnLog    func(LogNotification)
	LogLevel LogLevel
	// OnListChanged receives the name of a list that has changed, or may have
	// while nothing was heard of it: "tools", "prompts" or "resources". Setting
	// it opens a subscription, which is opened again whenever the server ends
	// it, and lets cached lists be dropped as soon as they change.
	OnListChanged func(list string)
	// OnResourceUpdated receives the URI of a resource that has changed and that
	// one of the client's subscriptions is for, see Client.Subscribe; of two
	// such subscriptions each may tell it.
	OnResourceUpdated func(uri string)
	// Extensions declares extensions of the protocol: their identifiers, such as
	// "com.example/thing", and their settings, JSON objects; nil means {}. Those
	// of the server are in Server().Capabilities (2026-07-28, basic/versioning,
	// "Extension Negotiation").
	Extensions map[string]json.RawMessage
	// Task waits for the end of a call that the server answers with a task, and
	// returns its result; created is that answer. Declare of package mcp/tasks sets
	// it. Servers answer so only to clients that declare the extension.
	Task func(ctx context.Context, c *Client, created json.RawMessage) (json.RawMessage, error)
	// Timeout is how long a request may take, and again after each of its
	// progress notifications. It does not run while a question of the server
	// is being answered. Default 1 minute; negative means no limit.
	Timeout time.Duration
	// HardTimeout is how long a request may take whatever its progress. Default:
	// ten times Timeout; negative means no limit.
	HardTimeout time.Duration
	// Cache bounds what is kept of the server's answers; nil has the defaults.
	Cache *CacheOptions
	// DisableCache asks the server every time.
	DisableCache bool
	// ValidateResults checks the structured content of tools against their
	// listed output schema. A result that does not fit is a *ResultError.
	ValidateResults bool
	// Reference judges results by the keywords of an output schema that the
	// checker does not compile: reference.Validator of package
	// mcp/schema/reference. Without it such a schema is an error.
	Reference func(document []byte) (schema.Validator, error)
	// Log receives panics of the functions that receive notifications. Default:
	// slog.Default().
	Log *slog.Logger
	// Revision, if set, is the only one tried.
	Revision Revision
	// ProbeTimeout: see Host.
	ProbeTimeout time.Duration
}

// Root is a folder that a client works in, as a file URI.
type Root struct {
	URI  string `json:"uri"`
	Name string `json:"name,omitempty"`
}

// Client uses what one server offers. All methods may be called concurrently.
type Client struct {
	conn    Conn
	opts    ClientOptions
	cache   *cache // nil when disabled
	schemas outputSchemas
	waits   deadlines
	mail    mailbox

	life context.Context // ends when the client is closed
	stop context.CancelCauseFunc

	mu     sync.Mutex // orders bg.Go before bg.Wait
	closed bool
	bg     group.Group
}

// Connect connects to a server. ctx bounds the opening alone. opts may be nil.
func Connect(ctx context.Context, t Transport, info Implementation, opts *ClientOptions) (*Client, error) {
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
	if !c.opts.DisableCache {
		c.cache = newCache(c.opts.Cache)
	}
	c.life, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	soft, _ := c.limits(&CallOptions{})
	host := &Host{
		Info: info, Capabilities: caps, Answer: c.answerWhileWaiting, Notified: c.notified,
		Revision: c.opts.Revision, ProbeTimeout: c.opts.ProbeTimeout, Timeout: soft,
	}
	c.conn, err = t.Connect(ctx, host)
	if err != nil {
		c.stop(err)
		return nil, fmt.Errorf("connecting: %w", err)
	}
	if err := c.begin(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// begin starts what runs for as long as the client is connected.
func (c *Client) begin(ctx context.Context) error {
	if c.opts.OnLog != nil || c.opts.OnListChanged != nil || c.opts.OnResourceUpdated != nil {
		c.background(c.deliver)
	}
	if c.Revision().Modern() {
		if c.opts.OnListChanged != nil {
			c.followLists(ctx)
		}
		return nil
	}
	if c.opts.LogLevel != "" && c.conn.Discovered().Capabilities.Logging != nil {
		level := append(jsonx.AppendQuoted([]byte(`{"level":`), c.opts.LogLevel), '}')
		if err := c.control(ctx, "logging/setLevel", level); err != nil {
			return fmt.Errorf("setting the log level: %w", err)
		}
	}
	return nil
}

// background runs f in a goroutine that Close waits for, unless the client is
// closed.
func (c *Client) background(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.bg.Go(f)
	return true
}

func (o *ClientOptions) capabilities() (ClientCapabilities, error) {
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
		caps.Roots = &RootsCapability{ListChanged: true}
	}
	for id, settings := range o.Extensions {
		if prefix, name, ok := strings.Cut(id, "/"); !ok || prefix == "" || name == "" {
			return caps, fmt.Errorf("the extension %q has no prefix; an identifier is such as %q", id, "com.example/thing")
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

// Server is what the server said of itself when the client connected.
func (c *Client) Server() *DiscoverResult { return c.conn.Discovered() }

// Revision is the revision that is spoken.
func (c *Client) Revision() Revision { return c.conn.Revision() }

// Done is closed when the connection has ended.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Close ends the connection, its subscriptions and the requests under way, which
// fail. It waits for functions of the options that are running, but not for ever:
// one that does not return is an error.
func (c *Client) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.stop(ErrClosed)
	err := c.conn.Close()
	if !c.bg.WaitFor(closeGrace) {
		err = errors.Join(err, fmt.Errorf("a function of the client's options or of a subscription has not returned within %v", closeGrace))
	}
	return err
}

// Ping asks the server for a sign of life: with ping, or with server/discover
// since 2026-07-28, which has no ping.
func (c *Client) Ping(ctx context.Context) error {
	method := "ping"
	if c.Revision().Modern() {
		method = "server/discover"
	}
	return c.control(ctx, method, nil)
}

// control sends a request whose result says nothing.
func (c *Client) control(ctx context.Context, method string, params json.RawMessage) error {
	soft, hard := c.limits(&CallOptions{})
	ctx, _, stop := c.waits.begin(ctx, method, soft, hard)
	defer stop()
	_, err := c.dispatch(ctx, &Request{Method: method, Params: params})
	return err
}

// RootsChanged tells a server of a revision up to 2025-11-25 that the result of
// ClientOptions.Roots has changed. Later ones ask whenever they want to know: it
// does nothing then.
//
// Deprecated: roots are deprecated as of 2026-07-28.
func (c *Client) RootsChanged(ctx context.Context) error {
	switch notifier, ok := c.conn.(Notifier); {
	case c.opts.Roots == nil:
		return errors.New("the client has no roots: ClientOptions.Roots is not set")
	case c.Revision().Modern():
		return nil
	case !ok:
		return errors.New("the transport cannot send notifications")
	default:
		return notifier.Notify(ctx, &RawNotification{Name: "notifications/roots/list_changed"})
	}
}
