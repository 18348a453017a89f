package caller_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// request returns a request of revision 2026-07-28 of a client with this name.
func request(t testing.TB, client string, from protocol.Peer) *protocol.Request {
	t.Helper()
	meta, err := protocol.ReadMeta(json.RawMessage(fmt.Sprintf(
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":%q},"other":%d}}`, client, len(from.Address))))
	if err != nil {
		t.Fatal(err)
	}
	return &protocol.Request{Meta: meta, Peer: from}
}

func TestKeysOf_IndependentRequests(t *testing.T) {
	keys := caller.NewKeys()
	base := protocol.Peer{Transport: "http", Address: "192.0.2.1:1"}
	ann := protocol.Peer{Transport: "http", Address: "192.0.2.1:1", Principal: "ann"}
	first, anns := keys.Of(request(t, "a", base)), keys.Of(request(t, "a", ann))
	for name, tc := range map[string]struct {
		req  *protocol.Request
		of   caller.Key
		same bool
	}{
		"another connection":               {request(t, "a", protocol.Peer{Transport: "http", Address: "192.0.2.1:65535"}), first, true},
		"another host":                     {request(t, "a", protocol.Peer{Transport: "http", Address: "192.0.2.2:1"}), first, false},
		"another client":                   {request(t, "b", base), first, false},
		"another transport":                {request(t, "a", protocol.Peer{Transport: "tcp", Address: "192.0.2.1:1"}), first, false},
		"somebody":                         {request(t, "a", ann), first, false},
		"the same person from elsewhere":   {request(t, "a", protocol.Peer{Transport: "http", Address: "[2001:db8::1]:1", Principal: "ann"}), anns, true},
		"the same person's other client":   {request(t, "b", ann), anns, false},
		"nobody called as the person":      {request(t, "a", protocol.Peer{Transport: "ann", Address: "192.0.2.1:1"}), anns, false},
		"parts that join to the same text": {request(t, "a", protocol.Peer{Principal: "a", Transport: "nnhttp"}), anns, false},
		"the program itself":               {nil, first, false},
	} {
		if got := keys.Of(tc.req) == tc.of; got != tc.same {
			t.Errorf("%s: the same session is %v, want %v", name, got, tc.same)
		}
	}
	if keys.Of(nil) != (caller.Key{}) || first == (caller.Key{}) || first.Gone() || keys.Principal("ann") == keys.Principal("bob") {
		t.Error("keys are not what they should be")
	}
	if caller.NewKeys().Of(request(t, "a", base)) == first {
		t.Error("two makers of keys agree")
	}
}

func TestKeysOf_Sessions(t *testing.T) {
	keys := caller.NewKeys()
	one, two := &protocol.SessionMeta{Client: mcp.Implementation{Name: "c"}}, &protocol.SessionMeta{Client: mcp.Implementation{Name: "c"}}
	of := func(s *protocol.SessionMeta, port string) caller.Key {
		return keys.Of(&protocol.Request{Meta: protocol.RequestMeta{}.WithSession(s), Peer: protocol.Peer{Transport: "http", Address: "192.0.2.1:" + port}})
	}
	key := of(one, "1")
	other := of(two, "1")
	if key != of(one, "2") || key == other || key.Gone() || other.Gone() {
		t.Error("a session is not told by what it is")
	}
	if two.End(); !other.Gone() || key.Gone() {
		t.Error("the session that has ended is not the one that is gone")
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(two)
	one = nil
	for deadline := time.Now().Add(10 * time.Second); !key.Gone() && time.Now().Before(deadline); {
		runtime.GC()
	}
	if !key.Gone() {
		t.Error("a session that nobody serves any more is not gone")
	}
}

func TestHost(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1:80": "192.0.2.1", "[2001:db8::1]:80": "2001:db8::1", "[fe80::1%eth0]:80": "fe80::1%eth0", "localhost:1": "localhost",
		"": "", "@": "@", "/run/socket": "/run/socket", "2001:db8::1": "2001:db8::1", ":80": "", "::": "::", ":": "",
	} {
		if got := caller.Host(address); got != want {
			t.Errorf("the host of %q is %q, want %q", address, got, want)
		}
	}
}

func TestKeys_Unrelated(t *testing.T) {
	keys := caller.NewKeys()
	distinct := map[caller.Key]bool{{}: true, keys.Principal("a"): true, keys.Principal("b"): true, keys.Host("a"): true, keys.Host("b"): true, keys.Of(request(t, "a", protocol.Peer{})): true}
	if len(distinct) != 6 {
		t.Errorf("%d keys", len(distinct))
	}
}

func TestOwn(t *testing.T) {
	if caller.IsOwn(t.Context()) || !caller.IsOwn(caller.Own(t.Context())) {
		t.Error("a request of the program's own is not told from others")
	}
}

func TestKeysOf_NoAllocation(t *testing.T) {
	keys := caller.NewKeys()
	req := request(t, "a", protocol.Peer{Transport: "http", Address: "192.0.2.1:1"})
	if got := testing.AllocsPerRun(100, func() { keys.Of(req) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
