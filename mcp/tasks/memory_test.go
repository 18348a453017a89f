package tasks_test

import (
	"errors"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/mcp/tasks/taskstest"
)

func TestMain(m *testing.M) { testleak.Main(m) }

func TestMemory(t *testing.T) {
	taskstest.Run(t, func(*testing.T) (a, b tasks.Store) {
		m := new(tasks.Memory)
		return m, m
	})
}

// What is kept in memory is bounded in bytes. That a task has failed for want of
// room can always be said.
func TestMemory_Full(t *testing.T) {
	m := &tasks.Memory{MaxBytes: 10_000}
	ctx, most := t.Context(), tasks.Limits{PerPrincipal: 100, Total: 100}
	r := tasks.Record{ID: "x", Version: 1, Created: time.Now(), Expires: time.Now().Add(time.Hour), Data: make([]byte, 9000)}
	if err := m.Create(ctx, r, most); err != nil {
		t.Fatal(err)
	}
	other := r
	other.ID = "y"
	if err := m.Create(ctx, other, most); !errors.Is(err, tasks.ErrFull) {
		t.Errorf("a second one: %v", err)
	}
	other.Data = nil
	if err := m.Create(ctx, other, most); err != nil {
		t.Errorf("a small one: %v", err)
	}
	other.Version, other.Data = 2, make([]byte, 6000)
	if err := m.Update(ctx, other); !errors.Is(err, tasks.ErrFull) {
		t.Errorf("one that grows: %v", err)
	}
	other.Data = make([]byte, 1000)
	if err := m.Update(ctx, other); err != nil {
		t.Errorf("one that grows a little: %v", err)
	}
	r.Version, r.Data = 2, nil
	if err := m.Update(ctx, r); err != nil {
		t.Errorf("one that shrinks: %v", err)
	}
	other.Version, other.Data = 3, make([]byte, 6000)
	if err := m.Update(ctx, other); err != nil {
		t.Errorf("one that grows where there is room: %v", err)
	}
}

// The tasks of a principal do not take all bytes.
func TestMemory_ShareOfPrincipals(t *testing.T) {
	m := &tasks.Memory{MaxBytes: 100_000}
	ctx, most := t.Context(), tasks.Limits{PerPrincipal: 100, Total: 1000}
	create := func(principal string) (n int) {
		for {
			r := tasks.Record{ID: principal + string(rune('a'+n)), Principal: principal, Version: 1, Created: time.Now(), Expires: time.Now().Add(time.Hour), Data: make([]byte, 9_500)}
			if err := m.Create(ctx, r, most); err != nil {
				if !errors.Is(err, tasks.ErrFull) {
					t.Errorf("%q: %v", principal, err)
				}
				return n
			}
			n++
		}
	}
	if greedy, modest, third := create("greedy"), create("modest"), create("third"); greedy != 5 || modest != 2 || third != 1 {
		t.Errorf("principals get %d, %d and %d tasks", greedy, modest, third)
	}
	if _, err := m.Sweep(ctx, time.Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := create(""); n != 10 {
		t.Errorf("without a principal there are %d tasks", n)
	}
}
