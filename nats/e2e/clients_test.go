package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// heard collects the notifications of a client.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, what)
}

func (h *heard) has(what string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.all, what)
}

// connect connects a client through the load balancer.
func (c *cluster) connect(rev protocol.Revision, hears *heard) *mcp.Client {
	c.Helper()
	carrier := &httpclient.Client{
		URL:   c.url,
		Token: func(context.Context, *httpclient.StatusError) (string, error) { return ada, nil },
	}
	opts := &mcp.ClientOptions{
		Revision: rev, Log: slog.New(slog.DiscardHandler), Timeout: patience,
		OnListChanged:     func(list string) { hears.add("list " + list) },
		OnResourceUpdated: func(uri string) { hears.add("updated " + uri) },
	}
	if rev != protocol.Rev20250326 {
		opts.Elicit = func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
		}
	}
	client, err := mcp.Connect(c.Context(), carrier, mcp.Implementation{Name: "test", Version: "1"}, opts)
	if err != nil {
		c.Fatalf("connecting: %v", err)
	}
	c.Cleanup(func() { _ = client.Close() }) // the test may have closed it
	return client
}

// Clients of every revision see one server, whatever instance answers.
func TestClients(t *testing.T) {
	c := startCluster(t, 3)
	for n, rev := range []protocol.Revision{protocol.Rev20250326, protocol.Rev20250618, protocol.Rev20251125, protocol.Rev20260728} {
		t.Run(string(rev), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			hears := new(heard)
			c := &cluster{T: t, nats: c.nats, at: c.at, url: c.url, client: c.client}
			client := c.connect(rev, hears)
			if client.Revision() != rev {
				t.Errorf("connected with %s", client.Revision())
			}
			var at []string
			for range 9 {
				who, err := mcp.Call[string](ctx, client, "who", nil)
				if err != nil {
					t.Fatal(err)
				}
				at = append(at, who)
			}
			if distinct(at) != 3 {
				t.Errorf("answers came from %d instances", distinct(at))
			}
			c.asksAndWorks(ctx, client)
			note := fmt.Sprintf("note%d", n)
			c.subscribes(ctx, client, hears, note)
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

func (c *cluster) asksAndWorks(ctx context.Context, client *mcp.Client) {
	c.Helper()
	for i := range 4 {
		if client.Revision() != protocol.Rev20250326 {
			if signed, err := mcp.Call[string](ctx, client, "sign", nil); err != nil || !strings.HasPrefix(signed, "Ada at ") {
				c.Errorf("signing: %q, %v", signed, err)
			}
		}
		job, progressed := fmt.Sprintf("%s-%d", client.Revision(), i), 0
		result, err := client.CallTool(ctx, "work", map[string]any{"job": job, "seconds": 0.3}, &mcp.CallOptions{
			OnProgress: func(protocol.ProgressNotification) { progressed++ },
		})
		if err != nil || result.IsError || progressed == 0 {
			c.Errorf("working: %+v with %d reports, %v", result, progressed, err)
		}
		if n := c.begun(job); n > 1 { // its log may come later
			c.Errorf("%s was begun %d times", job, n)
		}
	}
}

// subscribes checks that a client is notified of notes that any instance writes.
func (c *cluster) subscribes(ctx context.Context, client *mcp.Client, hears *heard, note string) {
	c.Helper()
	write := func(text string) {
		c.Helper()
		if _, err := mcp.Call[string](ctx, client, "write", map[string]any{"name": note, "text": text}); err != nil {
			c.Fatalf("writing: %v", err)
		}
	}
	write("first")
	until(c.T, "that the list has changed", func() bool { return hears.has("list resources") })
	subscription, err := client.Subscribe(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{"note://" + note}}, nil)
	if err != nil {
		c.Fatalf("subscribing: %v", err)
	}
	defer subscription.Close()
	var at []string
	for i := range 6 {
		hears.mu.Lock()
		hears.all = nil
		hears.mu.Unlock()
		where, err := mcp.Call[string](ctx, client, "write", map[string]any{"name": note, "text": fmt.Sprint(i)})
		if err != nil {
			c.Fatalf("writing: %v", err)
		}
		at = append(at, where)
		until(c.T, "that the note was updated ("+where+")", func() bool { return hears.has("updated note://" + note) })
	}
	if distinct(at) < 2 {
		c.Errorf("all was written at one instance: %v", at)
	}
	result, err := client.ReadResource(ctx, "note://"+note, &mcp.CallOptions{NoCache: true, Timeout: 10 * time.Second})
	if err != nil || len(result.Contents) != 1 || result.Contents[0].Text != "5" {
		c.Errorf("reading: %+v, %v", result, err)
	}
}
