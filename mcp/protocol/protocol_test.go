package protocol_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
)

func TestRevision_Index(t *testing.T) {
	for i, rev := range protocol.Revisions() {
		if rev.Index() != i || !rev.Known() {
			t.Errorf("%s has the index %d, want %d; known: %t", rev, rev.Index(), i, rev.Known())
		}
	}
	if unknown := protocol.Revision("2099-01-01"); unknown.Index() != -1 || unknown.Known() {
		t.Errorf("an unknown revision has the index %d; known: %t", unknown.Index(), unknown.Known())
	}
}

func TestError_CodeFor(t *testing.T) {
	for _, tc := range []struct {
		err    protocol.Error
		legacy int64 // code in 2025-11-25
	}{
		{protocol.Error{Code: protocol.CodeInvalidParams}, protocol.CodeInvalidParams},
		{protocol.Error{Code: protocol.CodeInvalidParams, LegacyCode: protocol.CodeResourceNotFoundOld}, protocol.CodeResourceNotFoundOld},
	} {
		if modern, legacy := tc.err.CodeFor(protocol.Rev20260728), tc.err.CodeFor(protocol.Rev20251125); modern != tc.err.Code || legacy != tc.legacy {
			t.Errorf("%+v: %d and %d, want %d and %d", tc.err, modern, legacy, tc.err.Code, tc.legacy)
		}
	}
}

func TestError_WithData(t *testing.T) {
	err := protocol.Errorf(7, "no").WithData(map[string]string{"a": "<b>"})
	if got := string(err.WithData(func() {}).Data); got != `{"a":"<b>"}` {
		t.Errorf("data %s", got)
	}
}

// The value of a session is computed once, and belongs to that session alone.
func TestSessionMeta_Value(t *testing.T) {
	one, other := new(protocol.SessionMeta), new(protocol.SessionMeta)
	runs := 0
	compute := func() any { runs++; return runs }
	if a, b, c := one.Value("k", compute), one.Value("k", compute), other.Value("k", compute); a != 1 || b != 1 || c != 2 {
		t.Errorf("values %v, %v and %v, want 1, 1 and 2", a, b, c)
	}
}

// The capabilities of a request are its own in revision 2026-07-28, and those of its session before.
func TestRequestMeta_Capabilities(t *testing.T) {
	modern, err := protocol.ReadMeta(json.RawMessage(`{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{"extensions":{"a/b":{}},"experimental":{"c":{}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	session := &protocol.SessionMeta{Client: protocol.Implementation{Name: "n"}, Capabilities: modern.Capabilities()}
	for name, meta := range map[string]protocol.RequestMeta{"request": modern, "session": protocol.RequestMeta{}.WithSession(session)} {
		if !meta.HasExtension("a/b") || meta.HasExtension("c") || !meta.HasExperimental("c") || meta.HasExperimental("a/b") || meta.ClientName() != "n" {
			t.Errorf("%s: extensions %t, %t, experimental %t, %t, client %q", name,
				meta.HasExtension("a/b"), meta.HasExtension("c"), meta.HasExperimental("c"), meta.HasExperimental("a/b"), meta.ClientName())
		}
	}
}

func TestInputRequired_Order(t *testing.T) {
	requests := map[string]protocol.InputRequest{"a": {Method: "x"}, "b": {Method: "y"}}
	for _, tc := range []struct {
		order []string
		want  string
	}{
		{nil, `{"resultType":"input_required","inputRequests":{"a":{"method":"x"},"b":{"method":"y"}},"requestState":"s"}`},
		{[]string{"b", "a"}, `{"resultType":"input_required","inputRequests":{"b":{"method":"y"},"a":{"method":"x"}},"requestState":"s"}`},
	} {
		got, err := (&protocol.InputRequired{Requests: requests, State: "s", Order: tc.order}).AppendJSON(nil, protocol.Latest)
		if err != nil || string(got) != tc.want {
			t.Errorf("order %v: %s, %v", tc.order, got, err)
		}
	}
}
