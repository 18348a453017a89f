package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// unsteady is a store that says of two updates in three that it cannot be reached; one
// of these two it has made all the same.
type unsteady struct {
	tasks.Memory
	updates atomic.Int64
}

func (u *unsteady) Update(ctx context.Context, r tasks.Record) error {
	n := u.updates.Add(1)
	if n%3 == 1 {
		return errors.New("unreachable")
	}
	err := u.Memory.Update(ctx, r)
	if n%3 == 2 {
		return errors.New("broke off")
	}
	return err
}

// A user's answer is neither lost nor asked for again because the store of the tasks
// cannot be reached for a moment.
func TestQuestions_StoreUnavailable(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{Store: new(unsteady)}, interview)
		task := start(t, connect(t, srv, mcp.ClientOptions{Elicit: elicit()}), "interview", none{})
		keys := make(map[string]bool)
		for range 3 {
			time.Sleep(time.Minute)
			synctest.Wait()
			info := is(t, task, tasks.InputRequired)
			for key := range info.Requests {
				keys[key] = true
				for tries := 0; ; tries++ {
					if err := task.Answer(t.Context(), map[string]json.RawMessage{key: json.RawMessage(`{"action":"accept","content":{"name":"Ada"}}`)}); err == nil {
						break
					} else if tries == 10 {
						t.Fatal(err)
					}
				}
			}
		}
		if result, err := task.Wait(t.Context()); err != nil || said(result) != "Ada, Ada, Ada" || len(keys) != 3 {
			t.Errorf("in the end %q, %v, with the keys %v", said(result), err, keys)
		}
	})
}
