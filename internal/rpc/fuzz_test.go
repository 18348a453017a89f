package rpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/rpc"
)

// FuzzParse compares the envelope scanner with encoding/json. An accepted message is a JSON object with the reported
// members, and an id is returned byte by byte.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`, `{"jsonrpc":"2.0","method":"m"}`, `{"jsonrpc":"2.0","id":"x","result":{}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"\u006d"}`,
		`{"id":1,"id":2}`, `{"jsonrpc":"2.0","id":null,"method":"m"}`, `{bad`, `[]`, `"x"`, `{"jsonrpc":"2.0","id":-0,"method":"m","params":null}`,
		`{"\u006asonrpc":"2.0","id":"\ud800","method":"m"}`, `{"jsonrpc":"2.0","id":1.0,"method":"m"}`, ` {"jsonrpc" : "2.0" } `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		sent := bytes.Clone(frame)
		m, e := rpc.Parse(frame)
		if !bytes.Equal(sent, frame) {
			t.Fatal("the frame was changed")
		}
		if e != nil {
			if e.Code != rpc.CodeParse && e.Code != rpc.CodeInvalidRequest {
				t.Fatalf("error %v", e)
			}
			if e.Code == rpc.CodeParse && json.Valid(frame) && bytes.Equal(bytes.ToValidUTF8(frame, nil), frame) && !strings.Contains(e.Message, "nested deeper") {
				t.Fatalf("called a parse error: %q", frame)
			}
			return
		}
		var want struct {
			ID     json.RawMessage `json:"id"`
			Method *string         `json:"method"`
			Params json.RawMessage `json:"params"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal(frame, &want); err != nil {
			t.Fatalf("accepted %q: %v", frame, err)
		}
		var exact map[string]json.RawMessage
		_ = json.Unmarshal(frame, &exact)
		if m.Kind == rpc.Request && string(exact["id"]) != string(m.ID) {
			t.Fatalf("id %s became %s", exact["id"], m.ID)
		}
		if m.Kind != rpc.Response && string(exact["method"]) != "" {
			var method string
			if json.Unmarshal(exact["method"], &method) != nil || method != m.Method {
				t.Fatalf("method %s became %q", exact["method"], m.Method)
			}
		}
		if m.Params != nil && string(exact["params"]) != string(m.Params) {
			t.Fatalf("params %s became %s", exact["params"], m.Params)
		}
		if m.Result != nil && string(exact["result"]) != string(m.Result) {
			t.Fatalf("result %s became %s", exact["result"], m.Result)
		}
	})
}
