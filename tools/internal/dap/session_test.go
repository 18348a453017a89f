package dap_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/google/go-dap"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/dap"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

func TestMain(m *testing.M) {
	if daptest.Serve() {
		return
	}
	goleak.VerifyTestMain(m)
}

// hang is how long nothing may take.
const hang = 30 * time.Second

// heard are the received events and output.
type heard struct {
	mu     sync.Mutex
	events []string
	output strings.Builder
}

func (h *heard) event(name string, _ json.RawMessage) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, name)
}

func (h *heard) text() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.events, " ") + "|" + h.output.String()
}

// config is an adapter that plays a script.
func config(t testing.TB, s daptest.Script, h *heard) dap.Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := dap.Config{Name: "fake", Command: []string{exe}, Dir: t.TempDir(), Env: append(os.Environ(), s.Env()), Event: h.event,
		Output: func(_ process.Stream, p []byte) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.output.Write(p)
		}}
	if s.Listen {
		c.Announces = daptest.Announcement
	}
	return c
}

func start(t testing.TB, s daptest.Script) (*dap.Session, *heard) {
	t.Helper()
	h := new(heard)
	session, err := dap.Start(t.Context(), config(t, s, h))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background(), false); err != nil {
			t.Error(err)
		}
	})
	return session, h
}

func TestSession(t *testing.T) {
	for name, s := range map[string]daptest.Script{"over its streams": {}, "over TCP": {Listen: true}} {
		t.Run(name, func(t *testing.T) {
			session, h := start(t, s)
			if !session.Offers().SupportsConfigurationDoneRequest {
				t.Errorf("it offers %+v", session.Offers())
			}
			if err := session.Call(t.Context(), "launch", map[string]any{"program": "/p"}, nil); err != nil {
				t.Fatal(err)
			}
			var threads protocol.ThreadsResponseBody
			if err := session.Call(t.Context(), "threads", nil, &threads); err != nil || len(threads.Threads) != 2 {
				t.Errorf("%+v, %v", threads, err)
			}
			if got := h.text(); !strings.HasPrefix(got, "initialized|") {
				t.Errorf("it said %q", got)
			}
			if err := session.Err(); err != nil {
				t.Error(err)
			}
			if err := session.Close(t.Context(), false); err != nil {
				t.Error(err)
			}
			if err := session.Err(); !errors.Is(err, dap.ErrClosed) {
				t.Errorf("it has ended: %v", err)
			}
			if err := session.Call(t.Context(), "threads", nil, nil); !errors.Is(err, dap.ErrClosed) {
				t.Errorf("a call behind the end: %v", err)
			}
			<-session.Done()
		})
	}
}

// Requests of an adapter are refused, and unknown messages are ignored.
func TestSession_AdapterRequests(t *testing.T) {
	session, h := start(t, daptest.Script{Sends: map[string][]string{"threads": {
		`{"seq":7,"type":"request","command":"runInTerminal","arguments":{"args":["sh"]}}`,
		`{"seq":8,"type":"request","command":"startDebugging"}`,
		`{"seq":9,"type":"request","command":"somethingNew"}`,
		`{"seq":10,"type":"event","event":"somethingNew","body":{"a":1}}`,
		`{"seq":11,"type":"response","request_seq":4711,"command":"threads","success":true}`,
	}}})
	for range 3 {
		if err := session.Call(t.Context(), "threads", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := h.text(); !strings.Contains(got, "somethingNew") {
		t.Errorf("it said %q", got)
	}
}

func TestRefusals(t *testing.T) {
	for name, tc := range map[string]struct{ event, want string }{
		"a message":   {`{"seq":3,"type":"response","request_seq":2,"command":"x","success":false,"message":"no such thing"}`, "no such thing"},
		"a format":    {`{"seq":3,"type":"response","request_seq":2,"command":"x","success":false,"message":"m","body":{"error":{"id":1,"format":"no {what}","variables":{"what":"way"}}}}`, "no way"},
		"nothing":     {`{"seq":3,"type":"response","request_seq":2,"command":"x","success":false}`, "without a reason"},
		"no success":  {`{"seq":3,"type":"response","request_seq":2,"command":"x","message":"odd"}`, "odd"},
		"a long text": {`{"seq":3,"type":"response","request_seq":2,"command":"x","success":false,"message":"` + strings.Repeat("long ", 5_000) + `"}`, "…"},
	} {
		t.Run(name, func(t *testing.T) {
			session, _ := start(t, daptest.Script{Sends: map[string][]string{"x": {tc.event}}, Does: map[string]string{"x": daptest.Ignore}})
			err := session.Call(t.Context(), "x", nil, nil)
			refused, ok := errors.AsType[*dap.Refusal](err)
			if !ok || !strings.Contains(refused.Message, tc.want) || len(refused.Message) > 3000 {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// An answer that is none of its kind is an error of that call alone.
func TestCall_InvalidAnswer(t *testing.T) {
	session, _ := start(t, daptest.Script{Answers: map[string]string{"threads": `{"threads":"none"}`, "scopes": `[1]`}})
	for command, result := range map[string]any{"threads": new(protocol.ThreadsResponseBody), "scopes": new(protocol.ScopesResponseBody)} {
		if err := session.Call(t.Context(), command, nil, result); err == nil || !strings.Contains(err.Error(), "an answer that is none") {
			t.Errorf("%s: %v", command, err)
		}
	}
	if err := session.Call(t.Context(), "pause", nil, new(protocol.PauseResponse)); err != nil {
		t.Errorf("no body: %v", err)
	}
}

func TestTimeouts(t *testing.T) {
	h := new(heard)
	c := config(t, daptest.Script{Does: map[string]string{"evaluate": daptest.Ignore}, Capabilities: []byte(`{"supportsCancelRequest":true}`)}, h)
	c.CallTimeout = 50 * time.Millisecond
	session, err := dap.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close(context.Background(), false)
	if err := session.Call(t.Context(), "evaluate", nil, nil); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no answer") {
		t.Errorf("evaluate: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p, err := session.Send(ctx, "evaluate", nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := p.Result(ctx, nil); !errors.Is(err, context.Canceled) || p.Answered() {
		t.Errorf("a call that was given up: %v", err)
	}
	p.GiveUp()
}

// Calls and the session end whatever the adapter does. Short tests use each misbehaviour over one of the two connections.
func TestSession_HostileAdapters(t *testing.T) {
	for _, listen := range []bool{false, true} {
		for deed, want := range map[string]string{
			daptest.Hang: "no answer", daptest.Sleep: "no answer", daptest.Promise: "no answer",
			daptest.Die: "it has ended by itself with exit code 7", daptest.Quit: "it has ended by itself with exit code 0",
			daptest.Garbage: "instead of a header", daptest.Huge: "the limit is", daptest.Binary: "a message that is none", daptest.Strange: `the type "greeting"`,
			daptest.Flood: "no answer", daptest.Ask: "asks faster than it reads",
		} {
			if testing.Short() && listen != (len(deed)%2 == 0) {
				continue
			}
			name := deed
			if listen {
				name += " over TCP"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h := new(heard)
				c := config(t, daptest.Script{Listen: listen, Does: map[string]string{"threads": deed}, Deaf: true}, h)
				c.MaxMessage = 1 << 20
				c.Event = nil
				session, err := dap.Start(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				patience := hang
				if want == "no answer" {
					patience = 300 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				err = session.Call(ctx, "threads", nil, nil)
				if want != "no answer" && err != nil {
					<-session.Done() // its end is told when it is known
					err = session.Err()
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want %q", err, want)
				}
				if e, ok := errors.AsType[*dap.Error](err); !ok || deed == daptest.Die && !strings.Contains(e.Words, "the adapter has a fault") {
					t.Errorf("%#v", err)
				}
				if err := session.Close(t.Context(), false); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestStart_Failure(t *testing.T) {
	for name, tc := range map[string]struct {
		script daptest.Script
		want   string
	}{
		"it dies":               {daptest.Script{Does: map[string]string{"initialize": daptest.Die}}, "exit code 7"},
		"it refuses":            {daptest.Script{Errors: map[string]string{"initialize": "not today"}}, "not today"},
		"it says nothing":       {daptest.Script{Does: map[string]string{"initialize": daptest.Hang}}, "not ready within"},
		"it dies unannounced":   {daptest.Script{Listen: true, Does: map[string]string{"listen": daptest.Die}}, "exit code 7"},
		"it announces nothing":  {daptest.Script{Listen: true, Does: map[string]string{"listen": daptest.Sleep}}, "does not say at which address"},
		"it is somewhere else":  {daptest.Script{Listen: true, Address: "192.0.2.1:80"}, "no address of the loopback"},
		"it is at a name":       {daptest.Script{Listen: true, Address: "localhost:80"}, "no address of the loopback"},
		"it is nowhere":         {daptest.Script{Listen: true, Address: "127.0.0.1:1"}, "connecting"},
		"it prints and prints":  {daptest.Script{Listen: true, Does: map[string]string{"listen": "print"}, Address: strings.Repeat("x", 100_000)}, "no address of the loopback"},
		"it speaks but garbage": {daptest.Script{Does: map[string]string{"initialize": daptest.Garbage}}, "instead of a header"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(t, tc.script, new(heard))
			c.StartTimeout = hang
			if strings.Contains(tc.want, "not") && !strings.Contains(tc.want, "today") {
				c.StartTimeout = 500 * time.Millisecond
			}
			session, err := dap.Start(t.Context(), c)
			if err == nil {
				session.Close(context.Background(), false)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
	c := config(t, daptest.Script{}, new(heard))
	c.Command = []string{"/no/such/program"}
	if _, err := dap.Start(t.Context(), c); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is none: %v", err)
	}
}

// A panic in Config.Event ends the session, not the program.
func TestSession_EventPanic(t *testing.T) {
	c := config(t, daptest.Script{}, new(heard))
	c.Event = func(string, json.RawMessage) { panic("a fault") }
	session, err := dap.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	_ = session.Call(t.Context(), "launch", nil, nil)
	<-session.Done()
	if err := session.Err(); err == nil || !strings.Contains(err.Error(), "a fault beside it") {
		t.Errorf("%v", err)
	}
	session.Close(t.Context(), false)
}

// The output of the program is received if the adapter listens at an address.
func TestSession_Output(t *testing.T) {
	session, h := start(t, daptest.Script{Listen: true, Run: "echo from the program; echo and an error >&2"})
	if err := session.Call(t.Context(), "launch", nil, nil); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(hang); !strings.Contains(h.text(), "from the program\n") || !strings.Contains(h.text(), "and an error\n"); {
		if time.Now().After(deadline) {
			t.Fatalf("it said %q", h.text())
		}
		select {
		case <-session.Done():
			t.Fatal("it has ended")
		case <-time.After(10 * time.Millisecond):
		}
	}
	if strings.Contains(h.text(), "listening") {
		t.Errorf("it said %q", h.text())
	}
}
