package main

import (
	"strings"
	"testing"
)

func TestServe_Responses(t *testing.T) {
	t.Parallel()
	listed, err := tools(3)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, in, out string }{
		{"a ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"text":"道"}}}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"bytes\":3}"}],"structuredContent":{"bytes":3}}}`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ``},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"sing"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method: sing"}}`},
		{"an unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sing"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such tool: sing"}}`},
		{"bad parameters", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":3}`, `"code":-32602`},
		{"bad arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"text":3}}}`, `"code":-32602`},
		{"no JSON", `what?`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := serve(strings.NewReader(test.in+"\n"), &out, listed); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out.String(), test.out) || test.out == "" && out.Len() > 0 {
				t.Errorf("got %s, want %s", out.String(), test.out)
			}
		})
	}
}
