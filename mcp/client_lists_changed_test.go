package mcp_test

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Whoever wants to know of list changes hears of all from the moment that the
// client is connected.
func TestOnListChanged(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		var srv speaker
		var lists heard
		mcptest.Connect(t, fake{"subscriptions/listen": srv.listen}, &mcp.ClientOptions{Revision: rev, OnListChanged: lists.add})
		if rev.Modern() && srv.count() != 1 {
			t.Error("the client is connected and does not listen")
		}
		synctest.Wait()
		for _, list := range []string{"tools", "prompts", "resources"} {
			srv.say(t.Context(), listChanged(list))
		}
		synctest.Wait()
		if got := lists.took(); got != "tools prompts resources" {
			t.Errorf("heard of %s", got)
		}
	})
}

// A server that ends the subscription is asked for another, again and again but
// not often, and what may have changed in the meantime is reported.
func TestOnListChanged_Reopens(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		var lists heard
		var opened []time.Duration
		began := time.Now()
		mcptest.Connect(t, fake{"subscriptions/listen": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			opened = append(opened, time.Since(began))
			switch len(opened) % 3 {
			case 0:
				return nil, protocol.Errorf(protocol.CodeInternal, "not now")
			case 1:
				_ = req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID, Filter: protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true}})
			}
			return &protocol.ListenResult{Subscription: req.ID}, nil
		}}, &mcp.ClientOptions{OnListChanged: lists.add})
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := len(opened); n < 60 || n > 130 {
			t.Errorf("opened %d times within an hour", n)
		}
		for i, limit := 1, time.Second; i < 10; i, limit = i+1, min(2*limit, time.Minute) {
			if pause := opened[i] - opened[i-1]; pause < limit/2 || pause > limit {
				t.Errorf("pause %d is %v, want %v or up to half of that less", i, pause, limit)
			}
		}
		reported := strings.Fields(lists.took())
		sort.Strings(reported)
		if want := (len(opened) - 1) / 3; len(reported) != 2*want || reported[0] != "prompts" || reported[want] != "tools" {
			t.Errorf("reported %d changes, want %d each of prompts and tools", len(reported), want)
		}
	})
}

// After a subscription that has lasted, the next attempt comes soon.
func TestOnListChanged_BackoffReset(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		var opened []time.Duration
		began := time.Now()
		mcptest.Connect(t, fake{"subscriptions/listen": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			opened = append(opened, time.Since(began))
			_ = req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID})
			if len(opened) > 5 {
				select {
				case <-time.After(time.Hour):
				case <-ctx.Done():
				}
			}
			return &protocol.ListenResult{Subscription: req.ID}, nil
		}}, &mcp.ClientOptions{OnListChanged: func(string) {}})
		time.Sleep(10 * time.Hour)
		synctest.Wait()
		if n := len(opened); n < 12 || opened[n-1]-opened[n-2] > time.Hour+time.Second {
			t.Errorf("opened at %v", opened)
		}
	})
}

// A server that does not know subscriptions is not asked again; nor is one that
// does not offer them, or that is gone.
func TestOnListChanged_Unsupported(t *testing.T) {
	for name, tc := range map[string]struct {
		discovered string // the capabilities
		want       int
		answer     func(w *wireServer, m wireMessage)
	}{
		"it does not know how": {everything, 1, func(w *wireServer, m wireMessage) {
			w.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"?"}}`, m.ID)
		}},
		"it does not offer it":  {`"capabilities":{"tools":{},"resources":{"subscribe":true}}`, 0, nil},
		"it goes away":          {everything, 1, func(w *wireServer, _ wireMessage) { _ = w.conn.Close() }},
		"it does not answer it": {everything, 1, func(*wireServer, wireMessage) {}},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				asked := 0
				began := time.Now()
				client := dial(t, wireFromStart(func(w *wireServer) {
					w.answer(w.next().ID, `{"supportedVersions":["2026-07-28"],`+tc.discovered+`}`)
					for m := w.next(); m.Method != ""; m = w.next() {
						asked++
						tc.answer(w, m)
					}
				}), &mcp.ClientOptions{OnListChanged: func(string) {}})
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("connecting took %v", took)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if asked != tc.want {
					t.Errorf("asked %d times, want %d", asked, tc.want)
				}
				if err := client.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Who takes his time is told of a change once; caches are up to date all the
// same.
func TestOnListChanged_SlowFunction(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		var srv speaker
		var lists, updates heard
		slow := make(chan struct{})
		client := mcptest.Connect(t, fake{
			"subscriptions/listen": srv.listen,
			"tools/list":           counted(`{"tools":[{"name":"t%d"}],"ttlMs":1000000}`),
		}, &mcp.ClientOptions{
			OnListChanged:     func(list string) { <-slow; lists.add(list) },
			OnResourceUpdated: updates.add,
		})
		if _, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:"}}, nil); err != nil {
			t.Fatal(err)
		}
		srv.say(t.Context(), listChanged("tools")) // this one is being told all the time
		synctest.Wait()
		for i := range 100 {
			if got, want := toolNames(t.Context(), client), fmt.Sprint("t", i+1); got != want {
				t.Fatalf("listed %s, want %s", got, want)
			}
			srv.say(t.Context(), listChanged("tools"))
			srv.say(t.Context(), listChanged("prompts"))
			srv.say(t.Context(), updated("a:/b"))
			synctest.Wait()
		}
		close(slow)
		synctest.Wait()
		if got := lists.took(); got != "tools tools prompts" && got != "tools prompts tools" {
			t.Errorf("told of the lists %s", got)
		}
		if got := updates.took(); got != "a:/b" {
			t.Errorf("told of the resources %s", got)
		}
	})
}

// Of log there is as much as there is room for; changes come through.
func TestOnLog_SlowFunction(t *testing.T) {
	for name, tc := range map[string]struct {
		send, size int
		want       string
	}{
		"by number": {5000, 1, "4097 of log, 1 of others"},
		"by size":   {5, 5 << 18, "4 of log, 1 of others"},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				slow := make(chan struct{})
				logs, others := 0, 0
				dial(t, wire(func(w *wireServer) {
					for i := range tc.send {
						w.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"%s"}}`, strings.Repeat("x", tc.size))
						if i == 0 {
							synctest.Wait() // it is being told
						}
					}
					w.send(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`)
					synctest.Wait()
					close(slow)
					w.untilClosed()
				}), &mcp.ClientOptions{
					OnLog:             func(protocol.LogNotification) { <-slow; logs++ },
					OnResourceUpdated: func(string) { others++ },
				})
				time.Sleep(time.Second)
				synctest.Wait()
				if got := fmt.Sprintf("%d of log, %d of others", logs, others); got != tc.want {
					t.Errorf("told %s, want %s", got, tc.want)
				}
			})
		})
	}
}
