package gateway_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// round sends one round of a call as a client of 2026-07-28 that can be asked.
func round(t *testing.T, g *gateway.Gateway, principal, params string) (result map[string]any, err error) {
	t.Helper()
	whole := `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}},` + params[1:]
	meta, err := protocol.ReadMeta([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := g.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: json.RawMessage(whole), Meta: meta, Peer: protocol.Peer{Principal: principal}})
	if err != nil {
		return nil, err
	}
	wire, err := answer.AppendJSON(nil, protocol.Latest)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(wire, &result); err != nil {
		t.Fatalf("%s: %v", wire, err)
	}
	return result, nil
}

const deploy = `{"name":"up_deploy","arguments":{"target":"prod"}}`

// with are params with a state and an answer.
func with(params string, state any, responses string) string {
	text, _ := json.Marshal(state)
	return params[:len(params)-1] + `,"requestState":` + string(text) + `,"inputResponses":` + responses + `}`
}

// The name of a call that is held is good for its principal and its request, once,
// and for a while.
func TestSuspendedCall_Binding(t *testing.T) {
	limits := gateway.QuestionLimits{Held: 2, Connections: 2}
	g := newGateway(t, gateway.Options{Questions: limits}, gateway.Upstream{Name: "up", Asks: true, Connect: inMemory(newServer("up"), protocol.Rev20251125)})
	const yes = `{"q1":{"action":"accept","content":{"really":true}}}`
	first, err := round(t, g, "alice", deploy)
	if err != nil || first["resultType"] != "input_required" || !strings.Contains(string(must(first["inputRequests"])), "Deploy to prod?") {
		t.Fatalf("it answers %v, %v", first, err)
	}
	state := first["requestState"]
	for name, try := range map[string]func() (map[string]any, error){
		"somebody else": func() (map[string]any, error) { return round(t, g, "eve", with(deploy, state, yes)) },
		"another request": func() (map[string]any, error) {
			return round(t, g, "alice", with(`{"name":"up_deploy","arguments":{"target":"home"}}`, state, yes))
		},
		"another state":       func() (map[string]any, error) { return round(t, g, "alice", with(deploy, "gw1.AAAA", yes)) },
		"a state that is no":  func() (map[string]any, error) { return round(t, g, "alice", with(deploy, 5, yes)) },
		"answers that are no": func() (map[string]any, error) { return round(t, g, "alice", with(deploy, state, `5`)) },
	} {
		if got, err := try(); err == nil || !strings.Contains(err.Error(), "Invalid params") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	again, err := round(t, g, "alice", with(deploy, state, `{"other":{"action":"accept"}}`)) // the missing answer is requested again
	if err != nil || again["resultType"] != "input_required" || again["requestState"] == state {
		t.Fatalf("without an answer: %v, %v", again, err)
	}
	if _, err := round(t, g, "alice", with(deploy, state, yes)); err == nil {
		t.Error("a state was good twice")
	}
	second, err := round(t, g, "alice", with(`{"arguments": {"target" : "prod"}, "name":"up_deploy"}`, again["requestState"], yes))
	if err != nil || !strings.Contains(string(must(second["inputRequests"])), "Really?") {
		t.Fatalf("then it answers %v, %v", second, err)
	}
	if _, err := round(t, g, "bob", deploy); err != nil {
		t.Errorf("another call: %v", err)
	}
	busy, err := round(t, g, "carol", deploy)
	if err != nil || !strings.Contains(string(must(busy)), "SERVER_BUSY") {
		t.Errorf("one too many: %v, %v", busy, err)
	}
	third, err := round(t, g, "alice", with(deploy, second["requestState"], `{"q2":{"action":"accept","content":{"really":true,"why":"now"}}}`))
	if err != nil || third["resultType"] != "complete" || !strings.Contains(string(must(third)), "deployed to prod: true, now") {
		t.Errorf("at last: %v, %v", third, err)
	}
}

func must(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// A client that does not come back is forgotten, and the call with it.
func TestSuspendedCall_Expiry(t *testing.T) {
	g := newGateway(t, gateway.Options{Questions: gateway.QuestionLimits{HeldFor: time.Millisecond}},
		gateway.Upstream{Name: "up", Asks: true, Connect: inMemory(newServer("up"), protocol.Rev20251125)})
	first, err := round(t, g, "", deploy)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		for first["requestState"] == nil && time.Now().Before(deadline) { // the connection of the expired call is still busy
			if first, err = round(t, g, "", deploy); err != nil {
				t.Fatal(err)
			}
		}
		_, err := round(t, g, "", with(deploy, first["requestState"], `{}`))
		if err != nil {
			if !strings.Contains(err.Error(), "has expired") {
				t.Errorf("after a while: %v", err)
			}
			return
		}
		if first, err = round(t, g, "", deploy); err != nil || time.Now().After(deadline) {
			t.Fatalf("it never expires: %v", err)
		}
	}
}

// Sessions have connections of their own, as many as there may be.
func TestPool_SessionConnections(t *testing.T) {
	g := newGateway(t, gateway.Options{Questions: gateway.QuestionLimits{Connections: 1, Idle: time.Hour}},
		gateway.Upstream{Name: "up", Asks: true, Connect: inMemory(newServer("up"), protocol.Rev20251125)})
	inside, answer := make(chan struct{}), make(chan struct{})
	var asked atomic.Bool
	slow := connect(t, g, protocol.Rev20251125, mcp.ClientOptions{Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		if asked.CompareAndSwap(false, true) {
			close(inside)
			<-answer
		}
		return mcp.Answer[json.RawMessage]{Action: mcp.Decline}, nil
	}})
	ended := make(chan string, 1)
	go func() {
		text, _ := mcp.Call[string](context.Background(), slow, "up_deploy", deployArgs{"prod"})
		ended <- text
	}()
	<-inside
	declines := mcp.ClientOptions{Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
		return mcp.Answer[json.RawMessage]{Action: mcp.Decline}, nil
	}}
	other := connect(t, g, protocol.Rev20251125, declines)
	if _, err := mcp.Call[string](t.Context(), other, "up_echo", echoArgs{"x"}); err == nil || !strings.Contains(err.Error(), "SERVER_BUSY") {
		t.Errorf("the second session: %v", err)
	}
	if got := call(t, slow, "up_echo", echoArgs{"x"}); got != "up says x" {
		t.Errorf("beside its question the first session gets %q", got)
	}
	close(answer)
	if got := <-ended; got != "not deployed" {
		t.Errorf("the first session gets %q", got)
	}
	if got := call(t, other, "up_echo", echoArgs{"x"}); got != "up says x" { // the idle one makes room
		t.Errorf("then the second gets %q", got)
	}
}
