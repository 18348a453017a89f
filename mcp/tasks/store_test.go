package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// A result that there is no room for makes its task fail, and says so.
func TestStore_ResultTooLarge(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{Store: &tasks.Memory{MaxBytes: 20_000}},
			tool("large", func(context.Context, none) (string, error) { return strings.Repeat("x", 30_000), nil }))
		c := connect(t, srv, mcp.ClientOptions{})
		task := start(t, c, "large", none{})
		if _, err := task.Wait(t.Context()); code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "no room") {
			t.Errorf("it ends with %v", err)
		}
		is(t, task, tasks.Failed)
	})
}

// storeError is a store that fails when it is told to, and counts what is written.
type storeError struct {
	tasks.Store
	fails   atomic.Bool
	updates atomic.Int64
}

var errBroken = errors.New("the disk is gone")

func (b *storeError) err() error {
	if b.fails.Load() {
		return errBroken
	}
	return nil
}

func (b *storeError) Create(ctx context.Context, r tasks.Record, most tasks.Limits) error {
	return errors.Join(b.err(), b.Store.Create(ctx, r, most))
}

func (b *storeError) Get(ctx context.Context, id string) (tasks.Record, error) {
	r, err := b.Store.Get(ctx, id)
	return r, errors.Join(b.err(), err)
}

func (b *storeError) Update(ctx context.Context, r tasks.Record) error {
	b.updates.Add(1)
	if err := b.err(); err != nil {
		return err
	}
	return b.Store.Update(ctx, r)
}

func (b *storeError) Orphans(ctx context.Context, now time.Time) ([]string, error) {
	ids, err := b.Store.Orphans(ctx, now)
	return ids, errors.Join(b.err(), err)
}

func (b *storeError) Sweep(ctx context.Context, now time.Time) (time.Time, error) {
	next, err := b.Store.Sweep(ctx, now)
	return next, errors.Join(b.err(), err)
}

// A store that fails is an error of those who need it, and nothing else breaks.
func TestStore_Fails(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		b := &storeError{Store: new(tasks.Memory)}
		srv, _ := serve(t, tasks.Options{Store: b}, work, interview)
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit()})
		task, lost := start(t, c, "work", minutes{5}), start(t, c, "work", minutes{1})
		b.fails.Store(true)
		if result, err := c.CallTool(t.Context(), "work", minutes{1}, nil); err != nil || !result.IsError || !strings.Contains(said(result), errBroken.Error()) {
			t.Errorf("a new task: %v, %v", said(result), err)
		}
		for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
			if _, err := ask(t.Context(), c, method, map[string]any{"taskId": task.ID(), "inputResponses": map[string]any{}}); code(err) != protocol.CodeInternal {
				t.Errorf("%s: %v", method, err)
			}
		}
		time.Sleep(2*time.Minute + 5*time.Second)
		b.fails.Store(false)
		is(t, lost, tasks.Working) // its end could not be written
		time.Sleep(10 * time.Second)
		is(t, lost, tasks.Completed)
		if result, err := task.Wait(t.Context()); err != nil || said(result) != "done" {
			t.Errorf("when it works again: %v", err)
		}
	})
}

// However much a task says of itself, little of it is written.
func TestReport_FrequentProgress(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		b := &storeError{Store: new(tasks.Memory)}
		srv, _ := serve(t, tasks.Options{Store: b}, tool("chatty", func(ctx context.Context, _ none) (string, error) {
			for i := range 10_000 {
				mcp.Progress(ctx, float64(i), 0, fmt.Sprint(i, strings.Repeat("é", 1000)))
				time.Sleep(time.Millisecond)
			}
			return "done", nil
		}))
		task := start(t, connect(t, srv, mcp.ClientOptions{}), "chatty", none{})
		time.Sleep(5*time.Second + time.Millisecond/2)
		if info := is(t, task, tasks.Working); !strings.HasPrefix(info.Message, "5000") || len(info.Message) > 1000 {
			t.Errorf("it says %.20q and so on, %d bytes", info.Message, len(info.Message))
		}
		time.Sleep(time.Minute)
		is(t, task, tasks.Completed)
		if n := b.updates.Load(); n < 5 || n > 15 {
			t.Errorf("%d updates", n)
		}
	})
}

// Many tasks of two servers are asked, answered and cancelled in no order. Each ends with its answers or as cancelled.
func TestMemory_ManyTasksOfTwoServers(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		const n = 60
		store := new(tasks.Memory)
		here, _ := serve(t, tasks.Options{Store: store, MaxPerPrincipal: n}, interview)
		there, _ := serve(t, tasks.Options{Store: store, MaxPerPrincipal: n}, interview)
		x := make([]string, 10*n)
		for i := range x {
			x[i] = "x"
		}
		clients := []*mcp.Client{connect(t, here, mcp.ClientOptions{Elicit: elicit(x...)}), connect(t, there, mcp.ClientOptions{Elicit: elicit(x...)})}
		var all sync.WaitGroup
		for i := range n {
			id := start(t, clients[i%2], "interview", none{}).ID()
			cancelled := i%3 == 0
			for _, c := range clients { // two look after it at the same time
				all.Go(func() { lookAfter(t, tasks.Open(c, id), cancelled) })
			}
			all.Go(func() {
				time.Sleep(rand.N(100 * time.Millisecond))
				result, err := tasks.Open(clients[i%2], id).Wait(t.Context())
				if said(result) != "x, x, x" && !(cancelled && errors.Is(err, tasks.ErrCancelled)) {
					t.Errorf("a task has come to %q, %v", said(result), err)
				}
			})
		}
		all.Wait()
	})
}

// lookAfter answers a task's questions, or cancels it, until it has ended.
func lookAfter(t *testing.T, task *tasks.Task, cancel bool) {
	for {
		info, err := task.Get(t.Context())
		if err != nil || info.Status.Ended() {
			if err != nil {
				t.Error(err)
			}
			return
		}
		answers := make(map[string]json.RawMessage)
		for key := range info.Requests {
			answers[key] = json.RawMessage(`{"action":"accept","content":{"name":"x"}}`)
		}
		err = task.Answer(t.Context(), answers)
		if cancel && rand.N(3) == 0 {
			err = errors.Join(err, task.Cancel(t.Context()))
		}
		if err != nil {
			t.Error(err)
		}
		time.Sleep(rand.N(10 * time.Millisecond))
	}
}
