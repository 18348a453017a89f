package tasks_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/mcp/tasks/taskstest"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	natstasks "github.com/dougu-go/dougu/nats/tasks"
)

var quiet = slog.New(slog.DiscardHandler)

// patience is how long anything may take on a machine that is busy.
const patience = 60 * time.Second

var most = tasks.Limits{PerPrincipal: 100, Total: 100}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, server *natstest.Server, o natstasks.Options) *natstasks.Store {
	t.Helper()
	o.Log = quiet
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	s, err := natstasks.New(t.Context(), server.Connect(t), &o)
	must(t, err)
	t.Cleanup(s.Close)
	return s
}

func record(id, principal string) tasks.Record {
	begin := time.Now().UTC().Truncate(time.Millisecond)
	return tasks.Record{ID: id, Principal: principal, Owner: "o", Version: 1, Created: begin, Expires: begin.Add(time.Hour), Data: []byte(`{}`)}
}

// eventually tries something again until it is so.
func eventually(t *testing.T, what string, try func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: after %v: %v", what, patience, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Two stores on connections of their own are as two machines.
func TestStore(t *testing.T) {
	server := natstest.Start(t)
	for name, memory := range map[string]bool{"files": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			taskstest.Run(t, func(t *testing.T) (a, b tasks.Store) {
				o := natstasks.Options{Prefix: "t" + rand.Text(), Memory: memory}
				return open(t, server, o), open(t, server, o)
			})
		})
	}
}

// No bytes in ids and principals lead to the task of another principal.
func TestHostileNames(t *testing.T) {
	s, ctx := open(t, natstest.Start(t), natstasks.Options{}), t.Context()
	names := []string{"*", ">", "a.b", "a", " ", "\r\nDougu-Ended: true", "\x00\xff", "=", "ひみつ", strings.Repeat("x", 500)}
	for _, name := range names {
		must(t, s.Create(ctx, record(name, name), most))
	}
	for _, name := range names {
		r, err := s.Get(ctx, name)
		if err != nil || r.ID != name || r.Principal != name || r.Ended {
			t.Errorf("%q is %+v, %v", name, r, err)
		}
		all, err := s.List(ctx, name, tasks.Position{}, 100)
		if err != nil || len(all) != 1 || all[0].ID != name {
			t.Errorf("%q has %d, %v", name, len(all), err)
		}
	}
	for _, r := range []tasks.Record{record("", "x"), record(strings.Repeat("x", 1000), ""), record("x", strings.Repeat("x", 10_000))} {
		if err := s.Create(ctx, r, most); err == nil {
			t.Errorf("an id of %d bytes, a principal of %d: kept", len(r.ID), len(r.Principal))
		}
	}
	if _, err := natstasks.New(ctx, nil, &natstasks.Options{Prefix: "a.>"}); err == nil || !strings.Contains(err.Error(), "prefix") {
		t.Errorf("a prefix that cannot be: %v", err)
	}
}

func TestStore_TooLarge(t *testing.T) {
	server := natstest.Start(t)
	for name, test := range map[string]struct {
		o    natstasks.Options
		size int
	}{
		"told":     {natstasks.Options{Prefix: "a", MaxBytes: 100}, 101},
		"message":  {natstasks.Options{Prefix: "b"}, 1 << 20},
		"together": {natstasks.Options{Prefix: "c", MaxTotalBytes: 4096}, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			s, r := open(t, server, test.o), record("x", "")
			must(t, s.Create(t.Context(), r, most))
			r.Version, r.Data = 2, make([]byte, test.size)
			if err := s.Update(t.Context(), r); !errors.Is(err, tasks.ErrFull) {
				t.Errorf("an update: %v", err)
			}
			r.ID = "y"
			if err := s.Create(t.Context(), r, most); !errors.Is(err, tasks.ErrFull) {
				t.Errorf("a new one: %v", err)
			}
			if got, err := s.Get(t.Context(), "x"); err != nil || got.Version != 1 {
				t.Errorf("afterwards it is %+v, %v", got, err)
			}
		})
	}
}

// Without NATS every operation fails with ErrUnavailable. Afterwards tasks in files exist
// again, and watchers receive changes again.
func TestRestart(t *testing.T) {
	for name, memory := range map[string]bool{"files": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			server, ctx := natstest.Start(t), t.Context()
			o := natstasks.Options{Memory: memory, Timeout: 2 * time.Second}
			s, other := open(t, server, o), open(t, server, o)
			r := record("x", "")
			must(t, s.Create(ctx, r, most))
			heard := make(chan tasks.Record, 100)
			stop, err := other.Watch(func(r tasks.Record) { heard <- r })
			must(t, err)
			defer stop()
			server.Stop()
			eventually(t, "NATS is away", func() error {
				if _, err := s.Get(ctx, "x"); !errors.Is(err, natstasks.ErrUnavailable) {
					return errors.Join(errors.New("not unavailable"), err)
				}
				return nil
			})
			server.Restart(t)
			eventually(t, "what was kept", func() error {
				_, err := s.Get(ctx, "x")
				if memory && errors.Is(err, tasks.ErrNotFound) {
					return nil
				}
				return err
			})
			if memory {
				must(t, s.Create(ctx, r, most))
			}
			r.Version = 2
			eventually(t, "an update", func() error {
				err := s.Update(ctx, r)
				if errors.Is(err, tasks.ErrConflict) {
					return nil // it had been done
				}
				return err
			})
			select {
			case got := <-heard:
				if got.ID != "x" || got.Version != 2 {
					t.Errorf("heard of %+v", got)
				}
			case <-time.After(patience):
				t.Error("who watched has not heard")
			}
		})
	}
}

func TestStore_Closed(t *testing.T) {
	s := open(t, natstest.Start(t), natstasks.Options{})
	stop, err := s.Watch(func(tasks.Record) {})
	must(t, err)
	s.Close()
	stop()
	ctx := context.WithoutCancel(t.Context())
	for what, ask := range map[string]func() error{
		"create":  func() error { return s.Create(ctx, record("x", ""), most) },
		"update":  func() error { return s.Update(ctx, record("x", "")) },
		"beat":    func() error { return s.Beat(ctx, "o", time.Now()) },
		"get":     func() error { _, err := s.Get(ctx, "x"); return err },
		"list":    func() error { _, err := s.List(ctx, "", tasks.Position{}, 1); return err },
		"sweep":   func() error { _, err := s.Sweep(ctx, time.Now()); return err },
		"orphans": func() error { _, err := s.Orphans(ctx, time.Now()); return err },
		"watch":   func() error { _, err := s.Watch(func(tasks.Record) {}); return err },
	} {
		if err := ask(); err == nil {
			t.Errorf("%s works on a closed store", what)
		}
	}
}
