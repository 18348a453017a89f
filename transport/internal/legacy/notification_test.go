package legacy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

func TestParseNotification(t *testing.T) {
	for _, tc := range []struct{ method, params, key, want string }{
		{"notifications/progress", `{"progressToken":"a","progress":0.5,"total":2,"message":"m"}`, `"a"`, `{"progressToken":"a","progress":0.5,"total":2,"message":"m"}`},
		{"notifications/progress", `{"progressToken":9007199254740993,"progress":1}`, `9007199254740993`, `{"progressToken":9007199254740993,"progress":1}`},
		{"notifications/message", `{"level":"info","logger":"l","data":{"x":[1]}}`, ``, `{"level":"info","logger":"l","data":{"x":[1]}}`},
		{"notifications/resources/updated", `{"uri":"a:b","_meta":{"io.modelcontextprotocol/subscriptionId":0}}`, `0`, `{"_meta":{"io.modelcontextprotocol/subscriptionId":0},"uri":"a:b"}`},
		{"notifications/tools/list_changed", ``, ``, `{}`},
		{"notifications/things/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":"x"}}`, `"x"`, `{"_meta":{"io.modelcontextprotocol/subscriptionId":"x"}}`},
		{"notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"notifications":{"toolsListChanged":true}}`, `4`, `{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"notifications":{"toolsListChanged":true}}`},
		{"notifications/other", `{"a":1}`, ``, `{"a":1}`},
	} {
		n, key, err := legacy.ParseNotification(tc.method, []byte(tc.params))
		if err != nil {
			t.Errorf("%s %s: %v", tc.method, tc.params, err)
			continue
		}
		rev := protocol.Latest
		if key == "" {
			rev = protocol.Rev20251125
		}
		if got := string(n.AppendParams(nil, rev)); n.Method() != tc.method || key != tc.key || got != tc.want {
			t.Errorf("%s %s is %s %s of %s, want %s of %s", tc.method, tc.params, n.Method(), got, key, tc.want, tc.key)
		}
	}
}

// A parsed notification is encoded to the same text again.
func FuzzParseNotification(f *testing.F) {
	f.Add("notifications/progress", `{"progressToken":1,"progress":1}`)
	f.Add("notifications/message", `{"level":"info","data":null}`)
	f.Add("notifications/x/list_changed", `{"_meta":null}`)
	f.Add("x", `[]`)
	f.Fuzz(func(t *testing.T, method, params string) {
		if params != "" && !json.Valid([]byte(params)) {
			return
		}
		n, _, err := legacy.ParseNotification(method, []byte(params))
		if err != nil {
			return
		}
		if n.Method() != method && !strings.HasSuffix(method, "/list_changed") {
			t.Errorf("%s has become %s", method, n.Method())
		}
		n.AppendParams(nil, protocol.Latest)
	})
}
