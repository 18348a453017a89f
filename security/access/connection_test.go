package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
)

// Of many clients of this machine that come at once, exactly as many get a place as there are.
func TestControl_MaxConnections(t *testing.T) {
	for _, most := range []int{0, 1, 7} {
		want := int64(most)
		if most == 0 {
			want = 10
		}
		control, srv := guarded(t, access.Options{MaxConnections: most})
		var served, refused atomic.Int64
		var all sync.WaitGroup
		sessions := make([]client, 100)
		for i := range sessions {
			sessions[i] = client{name: fmt.Sprint("c", i)}
			if i%2 == 0 {
				sessions[i] = older("c")
			}
			sessions[i].address = "127.0.0.1:1"
			all.Go(func() {
				for range 3 {
					switch code, why := sessions[i].ask(t, srv, "tools/list", `{}`); {
					case code == "":
						served.Add(1)
					case code == "CONNECTION_LIMIT" && why.rpc == -32003 && why.NextStep != "":
						refused.Add(1)
					default:
						t.Errorf("refused as %+v", why)
					}
				}
			})
		}
		all.Wait()
		if served.Load() != 3*want || refused.Load() != 300-3*want || control.Stats().Active != int(want) || control.Stats().Max != int(want) {
			t.Errorf("%d served and %d refused with %d places: %+v", served.Load(), refused.Load(), want, control.Stats())
		}
		runtime.KeepAlive(sessions)
	}
}

// A principal, or another host, does not get all places, whatever its clients are
// called and however many sessions they open.
func TestControl_ShareOfPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control, srv := guarded(t, access.Options{MaxConnections: 8, PerMinute: -1, PerHour: -1})
		var open []client
		defer func() { runtime.KeepAlive(open) }()
		served := func(from client) (n int64) {
			var got atomic.Int64
			var all sync.WaitGroup
			for i := range 20 {
				c := from
				if c.name = fmt.Sprint("c", i); i%2 == 0 {
					c.session = older(c.name).session
				}
				open = append(open, c)
				all.Go(func() {
					code, why := c.ask(t, srv, "tools/list", `{}`)
					switch {
					case code == "":
						got.Add(1)
					case code != "CONNECTION_LIMIT" || strings.Contains(why.Message, "8"):
						t.Errorf("refused as %+v", why)
					}
				})
			}
			all.Wait()
			return got.Load()
		}
		for _, tc := range []struct {
			from client
			want int64
		}{
			{client{principal: "alice"}, 4}, {client{principal: "Alice"}, 2}, {client{address: "192.0.2.9:1"}, 1}, {client{address: "[2001:db8::1]:1"}, 1}, {client{principal: "late"}, 0},
		} {
			if got := served(tc.from); got != tc.want {
				t.Errorf("%+v gets %d places, want %d", tc.from, got, tc.want)
			}
		}
		time.Sleep(5 * time.Minute)
		if got := served(client{principal: "late"}); got != 4 || control.Stats().Active != 4 {
			t.Errorf("later %d places, %+v", got, control.Stats())
		}
	})
}

// held is a request that a server is made to take long for.
func held(t *testing.T, c client, srv *mcp.Server, method, params string) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	_, req := c.request(t, method, params)
	begun := make(chan struct{})
	req.Notify = func(context.Context, protocol.Notification) error { close(begun); return nil }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = srv.Dispatch(ctx, req) // it ends with its context
	}()
	<-begun
	return func() { cancel(); <-ended }
}

// waiting is a tool that tells when it runs, and waits for its context.
func waiting() mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (mcp.None, error) {
		_ = mcp.CallFrom(ctx).Request.Notify(ctx, &protocol.ListChangedNotification{List: "tools"})
		<-ctx.Done()
		return mcp.None{}, ctx.Err()
	})
}

const (
	listening = `{"notifications":{"toolsListChanged":true}}`
	calling   = `{"name":"wait"}`
)

// An idle session is replaced, unless a request of it runs; a session with only a subscription is
// replaced last.
func TestControl_EvictIdleSession(t *testing.T) {
	for name, tc := range map[string]struct {
		first    client
		hold     [2]string // method and params of a request that goes on
		after    time.Duration
		kept     bool // the first counts as active after that time
		makeRoom bool // another client gets the place
	}{
		"a moment too early":      {client{name: "a"}, [2]string{}, 5*time.Minute - 1, true, false},
		"silent":                  {client{name: "a"}, [2]string{}, 5 * time.Minute, false, true},
		"silent, with a session":  {older("a"), [2]string{}, 5 * time.Minute, false, true},
		"waiting for a call":      {client{name: "a"}, [2]string{"tools/call", calling}, time.Hour, true, false},
		"listening, a bit early":  {client{name: "a"}, [2]string{"subscriptions/listen", listening}, 5*time.Minute - 1, true, false},
		"listening":               {client{name: "a"}, [2]string{"subscriptions/listen", listening}, 5 * time.Minute, true, true},
		"a session that lives on": {client{name: "a", session: older("a").session, transport: "tcp"}, [2]string{"subscriptions/listen", listening}, 5 * time.Minute, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				control := access.New(access.Options{MaxConnections: 1, Log: quiet})
				srv := server(t, control, waiting())
				if code, _ := tc.first.ask(t, srv, "tools/list", `{}`); code != "" {
					t.Fatal(code)
				}
				if tc.hold[0] != "" {
					defer held(t, tc.first, srv, tc.hold[0], tc.hold[1])()
				}
				time.Sleep(tc.after)
				if got := control.Stats().Active; got != map[bool]int{true: 1}[tc.kept] {
					t.Errorf("%d are active", got)
				}
				other := client{name: "b"}
				if code, _ := other.ask(t, srv, "tools/list", `{}`); (code == "") != tc.makeRoom {
					t.Errorf("another client gets %q", code)
				}
				want := []string{"a"}
				if tc.makeRoom {
					want = []string{"b"}
				}
				if got := names(control); !slices.Equal(got, want) {
					t.Errorf("%v have places, want %v", got, want)
				}
				if tc.makeRoom { // the first comes back when there is room again
					if code, _ := tc.first.ask(t, srv, "tools/list", `{}`); code != "CONNECTION_LIMIT" {
						t.Errorf("the first gets %q", code)
					}
					time.Sleep(5 * time.Minute)
					if code, _ := tc.first.ask(t, srv, "tools/list", `{}`); code != "" {
						t.Errorf("later the first gets %q", code)
					}
				}
				runtime.KeepAlive(tc.first)
			})
		})
	}
}

func names(control *access.Control) (all []string) {
	for _, s := range control.Sessions() {
		all = append(all, s.Name)
	}
	return all
}

// A session that has ended makes room at once.
func TestControl_SessionEnd(t *testing.T) {
	control, srv := guarded(t, access.Options{MaxConnections: 1})
	c, other := older("a"), older("b")
	c.ask(t, srv, "server/discover", `{}`)
	if code, _ := other.ask(t, srv, "server/discover", `{}`); code != "CONNECTION_LIMIT" {
		t.Errorf("while the first is there: %q", code)
	}
	end := held(t, c, srv, "subscriptions/listen", listening)
	c.session.End()
	if got := control.Stats().Active; got != 0 {
		t.Errorf("%d sessions", got)
	}
	if code, _ := other.ask(t, srv, "server/discover", `{}`); code != "" {
		t.Errorf("when it has ended: %q", code)
	}
	end() // the last request of the first session
	if got := names(control); !slices.Equal(got, []string{"b"}) {
		t.Errorf("%v", got)
	}
}

// A session that its transport has closed is removed.
func TestControl_SessionGone(t *testing.T) {
	control, srv := guarded(t, access.Options{MaxConnections: 1})
	func() {
		c := older("a")
		c.ask(t, srv, "server/discover", `{}`)
	}()
	for deadline := time.Now().Add(10 * time.Second); control.Stats().Active > 0 && time.Now().Before(deadline); {
		runtime.GC()
	}
	if got := control.Stats().Active; got != 0 {
		t.Errorf("%d sessions", got)
	}
}

func TestControl_StatsAndSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		control, srv := guarded(t, access.Options{MaxConnections: 3, PerMinute: 3, PerHour: -1})
		editor, desktop := client{name: "cursor-vscode", transport: "stdio", address: "here"}, client{name: "claude-ai\xff", principal: "ann"}
		begin := time.Now()
		editor.ask(t, srv, "tools/list", `{}`)
		editor.call(t, srv, "search")
		time.Sleep(time.Second)
		desktop.ask(t, srv, "tools/list", `{}`)
		older("old").ask(t, srv, "server/discover", `{}`)
		client{}.ask(t, srv, "tools/list", `{}`)
		stats := control.Stats()
		raw, err := json.Marshal(stats)
		const want = `{"active":3,"max":3,"total":3,"byClient":{"claude-desktop":1,"cursor":1,"unknown":1},"totalByClient":{"claude-desktop":1,"cursor":1,"unknown":1},"refused":{"CONNECTION_LIMIT":1}}`
		if err != nil || string(raw) != want {
			t.Errorf("%s, %v", raw, err)
		}
		all := control.Sessions()
		if len(all) != 3 {
			t.Fatalf("%+v", all)
		}
		first := all[0]
		if first.ID != "1" || first.Client != "cursor" || first.Name != "cursor-vscode" || first.Version != "1" || first.Transport != "stdio" || first.Address != "here" ||
			!first.Since.Equal(begin) || !first.Last.Equal(begin) || first.Requests != 2 || first.Running != 0 || first.Left.Minute != 1 || first.Left.Hour != -1 {
			t.Errorf("%+v", first)
		}
		if all[1].Principal != "ann" || all[1].Client != "claude-desktop" || all[2].Name != "old" {
			t.Errorf("%+v", all[1:])
		}
		time.Sleep(5 * time.Minute)
		if stats := control.Stats(); stats.Active != 0 || stats.Total != 3 || len(control.Sessions()) != 0 {
			t.Errorf("%+v", stats)
		}
	})
}
