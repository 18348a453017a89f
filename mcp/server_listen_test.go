package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// hearing is who listens to a server, and how.
type hearing struct {
	mu     sync.Mutex
	notes  []string
	block  chan struct{} // until it is closed a notification takes
	ended  chan error
	result protocol.Result
}

// listen opens a subscription in a goroutine that ends with ctx or the server.
func listen(ctx context.Context, srv *mcp.Server, filter string, block chan struct{}) *hearing {
	h := &hearing{block: block, ended: make(chan error, 1)}
	go func() {
		result, err := srv.Dispatch(ctx, &protocol.Request{
			ID: "0", Method: "subscriptions/listen", Params: []byte(`{"notifications":` + filter + `}`), Meta: protocol.RequestMeta{Revision: protocol.Latest},
			Notify: func(_ context.Context, n protocol.Notification) error {
				if h.block != nil {
					<-h.block
				}
				h.mu.Lock()
				defer h.mu.Unlock()
				h.notes = append(h.notes, strings.TrimPrefix(n.Method(), "notifications/")+" "+string(n.AppendParams(nil, protocol.Latest)))
				return nil
			},
		})
		h.mu.Lock()
		h.result = result
		h.mu.Unlock()
		h.ended <- err
	}()
	return h
}

// take returns what was heard, without the id of the subscription.
func (h *hearing) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	notes := h.notes
	h.notes = nil
	for i, n := range notes {
		const id = `{"_meta":{"io.modelcontextprotocol/subscriptionId":0}`
		if !strings.Contains(n, id) {
			notes[i] = "WITHOUT ID " + n
			continue
		}
		notes[i] = strings.TrimSuffix(strings.TrimPrefix(strings.Replace(n, id, "", 1), "resources/updated ,"), " }")
	}
	return notes
}

func TestServerListen_Changes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := offering(t, nil, mcp.Features{ReserveResources: true, ReservePrompts: true})
		all := listen(ctx, srv, `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b","c:d/","a:b"]}`, nil)
		none := listen(ctx, srv, `{}`, nil)
		synctest.Wait()
		check := func(h *hearing, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := h.take(); !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
		// What is not offered is not honoured.
		check(all, `subscriptions/acknowledged ,"notifications":{"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b","c:d/"]}}`)
		check(none, `subscriptions/acknowledged ,"notifications":{}}`)

		for _, uri := range []string{"a:b", "a:b/c/d", "a:bc", "a:", "c:d/e", "c:d", "c:de", "a:b", ""} {
			srv.ResourceUpdated(uri)
		}
		// The second change of a:b is told with the first unless that was on its way.
		synctest.Wait()
		heard := all.take()
		if again := len(heard) - 1; again == 3 && heard[again] == heard[0] {
			heard = heard[:again]
		}
		if want := []string{`"uri":"a:b"}`, `"uri":"a:b/c/d"}`, `"uri":"c:d/e"}`}; !slices.Equal(heard, want) {
			t.Errorf("heard %q, want %q", heard, want)
		}

		// One notification for each list, whatever has changed in it; none for
		// what nobody sees.
		f := many(2)
		f.Resources[0] = f.Resources[0].With(mcp.ResourceOptions{Unlisted: true})
		replace := func(f mcp.Features) {
			t.Helper()
			if err := srv.Replace("more", f); err != nil {
				t.Fatal(err)
			}
		}
		replace(f)
		check(all, "prompts/list_changed", "resources/list_changed")
		replace(f)
		check(all)
		f.Templates = f.Templates[:1]
		replace(f)
		check(all, "resources/list_changed")
		f.Prompts = many(2).Prompts
		replace(f)
		check(all)
		f.Resources = f.Resources[1:]
		replace(f)
		check(all)
		f.Resources, f.Prompts = nil, f.Prompts[1:]
		replace(f)
		check(all, "prompts/list_changed", "resources/list_changed")
		check(none)

		cancel()
		for _, h := range []*hearing{all, none} {
			if err := <-h.ended; !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		}
	})
}

// What changes while the acknowledgement is on its way comes after it, once, and
// before the end.
func TestServerListen_ChangeDuringAcknowledgement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := offering(t, nil, mcp.Features{ReserveResources: true})
		block := make(chan struct{})
		h := listen(t.Context(), srv, `{"resourcesListChanged":true,"resourceSubscriptions":["a:b"]}`, block)
		synctest.Wait()
		for range 3 {
			srv.ResourceUpdated("a:b")
		}
		if err := mcp.AddResource(srv, mcp.Resource{URI: "a:b", Name: "b"}, reads(hello, nil)); err != nil {
			t.Fatal(err)
		}
		srv.Close()
		close(block)
		if err := <-h.ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		got := h.take()
		want := []string{`subscriptions/acknowledged ,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["a:b"]}}`, `"uri":"a:b"}`, "resources/list_changed"}
		if !slices.Equal(got, want) {
			t.Errorf("heard %q, want %q", got, want)
		}
		wire, err := h.result.AppendJSON(nil, protocol.Latest)
		if string(wire) != `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":0}}` || err != nil {
			t.Errorf("the last word is %s, %v", wire, err)
		}
	})
}

// A client that does not read costs a bounded amount; it is told less exactly
// what has changed, but nothing is kept from it.
func TestServerListen_SlowClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		srv := offering(t, nil, mcp.Features{ReserveResources: true})
		block := make(chan struct{})
		h := listen(ctx, srv, `{"resourceSubscriptions":["a:b","c:d"]}`, block)
		synctest.Wait()
		for i := range 5000 {
			srv.ResourceUpdated(fmt.Sprint("a:b/", i))
		}
		srv.ResourceUpdated("c:d/x")
		srv.ResourceUpdated("a:b/0")
		close(block)
		synctest.Wait()
		got := h.take()
		if len(got) != 1+1024+2 || got[1] != `"uri":"a:b/0"}` || got[1025] != `"uri":"a:b"}` || got[1026] != `"uri":"c:d"}` {
			t.Errorf("%d notifications, the last %q", len(got), got[max(0, len(got)-3):])
		}
		cancel()
		<-h.ended
	})
}

func TestServerListen_Refused(t *testing.T) {
	srv := offering(t, nil, mcp.Features{ReserveResources: true})
	uris := strings.TrimSuffix(strings.Repeat(`"a:b",`, 1025), ",")
	for _, filter := range []string{`5`, `null`, `{"resourceSubscriptions":[5]}`, `{"resourceSubscriptions":[` + uris + `]}`, `{"resourceSubscriptions":["a:` + strings.Repeat("x", 8192) + `"]}`} {
		h := listen(t.Context(), srv, filter, nil)
		select {
		case err := <-h.ended:
			if code(err) != protocol.CodeInvalidParams {
				t.Errorf("%.50s: %v", filter, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%.50s was taken", filter)
		}
	}
	gone := errors.New("gone")
	req := &protocol.Request{ID: "1", Method: "subscriptions/listen", Params: []byte(`{"notifications":{}}`), Notify: func(context.Context, protocol.Notification) error { return gone }}
	if _, err := srv.Dispatch(t.Context(), req); !errors.Is(err, gone) {
		t.Errorf("a client that is gone: %v", err)
	}
}
