package access_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
)

// Exactly as many requests are served in a minute and in an hour as may be, of
// whatever kind, and a refusal says when to come back.
func TestControl_RateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, srv := guarded(t, access.Options{})
		c := client{name: "c"}
		served := func(n int) (count int64, last newRefusal) {
			var got atomic.Int64
			var all sync.WaitGroup
			for i := range n {
				all.Go(func() {
					method := []string{"tools/list", "tools/call", "server/discover"}[i%3]
					if code, _ := c.ask(t, srv, method, `{"name":"search"}`); code == "" {
						got.Add(1)
					}
					c.ask(t, srv, "ping", `{}`) // is free
				})
			}
			all.Wait()
			_, last = c.call(t, srv, "search")
			return got.Load(), last
		}
		for minute := range 30 {
			count, why := served(200)
			if count != 120 || why.Code != "RATE_LIMITED" || why.rpc != 0 || why.Limit != "minute" && minute < 29 || why.RetryAfterSeconds != 60 && minute < 29 ||
				why.Remaining.Minute != 0 || why.Remaining.Hour != 3600-120*(minute+1) || !strings.Contains(why.Message, "120 requests in a minute") && minute < 29 {
				t.Fatalf("minute %d: %d were served, then %+v", minute, count, why)
			}
			time.Sleep(time.Minute)
		}
		_, why := c.ask(t, srv, "tools/list", `{}`) // half an hour is over
		if why.Code != "RATE_LIMITED" || why.rpc != -32603 || why.Limit != "hour" || why.RetryAfterSeconds != 1800 || why.Remaining.Minute != 120 || !strings.Contains(why.NextStep, "1800 seconds") {
			t.Errorf("%+v", why)
		}
		time.Sleep(time.Duration(why.RetryAfterSeconds)*time.Second - 1)
		if code, _ := c.call(t, srv, "search"); code != "RATE_LIMITED" {
			t.Errorf("a moment too early: %q", code)
		}
		time.Sleep(time.Nanosecond)
		if code, _ := c.call(t, srv, "search"); code != "" {
			t.Errorf("when it said: %q", code)
		}
	})
}

// A tool may have a limit of its own, under whatever spelling of its name; calls
// that it refuses cost nothing else.
func TestControl_ToolRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control, srv := guarded(t, access.Options{Tools: map[string]int{"createIssue": 5}})
		c := client{name: "c"}
		for i := range 5 {
			if code, _ := c.call(t, srv, []string{"createIssue", "create_issue"}[i%2]); code != "" {
				t.Fatalf("call %d: %s", i, code)
			}
		}
		for _, params := range []string{`{"name":"createIssue"}`, `{"name":"create_issue"}`, `{"name":"search","name":"createIssue"}`, `{"name":"create\u0049ssue"}`} {
			code, why := c.ask(t, srv, "tools/call", params)
			if code != "RATE_LIMITED" || why.Limit != "createIssue" || why.RetryAfterSeconds != 60 || why.Remaining.Minute != 115 || !strings.Contains(why.Message, "createIssue may be called 5 times") {
				t.Errorf("%s: %+v", params, why)
			}
		}
		if code, _ := c.call(t, srv, "search"); code != "" {
			t.Errorf("another tool: %s", code)
		}
		if code, _ := (client{name: "d", address: "192.0.2.2:1"}).call(t, srv, "createIssue"); code != "" {
			t.Errorf("another host: %s", code)
		}
		if left := control.Sessions()[0].Left; left.Minute != 114 {
			t.Errorf("%+v is left", left)
		}
		time.Sleep(time.Minute)
		if code, _ := c.call(t, srv, "createIssue"); code != "" {
			t.Errorf("a minute later: %s", code)
		}
	})
}

// A principal has one quota, whatever clients it uses and from wherever; the
// others have one for each host.
func TestControl_QuotaOwner(t *testing.T) {
	session := older("s")
	for name, tc := range map[string]struct {
		a, b   client
		shared bool
	}{
		"one principal, two clients":   {client{name: "a", principal: "ann"}, client{name: "b", principal: "ann", address: "192.0.2.9:1"}, true},
		"one principal, two sessions":  {client{session: older("a").session, principal: "ann"}, client{session: older("a").session, principal: "ann"}, true},
		"two principals":               {client{name: "a", principal: "ann"}, client{name: "a", principal: "bob"}, false},
		"two clients of one host":      {client{name: "a"}, client{name: "b"}, true},
		"another case":                 {client{name: "a", principal: "ann"}, client{name: "a", principal: "Ann"}, false},
		"one more character":           {client{name: "a", principal: "ann"}, client{name: "a", principal: "ann\x00"}, false},
		"one network":                  {client{name: "a", address: "[2001:db8::1]:1"}, client{name: "a", address: "[2001:db8::2]:1"}, true},
		"two networks":                 {client{name: "a", address: "[2001:db8::1]:1"}, client{name: "a", address: "[2001:db8:0:1::1]:1"}, false},
		"one address, two spellings":   {client{name: "a"}, client{name: "a", address: "[::ffff:192.0.2.1]:1"}, true},
		"two hosts":                    {client{name: "a"}, client{name: "a", address: "192.0.2.9:1"}, false},
		"two connections of one host":  {client{name: "a"}, client{name: "a", address: "192.0.2.1:2"}, true},
		"two sessions of one host":     {older("a"), older("a"), true},
		"a session of two connections": {session, client{session: session.session, address: "192.0.2.1:2"}, true},
		"who is called as a principal": {client{name: "ann", principal: "ann"}, client{name: "ann"}, false},
	} {
		_, srv := guarded(t, access.Options{PerMinute: 1})
		if code, _ := tc.a.call(t, srv, "search"); code != "" {
			t.Fatal(code)
		}
		if code, _ := tc.b.call(t, srv, "search"); (code == "RATE_LIMITED") != tc.shared {
			t.Errorf("%s: %q", name, code)
		}
		runtime.KeepAlive(tc)
	}
}

// To come again and again, under other names or in other sessions, does not bring
// any number of requests.
func TestControl_Reconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, srv := guarded(t, access.Options{PerMinute: 3, MaxConnections: 2})
		served, ids := 0, 0
		var why newRefusal
		for range 100 {
			ids++
			c := older(fmt.Sprint("c", ids))
			code, refused := c.call(t, srv, "search")
			if code == "" {
				served++
			} else if why = refused; code != "RATE_LIMITED" || why.Limit != "minute" {
				t.Fatalf("%+v", why)
			}
			c.session.End()
		}
		if served != 3 || why.RetryAfterSeconds != 60 || !strings.Contains(why.Message, "3 requests in a minute") {
			t.Errorf("%d were served, then %+v", served, why)
		}
		elsewhere, ann := client{name: "a", address: "192.0.2.2:1"}, client{name: "a", principal: "ann"}
		for _, c := range []client{elsewhere, ann} {
			if code, _ := c.call(t, srv, "search"); code != "" {
				t.Errorf("another: %s", code)
			}
		}
	})
}

// However a call is written, it counts for the tool that it calls.
func FuzzCallsOfALimitedTool(f *testing.F) {
	for _, seed := range []string{`{"name":"createIssue"}`, `{"name":"search","name":"createIssue"}`, `{"name":"createIssue","name":"search"}`, `{"name":"create\u0049ssue"}`, `{"n\u0061me":"createIssue","name":"search"}`, `{ "name" : "create_issue" , "arguments":{"name":"search"}}`, `{"name":null}`, `{"name":"\ud800"}`, `[`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		control := access.New(access.Options{Tools: map[string]int{"createIssue": 1}, Log: quiet})
		made := 0
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: quiet})
		create := mcp.NewTool(mcp.Tool{Name: "createIssue"}, func(context.Context, struct{}) (string, error) { made++; return "", nil })
		if err := srv.Replace("o", mcp.Features{Tools: []mcp.ServerTool{create, create.Named("create_issue"), tool("search")}}); err != nil {
			t.Fatal(err)
		}
		srv.Use(control.Middleware())
		for range 2 {
			_, _ = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: params})
		}
		if made > 1 {
			t.Errorf("%q was served twice", params)
		}
	})
}

func TestControl_NoLimits(t *testing.T) {
	control, srv := guarded(t, access.Options{PerMinute: -1, PerHour: -1, MaxConnections: -1})
	for i := range 500 {
		if code, _ := (client{name: fmt.Sprint("c", i%50)}).call(t, srv, "search"); code != "" {
			t.Fatal(code)
		}
	}
	if stats := control.Stats(); stats.Active != 50 || stats.Max != 65536 || control.Sessions()[0].Left.Minute != -1 {
		t.Errorf("%+v", stats)
	}
}

// Requests of the transport itself, and subscriptions of a session, are not counted.
func TestControl_InternalRequests(t *testing.T) {
	control, srv := guarded(t, access.Options{Allowed: []string{"cursor"}, PerMinute: 1})
	ctx, req := client{name: "other"}.request(t, "tools/list", `{}`)
	for range 3 {
		if _, err := srv.Dispatch(caller.Own(ctx), req); err != nil {
			t.Error(err)
		}
	}
	c := older("cursor")
	for range 3 {
		held(t, c, srv, "subscriptions/listen", listening)()
	}
	if code, _ := c.call(t, srv, "search"); code != "" {
		t.Error(code)
	}
	if stats := control.Stats(); stats.Total != 1 || len(stats.Refused) != 0 {
		t.Errorf("%+v", stats)
	}
	alone := client{name: "cursor", address: "192.0.2.2:1"}
	held(t, alone, srv, "subscriptions/listen", listening)() // which its client asks for
	if code, _ := alone.call(t, srv, "search"); code != "RATE_LIMITED" {
		t.Errorf("%q", code)
	}
	runtime.KeepAlive(c)
}

// For a client that has a place, the checks cost no allocation.
func TestControl_Allocations(t *testing.T) {
	control := access.New(access.Options{Allowed: []string{"cursor"}, PerMinute: 1 << 20, PerHour: 1 << 20, Tools: map[string]int{"createIssue": 1}, Log: quiet})
	handler := control.Middleware()(func(context.Context, *protocol.Request) (protocol.Result, error) { return nil, nil })
	session := older("cursor")
	for name, c := range map[string]client{"alone": {name: "cursor"}, "session": session, "somebody": {name: "cursor", principal: "ann"}} {
		ctx, req := c.request(t, "tools/call", `{"name":"search"}`)
		if got := testing.AllocsPerRun(1000, func() {
			if _, err := handler(ctx, req); err != nil {
				t.Error(err)
			}
		}); got > 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	runtime.KeepAlive(session)
}

// After Configure, counters stay, and a client that is no longer allowed loses its session.
func TestControl_Configure(t *testing.T) {
	control, srv := guarded(t, access.Options{PerMinute: 2, MaxConnections: 2})
	a, b := client{name: "cursor"}, client{name: "other"}
	a.call(t, srv, "search")
	b.call(t, srv, "search")
	control.Configure(access.Options{Allowed: []string{"cursor"}, PerMinute: 3, MaxConnections: 1, Log: quiet})
	for i, want := range []string{"", "", "RATE_LIMITED"} {
		if code, _ := a.call(t, srv, "search"); code != want {
			t.Errorf("call %d: %q, want %q", i, code, want)
		}
	}
	if code, _ := b.call(t, srv, "search"); code != "CLIENT_NOT_ALLOWED" {
		t.Errorf("who is not allowed any more: %q", code)
	}
	if stats := control.Stats(); stats.Active != 1 || stats.Max != 1 {
		t.Errorf("%+v", stats)
	}
}

// OnRefusal receives each refusal; the log is limited and truncates long names.
func TestControl_OnRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var told []*access.Refusal
		control := access.New(access.Options{Allowed: []string{"cursor"}, Log: slog.New(slog.NewTextHandler(&log, nil)), OnRefusal: func(r *access.Refusal) { told = append(told, r) }})
		srv := server(t, control)
		intruder := client{name: "x\n" + strings.Repeat("y", 10_000), principal: "ann"}
		for range 100 {
			intruder.call(t, srv, "search")
		}
		if lines := strings.Count(log.String(), "\n"); lines != 10 || !strings.Contains(log.String(), "code=CLIENT_NOT_ALLOWED") || log.Len() > 10*600 {
			t.Errorf("%d lines, %d bytes: %.600s", lines, log.Len(), log.String())
		}
		if len(told) != 100 || len(told[0].Name) > 64 || told[0].Principal != "ann" || told[0].Address != "192.0.2.1:1" || told[0].Method != "tools/call" || told[0].Client != access.Unknown || len(told[0].Error()) > 200 {
			t.Errorf("%d were told, the first %+v", len(told), told[0])
		}
		if got := control.Stats().Refused["CLIENT_NOT_ALLOWED"]; got != 100 {
			t.Errorf("%d were counted", got)
		}
		time.Sleep(time.Minute)
		log.Reset()
		intruder.call(t, srv, "search")
		if strings.Count(log.String(), "\n") != 1 {
			t.Errorf("a minute later: %s", log.String())
		}
	})
}
