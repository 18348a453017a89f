package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// uses are all that can be done with a client.
var uses = map[string]func(context.Context, *mcp.Client) error{
	"call":   func(ctx context.Context, c *mcp.Client) error { _, err := c.CallTool(ctx, "t", nil, nil); return err },
	"read":   func(ctx context.Context, c *mcp.Client) error { _, err := c.ReadResource(ctx, "a:b", nil); return err },
	"prompt": func(ctx context.Context, c *mcp.Client) error { _, err := c.GetPrompt(ctx, "p", nil, nil); return err },
	"complete": func(ctx context.Context, c *mcp.Client) error {
		_, err := c.CompleteResource(ctx, "a:{b}", "b", "", nil)
		return err
	},
	"request": func(ctx context.Context, c *mcp.Client) error { _, err := c.Request(ctx, "x/y", nil, nil); return err },
	"ping":    func(ctx context.Context, c *mcp.Client) error { return c.Ping(ctx) },
	"roots":   func(ctx context.Context, c *mcp.Client) error { return c.RootsChanged(ctx) },
	"list": func(ctx context.Context, c *mcp.Client) error {
		for _, err := range c.Resources(ctx) {
			return err
		}
		return nil
	},
	"subscribe": func(ctx context.Context, c *mcp.Client) error {
		sub, err := c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"a:b"}}, nil)
		if err != nil {
			return err
		}
		<-sub.Done()
		return sub.Err()
	},
}

// Closing ends whatever is under way, in every revision, and leaves nothing
// behind.
func TestClientClose_DuringRequests(t *testing.T) {
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
				block := func(ctx context.Context, _ *protocol.Request) (protocol.Result, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				srv := fake{}
				for _, method := range []string{"tools/call", "resources/read", "prompts/get", "completion/complete", "x/y", "resources/list", "subscriptions/listen"} {
					srv[method] = block
				}
				client, err := mcp.Connect(t.Context(), inMemory(srv), mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
					Revision: rev, OnListChanged: func(string) {}, OnLog: func(protocol.LogNotification) {},
					Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil },
				})
				if err != nil {
					t.Fatal(err)
				}
				const users = 3
				used := make(chan error, users)
				for range users {
					go func() { used <- use(context.Background(), client) }()
				}
				synctest.Wait()
				began := time.Now()
				if err := client.Close(); err != nil {
					t.Errorf("closing: %v", err)
				}
				if err := client.Close(); err != nil {
					t.Errorf("closing again: %v", err)
				}
				<-client.Done()
				for range users {
					if err := <-used; err == nil && name != "ping" && name != "roots" {
						t.Error("what was under way has succeeded")
					}
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it took %v", took)
				}
				if err := use(context.Background(), client); err == nil && (name != "roots" || !rev.Modern()) {
					t.Error("a closed client can be used")
				}
			})
		})
	}
}

// A question that is being answered ends with the client, although nothing is
// under way between two rounds.
func TestClientClose_DuringQuestion(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		asked := make(chan struct{})
		client, err := mcp.Connect(t.Context(), inMemory(asker("elicitation/create", `{"requestedSchema":{}}`)), mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
			Revision: rev,
			Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				close(asked)
				<-ctx.Done()
				return mcp.Answer[json.RawMessage]{}, context.Cause(ctx)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		called := make(chan error, 1)
		go func() {
			_, err := client.CallTool(context.Background(), "ask", nil, nil)
			called <- err
		}()
		<-asked
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
		if err := <-called; err == nil || rev.Modern() && !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("the call ended with %v", err)
		}
	})
}

// All methods may be called at once, Close included.
func TestClient_ConcurrentUse(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20250326} {
		t.Run(string(rev), func(t *testing.T) {
			var srv speaker
			client, err := mcp.Connect(t.Context(), inMemory(fake{
				"tools/call": says(`{"content":[]}`), "resources/read": says(`{"contents":[],"ttlMs":1}`), "prompts/get": says(`{"messages":[]}`),
				"completion/complete": says(`{"completion":{"values":[]}}`), "x/y": says(`{}`), "resources/list": says(`{"resources":[],"ttlMs":1}`),
				"subscriptions/listen": srv.listen,
			}), mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
				Revision: rev, OnListChanged: func(string) {}, OnResourceUpdated: func(string) {},
				Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			var users sync.WaitGroup
			for range 5 {
				for _, use := range uses {
					users.Go(func() {
						for range 20 {
							if use(context.Background(), client) != nil {
								return
							}
						}
					})
				}
				users.Go(func() {
					for range 50 {
						srv.say(t.Context(), listChanged("tools"))
						srv.say(t.Context(), updated("a:b"))
						client.ClearCache()
					}
				})
			}
			if _, err := client.CallTool(t.Context(), "t", nil, nil); err != nil {
				t.Error(err)
			}
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
			users.Wait()
		})
	}
}

// A server that goes away ends what waits for it.
func TestClient_ConnectionLost(t *testing.T) {
	for name, use := range uses {
		if name == "roots" {
			continue // nothing waits
		}
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				client := dial(t, wire(func(w *wireServer) { w.next() }), nil)
				began := time.Now()
				if err := use(t.Context(), client); err == nil || errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Second {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				<-client.Done()
			})
		})
	}
}
