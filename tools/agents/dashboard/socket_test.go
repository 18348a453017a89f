package dashboard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// A page receives a snapshot and then all events unchanged.
func TestSocket_Events(t *testing.T) {
	f := start(t, dashboard.Options{Open: true}, "127.0.0.1:0")
	f.group(t, "grp-1", record.Agent{ID: "a-1", Status: record.Running, Prompt: "long", LastAssistantMessage: strings.Repeat("語", 1000)})
	f.tell(t, record.ServerStartup, "", `{"version":"1"}`)
	b := f.connect(t, "")
	first := b.until("snapshot")
	var s struct {
		Server   struct{ Name, Version string }
		Writable bool
		Groups   []record.Group
		Agents   []record.Agent
		Roles    []json.RawMessage
	}
	if err := json.Unmarshal(first.Data, &s); err != nil {
		t.Fatal(err)
	}
	if first.Seq != 1 || s.Server.Name != "kuromajutsu" || s.Server.Version != "1.2.3" || s.Writable || len(s.Groups) != 1 || len(s.Agents) != 1 || s.Roles == nil {
		t.Fatalf("it shows %s", first.Data)
	}
	if a := s.Agents[0]; a.ID != "a-1" || a.Prompt != "" || len(a.LastAssistantMessage) > 1000 || !strings.HasSuffix(a.LastAssistantMessage, "語語") {
		t.Errorf("it shows the agent as %+v", a)
	}
	events := []record.EventType{
		record.HealthModelValidation, record.HealthRoleStart, record.HealthRoleComplete, record.HealthComplete, record.GroupCreated, record.AgentCreated,
		record.AgentToolCall, record.AgentStalled, record.AgentStatusUpdate, record.AgentCompleted, record.AgentResultReported, record.GroupRemoved, record.ConfigUpdated,
	}
	for i, kind := range events {
		f.tell(t, kind, "a-1", fmt.Sprintf(`{"n":%d}`, i))
	}
	for i, kind := range events {
		if m := b.next(); m.Type != string(kind) || m.Seq != int64(i+2) || m.AgentID != "a-1" || string(m.Data) != fmt.Sprintf(`{"n":%d}`, i) {
			t.Fatalf("event %d is %+v", i, m)
		}
	}
}

// A page receives the newest update of an agent, and no update after its end.
func TestSocket_CoalescedUpdates(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	b := f.connect(t, token)
	b.until("snapshot")
	const updates = 150
	for i := range updates {
		f.tell(t, record.AgentStatusUpdate, "a-1", fmt.Sprint(i))
		f.tell(t, record.AgentStatusUpdate, "a-2", fmt.Sprint(i))
	}
	f.tell(t, record.AgentCompleted, "a-1", `"end"`)
	f.tell(t, record.AgentStatusUpdate, "a-1", `"reported"`)
	newest := make(map[string]string)
	told := 0
	for newest["a-1"] != `"reported"` {
		m := b.next()
		if m.Type == "snapshot" {
			continue // where the machine is slow
		}
		if newest["a-1"] == `"end"` && m.AgentID == "a-1" && string(m.Data) != `"reported"` {
			t.Errorf("after the end it says %s", m.Data)
		}
		newest[m.AgentID] = string(m.Data)
		told++
	}
	if newest["a-2"] != fmt.Sprint(updates-1) {
		t.Errorf("the last that it says of the other agent is %s", newest["a-2"])
	}
	if told > updates {
		t.Errorf("of %d events it tells %d", 2*updates+2, told)
	}
}

// A page that does not read delays neither the sender nor other pages.
func TestSocket_SlowReader(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	messages := 300 // of 100 KiB: far more than sockets hold
	if testing.Short() {
		messages = 100
	}
	deaf := f.connect(t, token)
	b := f.connect(t, token)
	b.until("snapshot")
	large := `"` + strings.Repeat("x", 100<<10) + `"`
	for i := range messages {
		f.tell(t, record.AgentToolCall, "a-1", large)
		if i%50 == 49 {
			b.next()
		}
	}
	f.tell(t, record.AgentCompleted, "a-1", `"end"`)
	// A page that reads again receives the events or a snapshot.
	for _, reader := range []*browser{b, deaf} {
		for m := reader.next(); m.Type != string(record.AgentCompleted) && (m.Type != "snapshot" || m.Seq < int64(messages)+1); {
			m = reader.next()
		}
	}
}

// A page whose position is no longer in the log receives a snapshot.
func TestSocket_LogGone(t *testing.T) {
	gone := &lossyLog{told: make(chan struct{})}
	f := start(t, dashboard.Options{Events: gone}, "127.0.0.1:0")
	b := f.connect(t, token)
	if m := b.until("snapshot"); m.Seq != 1 {
		t.Errorf("the first snapshot is of %d", m.Seq)
	}
	close(gone.told)
	if m := b.until("snapshot"); m.Seq != 2 {
		t.Errorf("the second snapshot is of %d", m.Seq)
	}
}

// lossyLog is a log that loses its events once.
type lossyLog struct {
	told chan struct{}
	last int64
}

func (l *lossyLog) Append(_ context.Context, e record.Event) (record.Event, error) { return e, nil }

func (l *lossyLog) Last(context.Context) (int64, error) {
	l.last++
	return l.last, nil
}

func (l *lossyLog) Follow(ctx context.Context, after int64) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		if after > 1 {
			<-ctx.Done()
			return
		}
		select {
		case <-ctx.Done():
		case <-l.told:
			yield(record.Event{}, record.ErrGone)
		}
	}
}

// An invalid message ends at most its own connection.
func TestSocket_InvalidMessages(t *testing.T) {
	f := start(t, dashboard.Options{}, "127.0.0.1:0")
	write := func(b *browser, kind websocket.MessageType, data string) {
		t.Helper()
		if err := b.conn.Write(t.Context(), kind, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		hello bool
		kind  websocket.MessageType
		data  string
		code  websocket.StatusCode
	}{
		"no hello":      {false, websocket.MessageText, `{"type":"config:update_role"}`, websocket.StatusPolicyViolation},
		"no JSON":       {false, websocket.MessageText, `hello`, websocket.StatusPolicyViolation},
		"binary":        {true, websocket.MessageBinary, "\x00\xff", websocket.StatusUnsupportedData},
		"much too long": {true, websocket.MessageText, `{"type":"` + strings.Repeat("x", 100<<10) + `"}`, websocket.StatusMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			b := f.dial(t)
			if tt.hello {
				b = f.connect(t, token)
			}
			write(b, tt.kind, tt.data)
			if code := b.closed(); code != tt.code {
				t.Errorf("it closes with %d", code)
			}
		})
	}
	b := f.connect(t, token)
	for _, data := range []string{`nonsense`, `[]`, `{}`, `{"type":"no such thing","id":5}`, `{"type":"config:update_role","id":5,"role":7}`, `{"type":"config:update_role","id":5}`} {
		write(b, websocket.MessageText, data)
		if m := b.until("reply"); m.OK || m.Error.Code == "" || m.Error.Message == "" {
			t.Errorf("%s: it answers %+v", data, m)
		}
	}
}
