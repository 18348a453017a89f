package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// spentInMemory is a store that several servers share.
type spentInMemory struct {
	mu   sync.Mutex
	ids  map[string]time.Time
	fail error
}

func (s *spentInMemory) Spend(_ context.Context, id string, until time.Time) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return false, s.fail
	}
	if _, used := s.ids[id]; used {
		return false, nil
	}
	if s.ids == nil {
		s.ids = make(map[string]time.Time)
	}
	s.ids[id] = until
	return true, nil
}

// shop is a server with a tool that pays once the user agrees.
type shop struct {
	*mcp.Server
	paid *int
}

func newShop(t *testing.T, spent mcp.SpentStore) shop {
	s := shop{paid: new(int)}
	key := make([]byte, 32)
	s.Server = newServer(t, &mcp.ServerOptions{StateKeys: [][]byte{key}, Spent: spent}, mcp.NewTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, _ struct{}) (string, error) {
		if err := mcp.Confirm(ctx, "sure", "Pay 100?"); err != nil {
			return "", err
		}
		*s.paid++
		return "paid", nil
	}))
	return s
}

// pay is one round: with a state it carries the user's consent. It returns the state of a question, or "" and the result.
func (s shop) pay(t *testing.T, state string) (asked string, result string) {
	t.Helper()
	params := map[string]any{"name": "pay", "arguments": map[string]any{}, "_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion":    protocol.Latest,
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(`{"elicitation":{"form":{}}}`),
	}}
	if state != "" {
		params["requestState"] = state
		params["inputResponses"] = json.RawMessage(`{"sure":{"action":"accept","content":{}}}`)
	}
	raw, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	meta, err := protocol.ReadMeta(raw)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Dispatch(t.Context(), &protocol.Request{Method: "tools/call", Params: raw, Meta: meta})
	if err != nil {
		t.Fatal(err)
	}
	if question, ok := got.(*protocol.InputRequired); ok {
		return question.State, ""
	}
	wire, err := got.AppendJSON(nil, protocol.Latest)
	if err != nil {
		t.Fatal(err)
	}
	return "", string(wire)
}

// A consent pays once, whichever servers with the same keys it is sent to.
func TestConfirm_OnceAcrossInstances(t *testing.T) {
	shared := new(spentInMemory)
	for what, tc := range map[string]struct {
		spent mcp.SpentStore
		first int // payments of the instance that has not asked, if the consent reaches it first
	}{"without a store": {nil, 0}, "with a store": {shared, 1}} {
		t.Run(what, func(t *testing.T) {
			for _, otherFirst := range []bool{false, true} {
				a, b := newShop(t, tc.spent), newShop(t, tc.spent)
				state, _ := a.pay(t, "")
				order := []shop{a, b, a, b}
				if otherFirst {
					order = []shop{b, b, a, a}
				}
				for _, s := range order {
					s.pay(t, state)
				}
				if *a.paid+*b.paid != 1 || otherFirst && *b.paid != tc.first {
					t.Errorf("paid %d and %d times", *a.paid, *b.paid)
				}
				again, _ := b.pay(t, state)
				if again == "" {
					t.Fatal("the other instance does not ask again")
				}
				if b.pay(t, again); *a.paid+*b.paid != 2 {
					t.Errorf("paid %d and %d times after another consent", *a.paid, *b.paid)
				}
			}
		})
	}
}

// A server that starts with the same keys knows the used consents of its predecessor from the store, or asks again.
func TestConfirm_OnceAcrossRestarts(t *testing.T) {
	for _, spent := range []mcp.SpentStore{nil, new(spentInMemory)} {
		before := newShop(t, spent)
		state, _ := before.pay(t, "")
		if before.pay(t, state); *before.paid != 1 {
			t.Fatalf("paid %d times", *before.paid)
		}
		after := newShop(t, spent)
		if asked, _ := after.pay(t, state); asked == "" || *after.paid != 0 {
			t.Errorf("after the restart paid %d times", *after.paid)
		}
	}
}

// Of many replays at once, at many instances, one pays.
func TestConfirm_OnceConcurrently(t *testing.T) {
	shared := new(spentInMemory)
	var paid sync.Map
	key := make([]byte, 32)
	var shops []shop
	for range 4 {
		shops = append(shops, shop{Server: newServer(t, &mcp.ServerOptions{StateKeys: [][]byte{key}, Spent: shared}, mcp.NewTool(mcp.Tool{Name: "pay"}, func(ctx context.Context, _ struct{}) (string, error) {
			if err := mcp.Confirm(ctx, "sure", "Pay 100?"); err != nil {
				return "", err
			}
			paid.Store(new(int), true)
			return "paid", nil
		}))})
	}
	state, _ := shops[0].pay(t, "")
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() { shops[i%4].pay(t, state) })
	}
	all.Wait()
	n := 0
	paid.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("paid %d times", n)
	}
}

// A consent that cannot be recorded does not count, and the model learns why.
func TestConfirm_StoreFails(t *testing.T) {
	broken := &spentInMemory{fail: errors.New("disk full")}
	s := newShop(t, broken)
	state, _ := s.pay(t, "")
	if asked, result := s.pay(t, state); asked != "" || *s.paid != 0 || !strings.Contains(result, "UNAVAILABLE") {
		t.Errorf("paid %d times: %s", *s.paid, result)
	}
}
