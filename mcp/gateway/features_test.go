package gateway_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// combinations runs f for a client of either era in front of a server of either
// era, and of one in the process.
func combinations(t *testing.T, f func(t *testing.T, client protocol.Revision, upstream gateway.Upstream, srv *mcp.Server)) {
	for _, client := range eras {
		for name, rev := range map[string]protocol.Revision{"local": "", "older": protocol.Rev20251125, "oldest": protocol.Rev20241105, "modern": protocol.Latest} {
			t.Run(string(client)+" and "+name, func(t *testing.T) {
				srv := newServer("up")
				u := gateway.Upstream{Name: "up", Asks: true, Server: srv}
				if rev != "" {
					u.Server, u.Connect = nil, inMemory(srv, rev)
				}
				f(t, client, u, srv)
			})
		}
	}
}

func TestGateway_AllFeatures(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, srv *mcp.Server) {
		g := newGateway(t, gateway.Options{Instructions: "One for all."}, u)
		var told heard
		c := connect(t, g, rev, mcp.ClientOptions{OnResourceUpdated: func(uri string) { told.add(uri) }})
		if said := c.Server().Instructions; said != "One for all.\n\nThe server up says of itself:\nUse up with care." {
			t.Errorf("the instructions are %q", said)
		}
		var steps []string
		_, err := c.CallTool(t.Context(), "up_count", nil, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Message) }})
		if got := strings.Join(steps, ","); err != nil || got != "step 1,step 2,step 3" && got != ",," {
			t.Errorf("progress is %q, %v", got, err)
		}
		if got, err := c.ReadResource(t.Context(), "memo://up", nil); err != nil || got.Contents[0].Text != "memo of up" {
			t.Errorf("the resource is %v, %v", got, err)
		}
		if got, err := c.ReadResource(t.Context(), "up://rows/7", nil); err != nil || got.Contents[0].Text != "row 7 of up" {
			t.Errorf("the resource of a template is %v, %v", got, err)
		}
		if _, err := c.ReadResource(t.Context(), "memo://none", nil); !mcp.IsResourceNotFound(err) {
			t.Errorf("what nobody has: %v", err)
		}
		if got, err := c.GetPrompt(t.Context(), "up_greet", map[string]string{"who": "you"}, nil); err != nil || got.Messages[0].Content.(mcp.TextContent).Text != "up greets you" {
			t.Errorf("the prompt is %v, %v", got, err)
		}
		for template, err := range c.Templates(t.Context()) {
			if err != nil || template.URITemplate != "up://rows/{id}" {
				t.Errorf("the template is %v, %v", template, err)
			}
		}
		if u.Server != nil || u.Connect != nil && rev >= protocol.Rev20250326 {
			got, err := c.CompletePrompt(t.Context(), "up_greet", "who", "w", nil)
			if err != nil && !strings.Contains(err.Error(), "Method not found") || err == nil && got.Values[0] != "world of up" {
				t.Errorf("the completion is %v, %v", got, err)
			}
		}
		subscribed(t, c, srv, &told)
	})
}

// subscribed subscribes to a resource twice and checks the notifications of both subscriptions.
func subscribed(t *testing.T, c *mcp.Client, srv *mcp.Server, told *heard) {
	t.Helper()
	filter := protocol.SubscriptionFilter{ResourceSubscriptions: []string{"memo://up", "memo://nobody"}}
	first, err := c.Subscribe(t.Context(), filter, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Subscribe(t.Context(), filter, nil)
	if err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the update is told", func() bool {
		srv.ResourceUpdated("memo://up")
		return told.has("memo://up")
	})
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
}

// A call that its client gives up is given up at the upstream.
func TestCall_Cancellation(t *testing.T) {
	combinations(t, func(t *testing.T, rev protocol.Revision, u gateway.Upstream, srv *mcp.Server) {
		began, ended := make(chan struct{}), make(chan struct{})
		slow := mcp.NewTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ struct{}) (string, error) {
			close(began)
			<-ctx.Done()
			close(ended)
			return "", ctx.Err()
		})
		if err := srv.Replace("slow", mcp.Features{Tools: []mcp.ServerTool{slow}}); err != nil {
			t.Fatal(err)
		}
		c := connect(t, newGateway(t, gateway.Options{}, u), rev, mcp.ClientOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-began
			cancel()
		}()
		if _, err := c.CallTool(ctx, "up_slow", nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the call ended with %v", err)
		}
		<-ended
	})
}

// An error for an unknown name contains the next step.
func TestCall_UnknownName(t *testing.T) {
	g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "a", Server: newServer("a")})
	c := connect(t, g, protocol.Latest, mcp.ClientOptions{})
	for name, ask := range map[string]func() error{
		`did you mean "a_echo"`: func() error { _, err := c.CallTool(t.Context(), "a_ehco", nil, nil); return err },
		"see tools/list": func() error {
			_, err := c.CallTool(t.Context(), "completely-different", nil, nil)
			return err
		},
		`did you mean "a_greet"`: func() error { _, err := c.GetPrompt(t.Context(), "a_gret", nil, nil); return err },
		"needs a ref":            func() error { _, err := c.Request(t.Context(), "completion/complete", nil, nil); return err },
		"Unknown resource template": func() error {
			_, err := c.CompleteResource(t.Context(), "x://{y}", "y", "", nil)
			return err
		},
		"Method not found": func() error { _, err := c.Request(t.Context(), "no/such", nil, nil); return err },
		"needs the member": func() error { _, err := c.Request(t.Context(), "tools/call", nil, nil); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
