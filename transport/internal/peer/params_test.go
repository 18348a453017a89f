package peer_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// A request gets the _meta of its own connection. Members of another connection,
// from which a gateway forwards the request, are left out.
func TestParams(t *testing.T) {
	base := []byte(`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`)
	const foreign = `{"io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"debug","progressToken":7,"traceparent":"00-1","io.modelcontextprotocol/related":1,"a\"b/c":[1, 2]}`
	for name, tc := range map[string]struct {
		params, meta string
		level        protocol.LogLevel
		base         []byte
		rev          protocol.Revision
		token        string
		want         string
	}{
		"nothing, in a session":          {rev: protocol.Rev20251125, want: ``},
		"nothing":                        {rev: protocol.Latest, base: base, want: `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`},
		"nothing at all":                 {rev: protocol.Latest, want: ``},
		"params in a session":            {rev: protocol.Rev20241105, params: `{ "a" : 1 }`, level: protocol.LevelInfo, want: `{"a":1}`},
		"params":                         {rev: protocol.Latest, base: base, params: `{"a":1,"b":{}}`, want: `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"a":1,"b":{}}`},
		"a level":                        {rev: protocol.Latest, base: base, level: protocol.LevelError, want: `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/logLevel":"error"}}`},
		"a level alone":                  {rev: protocol.Latest, level: protocol.LevelError, want: `{"_meta":{"io.modelcontextprotocol/logLevel":"error"}}`},
		"a token":                        {rev: protocol.Rev20250326, token: `"p1"`, params: `{"a":1}`, want: `{"_meta":{"progressToken":"p1"},"a":1}`},
		"a token and the caller's":       {rev: protocol.Latest, token: `"p1"`, meta: foreign, params: `{}`, want: `{"_meta":{"progressToken":"p1","traceparent":"00-1","io.modelcontextprotocol/related":1,"a\"b/c":[1, 2]}}`},
		"the caller's in a session":      {rev: protocol.Rev20250618, meta: foreign, want: `{"_meta":{"traceparent":"00-1","io.modelcontextprotocol/related":1,"a\"b/c":[1, 2]}}`},
		"a _meta in the params":          {rev: protocol.Rev20250618, params: `{"_meta":{"x":1},"a":1}`, want: `{"a":1}`},
		"an escaped _meta in the params": {rev: protocol.Rev20250618, params: `{"\u005fmeta":{"x":1},"a":1}`, want: `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			req := &protocol.Request{Method: "m", Params: json.RawMessage(tc.params), Meta: protocol.RequestMeta{LogLevel: tc.level, Raw: json.RawMessage(tc.meta)}}
			got, err := peer.Params(req, tc.rev, tc.base, tc.token)
			if err != nil || string(got) != tc.want {
				t.Errorf("params %s, %v\nwant   %s", got, err, tc.want)
			}
		})
	}
	for _, req := range []*protocol.Request{
		{Method: "m", Params: json.RawMessage(`[1]`)},
		{Method: "m", Params: json.RawMessage(`{"a":`)},
		{Method: "m", Meta: protocol.RequestMeta{Raw: json.RawMessage(`[]`)}},
		{Method: "m", Meta: protocol.RequestMeta{Raw: json.RawMessage(`{"a" 1}`)}},
	} {
		if got, err := peer.Params(req, protocol.Latest, nil, ""); err == nil || !strings.Contains(err.Error(), "of m") {
			t.Errorf("params %s with _meta %s became %s, %v", req.Params, req.Meta.Raw, got, err)
		}
	}
}

// For any input, Params returns each member of _meta once, or an error.
func FuzzParams(f *testing.F) {
	f.Add(`{"a":1}`, `{"traceparent":"x"}`, `"p1"`, true)
	f.Add(`{"_meta":{}}`, `{"progressToken":1}`, ``, false)
	f.Add(``, ``, ``, true)
	base := legacy.RequestMeta(&protocol.Host{Info: mcp.Implementation{Name: "c", Version: "1"}})
	f.Fuzz(func(t *testing.T, params, meta, token string, modern bool) {
		rev := protocol.Rev20251125
		if modern {
			rev = protocol.Latest
		}
		if token != "" {
			token = `"t"`
		}
		if params != "" && !json.Valid([]byte(params)) || meta != "" && !json.Valid([]byte(meta)) {
			return
		}
		got, err := peer.Params(&protocol.Request{Params: json.RawMessage(params), Meta: protocol.RequestMeta{Raw: json.RawMessage(meta)}}, rev, base, token)
		if err != nil || got == nil {
			return
		}
		var wire struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(got, &wire); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		read, err := protocol.ReadMeta(got)
		if err != nil || modern != (read.Revision == protocol.Latest) || string(read.ProgressToken) != token {
			t.Errorf("%s is read as revision %q, token %s, %v", got, read.Revision, read.ProgressToken, err)
		}
	})
}

func TestCancelledID(t *testing.T) {
	for params, want := range map[string]string{
		string(peer.CancelParams(`"a"`, "why")): `"a"`,
		`{"requestId":5}`:                       `5`,
		`{"reason":"x"}`:                        ``,
		`[]`:                                    ``,
		``:                                      ``,
	} {
		if id, ok := peer.CancelledID([]byte(params)); string(id) != want || ok != (want != "") {
			t.Errorf("%s cancels %q, %v", params, id, ok)
		}
	}
}
