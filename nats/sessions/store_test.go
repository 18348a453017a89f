package sessions_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/nats/sessions"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/httpserver/storetest"
)

var noLog = slog.New(slog.DiscardHandler)

// patience is how long anything may take on a machine that is busy.
const patience = 30 * time.Second

func newStore(t *testing.T, server *natstest.Server, opts sessions.Options) *sessions.Store {
	t.Helper()
	if opts.Log == nil {
		opts.Log = noLog
	}
	if opts.Timeout == 0 {
		opts.Timeout = patience
	}
	s, err := sessions.New(t.Context(), server.Connect(t), &opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// A Store keeps the contract of httpserver.Shared.
func TestStore(t *testing.T) {
	server := natstest.Start(t)
	for _, memory := range []bool{false, true} {
		t.Run(map[bool]string{false: "files", true: "memory"}[memory], func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) (a, b httpserver.Shared) {
				opts := sessions.Options{Prefix: "t" + rand.Text(), Memory: memory}
				return newStore(t, server, opts), newStore(t, server, opts)
			})
		})
	}
}

// A stream that NATS cannot reserve is refused with the bytes, and with the settings that
// help.
func TestNew_StorageTooSmall(t *testing.T) {
	server := natstest.StartWithStorage(t, 10<<20)
	_, err := sessions.New(t.Context(), server.Connect(t), &sessions.Options{EventBytes: 20 << 20, Log: noLog, Timeout: patience})
	if err == nil || !strings.Contains(err.Error(), "reserves 20971520 bytes") || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("the error is %v", err)
	}
	if _, err := sessions.New(t.Context(), server.Connect(t), &sessions.Options{EventBytes: 5 << 20, Log: noLog, Timeout: patience}); err != nil {
		t.Errorf("a stream that fits: %v", err)
	}
}

// Servers that have nothing to do with each other share nothing.
func TestPrefixes(t *testing.T) {
	server := natstest.Start(t)
	a, b := newStore(t, server, sessions.Options{Prefix: "a"}), newStore(t, server, sessions.Options{Prefix: "b"})
	id, name := rand.Text(), rand.Text()
	if _, err := a.CreateSession(t.Context(), id, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.LoadSession(t.Context(), id); !errors.Is(err, httpserver.ErrNoSession) {
		t.Errorf("the session of another server: %v", err)
	}
	leave, err := a.Join(name, func(context.Context, []byte) []byte { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	if _, err := b.Ask(t.Context(), name, nil); !errors.Is(err, httpserver.ErrNoHandler) {
		t.Errorf("asking a handler of another server: %v", err)
	}
	for _, prefix := range []string{"a.b", "*", ">", "a b", "ä"} {
		if _, err := sessions.New(t.Context(), server.Connect(t), &sessions.Options{Prefix: prefix}); err == nil || !strings.Contains(err.Error(), "prefix") {
			t.Errorf("the prefix %q: %v", prefix, err)
		}
	}
}

// NATS itself removes a record that was not used for Options.Idle.
func TestStore_RecordsExpire(t *testing.T) {
	s := newStore(t, natstest.Start(t), sessions.Options{Idle: time.Second})
	id := rand.Text()
	if _, err := s.CreateSession(t.Context(), id, []byte("x")); err != nil {
		t.Fatal(err)
	}
	awaitError(t, httpserver.ErrNoSession, func() error {
		_, _, err := s.LoadSession(t.Context(), id)
		return err
	})
}

// awaitError tries something again until it fails as it should, or succeeds when
// want is nil.
func awaitError(t *testing.T, want error, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if errors.Is(err, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %v, want %v", patience, err, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Without NATS every operation fails at once with ErrUnavailable. Afterwards it works again,
// with the records that were in files.
func TestRestart(t *testing.T) {
	for _, memory := range []bool{false, true} {
		t.Run(map[bool]string{false: "files", true: "memory"}[memory], func(t *testing.T) {
			server := natstest.Start(t)
			s := newStore(t, server, sessions.Options{Memory: memory, Timeout: time.Second})
			id, name := rand.Text(), rand.Text()
			stream := httpserver.EventStream{Session: id, Number: 1}
			if _, err := s.CreateSession(t.Context(), id, []byte("x")); err != nil {
				t.Fatal(err)
			}
			if err := s.Append(t.Context(), stream, httpserver.KeptEvent{Seq: 1, Data: []byte("event")}); err != nil {
				t.Fatal(err)
			}
			leave, err := s.Join(name, func(context.Context, []byte) []byte { return []byte("here") })
			if err != nil {
				t.Fatal(err)
			}
			defer leave()
			server.Stop()
			ask := func() error { _, err := s.Ask(t.Context(), name, nil); return err }
			awaitError(t, sessions.ErrUnavailable, ask)
			for what, try := range map[string]func() error{
				"create": func() error { _, err := s.CreateSession(t.Context(), rand.Text(), nil); return err },
				"load":   func() error { _, _, err := s.LoadSession(t.Context(), id); return err },
				"update": func() error { _, err := s.UpdateSession(t.Context(), id, nil, 1); return err },
				"delete": func() error { return s.DeleteSession(t.Context(), id) },
				"append": func() error { return s.Append(t.Context(), stream, httpserver.KeptEvent{Seq: 2}) },
				"after":  func() error { _, err := s.After(t.Context(), stream, 0); return err },
				"forget": func() error { return s.Forget(t.Context(), id) },
				"tell":   func() error { return s.Tell("", nil) },
			} {
				if err := try(); !errors.Is(err, sessions.ErrUnavailable) {
					t.Errorf("%s: %v", what, err)
				}
			}
			server.Restart(t)
			awaitError(t, nil, ask)
			want := error(nil)
			if memory {
				want = httpserver.ErrNoSession // but another can be opened
				awaitError(t, nil, func() error { _, err := s.CreateSession(t.Context(), rand.Text(), nil); return err })
			}
			awaitError(t, want, func() error { _, _, err := s.LoadSession(t.Context(), id); return err })
			if memory {
				want = httpserver.ErrEventsLost
			}
			awaitError(t, want, func() error { _, err := s.After(t.Context(), stream, 0); return err })
		})
	}
}
