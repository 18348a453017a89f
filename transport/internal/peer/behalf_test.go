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

// A request on behalf of another client declares the capabilities of that client.
func TestParams_OnBehalf(t *testing.T) {
	host := &protocol.Host{Info: mcp.Implementation{Name: "gateway", Version: "1"}}
	host.Capabilities.Elicitation = new(protocol.ElicitationCapability)
	base := legacy.RequestMeta(host)
	for _, caps := range []string{`{}`, `{"elicitation":{"url":{}}}`} {
		req := &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"x"}`), Meta: protocol.RequestMeta{}.WithForwardedCapabilities(json.RawMessage(caps))}
		got, err := peer.Params(req, protocol.Latest, base, "")
		if err != nil {
			t.Fatal(err)
		}
		meta, err := protocol.ReadMeta(got)
		if err != nil || string(meta.DeclaredCapabilities()) != caps || meta.Client().Name != "gateway" || meta.Revision != protocol.Latest {
			t.Errorf("%s: %s, %v", caps, got, err)
		}
		if older, err := peer.Params(req, protocol.Rev20251125, nil, ""); err != nil || strings.Contains(string(older), "elicitation") {
			t.Errorf("in a session: %s, %v", older, err)
		}
	}
}

// Log messages without a request go to the oldest request on behalf of a client
// that wants log messages, otherwise to the host.
func TestRouter_LogMessages(t *testing.T) {
	var r peer.Router
	wants := &protocol.Request{Meta: protocol.RequestMeta{LogLevel: protocol.LevelInfo}.WithForwardedCapabilities(json.RawMessage(`{}`))}
	first, closeFirst := r.OpenFor(wants, `"a"`)
	second, closeSecond := r.OpenFor(wants, `"b"`)
	other, closeOther := r.OpenFor(&protocol.Request{Meta: protocol.RequestMeta{LogLevel: protocol.LevelInfo}}, `"c"`)
	say := func() { r.Received("notifications/message", []byte(`{"level":"info","data":"x"}`)) }
	count := func() [3]int { return [3]int{len(first.Take()), len(second.Take()), len(other.Take())} }
	say()
	if got := count(); got != [3]int{1, 0, 0} {
		t.Errorf("they get %v", got)
	}
	closeFirst()
	say()
	if got := count(); got != [3]int{0, 1, 0} {
		t.Errorf("then they get %v", got)
	}
	closeSecond()
	var hosts int
	done := make(chan struct{})
	say()
	close(done)
	r.Deliver(&protocol.Host{Notified: func(protocol.Notification) { hosts++ }}, done)
	if got := count(); got != [3]int{} || hosts != 1 {
		t.Errorf("at last they get %v, and the host %d", got, hosts)
	}
	closeOther()
}
