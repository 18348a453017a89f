package dashboard_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hang is the timeout of each step.
const hang = 30 * time.Second

const token = "the-token-of-the-tests"

// fixture is a dashboard with a listener.
type fixture struct {
	*dashboard.Dashboard
	memory *record.Memory
	base   string // of its URLs, without a slash at the end
}

func start(t *testing.T, o dashboard.Options, address string) *fixture {
	t.Helper()
	memory := record.NewMemory(record.MemoryOptions{MaxEvents: 1000, MaxEventBytes: 4 << 20, Dir: t.TempDir()})
	if o.Store == nil {
		o.Store = memory
	}
	if o.Events == nil {
		o.Events = memory.Log()
	}
	o.Outputs, o.Token, o.Name, o.Version, o.MaxConcurrent = memory.Outputs(), token, "kuromajutsu", "1.2.3", 7
	d, err := dashboard.New(o)
	if err != nil {
		t.Fatal(err)
	}
	at, err := d.Listen(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), hang)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	_, port, _ := strings.Cut(at.String(), "]:")
	if port == "" {
		port = at.String()[strings.LastIndexByte(at.String(), ':')+1:]
	}
	return &fixture{d, memory, "http://127.0.0.1:" + port}
}

// browser is a connected page.
type browser struct {
	t    *testing.T
	conn *websocket.Conn
	read []message
}

// message is an event, a snapshot or a reply.
type message struct {
	Type    string          `json:"type"`
	Seq     int64           `json:"seq"`
	ID      int64           `json:"id"`
	OK      bool            `json:"ok"`
	AgentID string          `json:"agentId"`
	Data    json.RawMessage `json:"data"`
	Error   struct {
		Code, Message, Next string
	} `json:"error"`
}

// dial connects without a hello message.
func (f *fixture) dial(t *testing.T) *browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, f.base+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	t.Cleanup(func() { conn.CloseNow() })
	return &browser{t: t, conn: conn}
}

// connect sends a hello message with a token.
func (f *fixture) connect(t *testing.T, token string) *browser {
	t.Helper()
	b := f.dial(t)
	b.say(map[string]any{"type": "hello", "id": 1, "token": token})
	if m := b.until("reply"); m.ID != 1 || !m.OK {
		t.Fatalf("it does not greet, but says %+v", m)
	}
	return b
}

func (b *browser) say(v any) {
	b.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), hang)
	defer cancel()
	if err := b.conn.Write(ctx, websocket.MessageText, data); err != nil {
		b.t.Fatal(err)
	}
}

// next returns the next message.
func (b *browser) next() message {
	b.t.Helper()
	for len(b.read) == 0 {
		ctx, cancel := context.WithTimeout(b.t.Context(), hang)
		_, data, err := b.conn.Read(ctx)
		cancel()
		if err != nil {
			b.t.Fatalf("reading: %v", err)
		}
		if err := json.Unmarshal(data, &b.read); err != nil {
			b.t.Fatalf("reading %.200s: %v", data, err)
		}
	}
	m := b.read[0]
	b.read = b.read[1:]
	return m
}

// until skips messages of other types.
func (b *browser) until(kind string) message {
	b.t.Helper()
	for {
		if m := b.next(); m.Type == kind {
			return m
		}
	}
}

// closed returns the close status of the server.
func (b *browser) closed() websocket.StatusCode {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), hang)
	defer cancel()
	for {
		if _, _, err := b.conn.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}

// ask sends a request and returns its reply.
func (b *browser) ask(request map[string]any) message {
	b.t.Helper()
	request["id"] = 77
	b.say(request)
	m := b.until("reply")
	if m.ID != 77 {
		b.t.Fatalf("it answers %+v", m)
	}
	return m
}

// tell appends an event.
func (f *fixture) tell(t *testing.T, kind record.EventType, agentID, data string) {
	t.Helper()
	if _, err := f.memory.Log().Append(t.Context(), record.Event{Type: kind, AgentID: agentID, Data: json.RawMessage(data)}); err != nil {
		t.Fatal(err)
	}
}

// group adds a group with agents.
func (f *fixture) group(t *testing.T, id string, agents ...record.Agent) {
	t.Helper()
	if err := f.memory.CreateGroup(t.Context(), record.Group{ID: id, Description: "of " + id, Status: record.GroupActive, CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		a.GroupID = id
		if err := f.memory.CreateAgent(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
}
