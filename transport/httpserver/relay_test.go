package httpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/httpserver/storetest"
)

// FuzzCluster sends random ids of sessions, events and questions, and random
// messages of other Handlers: nothing panics, and each request gets a response.
func FuzzCluster(f *testing.F) {
	const name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for _, kind := range []string{"answer", "cancel", "ended", "adopt", "release", "watch", "still", "wake", ""} {
		f.Add("r1."+name+"-1", name+".1", fmt.Sprintf(`{"kind":%q,"from":%q,"stream":1,"reader":2,"claim":3,"id":"1","result":{}}`, kind, name), kind == "adopt")
	}
	f.Add("c1."+name+"-0", "1", `{"kind":"watch","session":"x"}`, true)
	f.Add("c-1.*-9223372036854775808", `.`, `[]`, false)
	f.Fuzz(func(t *testing.T, event, question, message string, own bool) {
		log, store := &panicLog{t: t}, new(storetest.Memory)
		h := httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: log.logger(), Shared: store})
		defer h.Shutdown(context.Background())
		session := fuzzServe(t, h, http.MethodPost, initializeBody(protocol.Rev20251125), nil).header.Get("Mcp-Session-Id")
		if own { // it is about a session that exists
			var m map[string]any
			if json.Unmarshal([]byte(message), &m) == nil && m != nil {
				m["session"] = session
				raw, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				message = string(raw)
			}
		}
		if _, err := store.Ask(t.Context(), store.Names()[0], []byte(message)); err != nil {
			t.Errorf("what another handler says: %v", err)
		}
		id, err := json.Marshal(question)
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range []struct{ method, body string }{
			{http.MethodGet, ""}, {http.MethodPost, `{"jsonrpc":"2.0","id":` + string(id) + `,"result":{}}`},
		} {
			for _, in := range []string{session, event} {
				header := http.Header{"Mcp-Session-Id": {in}, "Last-Event-Id": {event}, "Accept": {"text/event-stream"}}
				if w := fuzzServe(t, h, request.method, request.body, header); w.status == 0 && !w.left {
					t.Errorf("%s %s with %v was not answered", request.method, request.body, header)
				}
			}
		}
	})
}
