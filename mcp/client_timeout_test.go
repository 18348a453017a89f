package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// working is a tool that reports progress every so often and is done after some
// time.
func working(every, total time.Duration, ended chan<- error) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		began := time.Now()
		for time.Since(began) < total {
			select {
			case <-ctx.Done():
				ended <- context.Cause(ctx)
				return nil, ctx.Err()
			case <-time.After(every):
			}
			if req.Meta.ProgressToken != nil {
				_ = req.Notify(ctx, &protocol.ProgressNotification{Token: req.Meta.ProgressToken, Progress: time.Since(began).Seconds()})
			}
		}
		return protocol.RawResult(`{"content":[]}`), nil
	}
}

// A request that is not answered in time fails, and the server is told that it
// need not go on. Progress grants the time again, up to a limit.
func TestClientTimeout_Limits(t *testing.T) {
	const never = time.Duration(0)
	for name, tc := range map[string]struct {
		client, call mcp.CallOptions // of whom the limits are
		every, total time.Duration
		after        time.Duration // when it fails, or never
	}{
		"the default":                     {every: time.Hour, total: time.Hour, after: time.Minute},
		"progress in time":                {every: 40 * time.Second, total: 9 * time.Minute},
		"progress without end":            {every: 40 * time.Second, total: time.Hour, after: 10 * time.Minute},
		"progress too late":               {every: 61 * time.Second, total: time.Hour, after: time.Minute},
		"the client's own":                {client: mcp.CallOptions{Timeout: 5 * time.Second}, every: time.Hour, total: time.Hour, after: 5 * time.Second},
		"the client's own, with progress": {client: mcp.CallOptions{Timeout: 5 * time.Second}, every: 4 * time.Second, total: time.Hour, after: 50 * time.Second},
		"both of the client's own":        {client: mcp.CallOptions{Timeout: 5 * time.Second, HardTimeout: 6 * time.Second}, every: time.Second, total: time.Hour, after: 6 * time.Second},
		"a hard one that is shorter":      {client: mcp.CallOptions{HardTimeout: 6 * time.Second}, every: time.Hour, total: time.Hour, after: 6 * time.Second},
		"no hard one":                     {client: mcp.CallOptions{HardTimeout: -1}, every: 50 * time.Second, total: 24 * time.Hour, after: never},
		"none at all":                     {client: mcp.CallOptions{Timeout: -1}, every: 48 * time.Hour, total: 48 * time.Hour, after: never},
		"a hard one alone":                {client: mcp.CallOptions{Timeout: -1, HardTimeout: time.Hour}, every: 48 * time.Hour, total: 48 * time.Hour, after: time.Hour},
		"the call's own":                  {client: mcp.CallOptions{Timeout: time.Second, HardTimeout: 2 * time.Second}, call: mcp.CallOptions{Timeout: time.Minute}, every: 50 * time.Second, total: time.Hour, after: 10 * time.Minute},
		"none for the call":               {client: mcp.CallOptions{Timeout: time.Second}, call: mcp.CallOptions{Timeout: -1}, every: time.Hour, total: time.Hour, after: never},
		"a hard one for the call":         {call: mcp.CallOptions{HardTimeout: 90 * time.Second}, every: 50 * time.Second, total: time.Hour, after: 90 * time.Second},
	} {
		for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125, protocol.Rev20241105} {
			t.Run(name+" "+string(rev), func(t *testing.T) {
				mcptest.Bubble(t, func(t *testing.T) {
					ended := make(chan error, 1)
					client := mcptest.Connect(t, fake{"tools/call": working(tc.every, tc.total, ended)}, &mcp.ClientOptions{
						Revision: rev, Timeout: tc.client.Timeout, HardTimeout: tc.client.HardTimeout,
					})
					began := time.Now()
					_, err := client.CallTool(t.Context(), "work", nil, &tc.call)
					took := time.Since(began)
					if tc.after == never {
						if err != nil || took < tc.total {
							t.Errorf("after %v: %v", took, err)
						}
						return
					}
					var timeout *mcp.TimeoutError
					var refused *protocol.Error
					if !errors.As(err, &timeout) || timeout.Method != "tools/call" || timeout.After != tc.after || took != tc.after {
						t.Errorf("after %v: %v, want a failure after %v", took, err, tc.after)
					}
					if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &refused) {
						t.Errorf("%v is not a mere exceeded deadline", err)
					}
					if why := <-ended; why == nil || !strings.Contains(why.Error(), "cancelled") {
						t.Errorf("the handler's context ended with %v", why)
					}
				})
			})
		}
	}
}

// A user may take his time: the clock stands still while a question is answered.
func TestClientTimeout_SuspendedDuringQuestion(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		if rev < protocol.Rev20250618 {
			return // nobody can be asked
		}
		srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
				if err := mcp.Confirm(ctx, "sure", "Sure?"); err != nil {
					return "", err
				}
				select {
				case <-time.After(50 * time.Second):
					return "done", nil
				case <-ctx.Done():
					return "", context.Cause(ctx)
				}
			}),
			mcp.NewTool(mcp.Tool{Name: "idle"}, func(ctx context.Context, _ struct{}) (string, error) {
				<-ctx.Done()
				return "", ctx.Err()
			}),
		}})
		thinking := 5 * time.Minute
		asked := make(chan struct{})
		client := mcptest.Connect(t, srv, &mcp.ClientOptions{
			Revision: rev,
			Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				close(asked)
				select {
				case <-time.After(thinking):
				case <-ctx.Done():
				}
				return mcp.Answer[json.RawMessage]{Action: mcp.Accept}, nil
			},
		})
		idle := make(chan time.Duration, 1)
		began := time.Now()
		go func() {
			_, err := mcp.Call[string](context.Background(), client, "idle", nil)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("idle: %v", err)
			}
			idle <- time.Since(began)
		}()
		if text, err := mcp.Call[string](t.Context(), client, "ask", nil); err != nil || text != "done" {
			t.Errorf("ask: %q, %v", text, err)
		}
		<-asked
		// Nobody knows which request of a session has asked.
		want := time.Minute
		if !rev.Modern() {
			want += thinking
		}
		if took := <-idle; took != want {
			t.Errorf("the other call failed after %v, want %v", took, want)
		}
	})
}

// A question without end does not hold a request for ever.
func TestClientTimeout_HardLimitDuringQuestion(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv := mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
				return "", mcp.Confirm(ctx, "sure", "Sure?")
			}),
		}})
		client := mcptest.Connect(t, srv, &mcp.ClientOptions{
			Revision: protocol.Rev20251125, HardTimeout: 3 * time.Minute,
			Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				<-ctx.Done()
				return mcp.Answer[json.RawMessage]{}, ctx.Err()
			},
		})
		var timeout *mcp.TimeoutError
		if _, err := mcp.Call[string](t.Context(), client, "ask", nil); !errors.As(err, &timeout) || timeout.After != 3*time.Minute {
			t.Errorf("ask: %v", err)
		}
	})
}

// Everything that a client asks for has a limit.
func TestClientTimeout_EveryRequest(t *testing.T) {
	silent := wire(func(w *wireServer) { w.untilClosed() })
	for name, ask := range map[string]func(context.Context, *mcp.Client) error{
		"a tool":     func(ctx context.Context, c *mcp.Client) error { _, err := c.CallTool(ctx, "t", nil, nil); return err },
		"a resource": func(ctx context.Context, c *mcp.Client) error { _, err := c.ReadResource(ctx, "a:b", nil); return err },
		"a prompt":   func(ctx context.Context, c *mcp.Client) error { _, err := c.GetPrompt(ctx, "p", nil, nil); return err },
		"a completion": func(ctx context.Context, c *mcp.Client) error {
			_, err := c.CompletePrompt(ctx, "p", "a", "", nil)
			return err
		},
		"another":        func(ctx context.Context, c *mcp.Client) error { _, err := c.Request(ctx, "x/y", nil, nil); return err },
		"a sign of life": func(ctx context.Context, c *mcp.Client) error { return c.Ping(ctx) },
		"a subscription": func(ctx context.Context, c *mcp.Client) error {
			_, err := c.Subscribe(ctx, protocol.SubscriptionFilter{ToolsListChanged: true}, nil)
			return err
		},
		"a list": func(ctx context.Context, c *mcp.Client) error {
			for _, err := range c.Tools(ctx) {
				return err
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				client := dial(t, silent, nil)
				began := time.Now()
				if err := ask(t.Context(), client); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Minute {
					t.Errorf("after %v: %v", time.Since(began), err)
				}
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("my own reason"))
				defer cancel()
				if err := ask(ctx, client); err == nil || !strings.Contains(err.Error(), "my own reason") {
					t.Errorf("given up by its caller: %v", err)
				}
			})
		})
	}
}

// An older server that never answers initialize is given up too, and not told
// that initialize is cancelled, which it must not be.
func TestConnect_SilentServer(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		began := time.Now()
		var seen []string
		server := wireFromStart(func(w *wireServer) {
			for m := w.next(); m.Method != ""; m = w.next() {
				seen = append(seen, m.Method)
			}
		})
		_, err := mcp.Connect(t.Context(), server, mcp.Implementation{Name: "test"}, nil)
		var timeout *mcp.TimeoutError
		if !errors.As(err, &timeout) || timeout.Method != "initialize" || time.Since(began) != time.Minute {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		synctest.Wait()
		if got := strings.Join(seen, " "); got != "server/discover notifications/cancelled initialize" {
			t.Errorf("the client sent %s", got)
		}
	})
}

// Progress is asked for where a server may take its time.
func TestRequest_ProgressToken(t *testing.T) {
	for method, want := range map[string]bool{"tools/call": true, "resources/read": true, "prompts/get": true, "completion/complete": true, "x/y": true, "tools/list": false, "resources/templates/list": false, "server/discover": false} {
		for _, timeout := range []time.Duration{0, -1} {
			mcptest.Bubble(t, func(t *testing.T) {
				var token json.RawMessage
				client := dial(t, wire(func(w *wireServer) {
					m := w.next()
					token = m.Params.Meta.ProgressToken
					w.answer(m.ID, `{"resultType":"complete"}`)
					w.untilClosed()
				}), &mcp.ClientOptions{Timeout: timeout})
				if _, err := client.Request(t.Context(), method, nil, nil); err != nil {
					t.Error(err)
				}
				if got := token != nil; got != (want && timeout == 0) {
					t.Errorf("%s with timeout %v: the token is %s", method, timeout, token)
				}
			})
		}
	}
}
