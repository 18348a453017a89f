package recordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// TestLog tests a Log. open returns an empty log that stores at least 1,000 events.
func TestLog(t *testing.T, open func(t *testing.T) record.Log) {
	for name, test := range map[string]func(*testing.T, record.Log){
		"append": testAppend, "follow": testFollow, "manyFollowers": testManyFollowers, "gone": testGone, "followEnd": testFollowEnd,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func event(i int) record.Event {
	return record.Event{Type: record.AgentStatusUpdate, AgentID: fmt.Sprint("a-", i), GroupID: "g", Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), At: epoch.Add(time.Duration(i))}
}

func testAppend(t *testing.T, l record.Log) {
	ctx := t.Context()
	if last := mustReturn[int64](t)(l.Last(ctx)); last != 0 {
		t.Errorf("the last event of an empty log is %d", last)
	}
	for i := 1; i <= 3; i++ {
		e := event(i)
		e.Seq = 99
		want := e
		want.Seq = int64(i)
		wantEqual(t, "an event", mustReturn[record.Event](t)(l.Append(ctx, e)), want)
	}
	before := time.Now()
	if e := mustReturn[record.Event](t)(l.Append(ctx, record.Event{Type: record.ServerStartup})); e.Seq != 4 || e.At.Before(before.Add(-time.Minute)) || e.At.After(time.Now().Add(time.Minute)) {
		t.Errorf("an event without a time is %+v", e)
	}
	if last := mustReturn[int64](t)(l.Last(ctx)); last != 4 {
		t.Errorf("the last event is %d", last)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := l.Append(canceled, event(1))
	wantError(t, "with a context that has ended", err, context.Canceled)
}

func testFollow(t *testing.T, l record.Log) {
	ctx := t.Context()
	e := event(1)
	e.Data = json.RawMessage(`{"n":1}`)
	mustReturn[record.Event](t)(l.Append(ctx, e))
	e.Data[5] = '9' // must not change the log
	mustReturn[record.Event](t)(l.Append(ctx, event(2)))
	for _, after := range []int64{-5, 0, 1, 2} {
		next := max(after, 0) + 1
		for got, err := range l.Follow(ctx, after) {
			must(t, err)
			want := event(int(next))
			want.Seq = next
			wantEqual(t, fmt.Sprint("after ", after), got, want)
			if next++; next > 4 {
				break
			}
			if next > mustReturn[int64](t)(l.Last(ctx)) { // Follow waits for it
				mustReturn[record.Event](t)(l.Append(ctx, event(int(next))))
			}
		}
		if next != 5 {
			t.Errorf("after %d following ended before %d", after, next)
		}
	}
}

// All readers see all events of concurrent writers in the same order.
func testManyFollowers(t *testing.T, l record.Log) {
	const followers, writers, each = 10, 4, 100
	seen := make([][]string, followers)
	var all group.Group
	for i := range seen {
		all.Go(func() {
			for e, err := range l.Follow(t.Context(), 0) {
				if err != nil {
					t.Error(err)
					return
				}
				if seen[i] = append(seen[i], e.AgentID); e.Seq != int64(len(seen[i])) {
					t.Errorf("event %d comes as the %d.", e.Seq, len(seen[i]))
					return
				}
				if len(seen[i]) == writers*each {
					return
				}
			}
		})
	}
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if _, err := l.Append(t.Context(), event(w*each+i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i := range seen {
		if fmt.Sprint(seen[i]) != fmt.Sprint(seen[0]) {
			t.Errorf("follower %d has seen another order", i)
		}
	}
}

// A position behind the end of the log yields ErrGone.
func testGone(t *testing.T, l record.Log) {
	mustReturn[record.Event](t)(l.Append(t.Context(), event(1)))
	n := 0
	for _, err := range l.Follow(t.Context(), 7) {
		wantError(t, "following a future position", err, record.ErrGone)
		n++
	}
	if n != 1 {
		t.Errorf("following a future position yields %d times", n)
	}
}

// Follow ends with its context, without an error.
func testFollowEnd(t *testing.T, l record.Log) {
	mustReturn[record.Event](t)(l.Append(t.Context(), event(1)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	var waiting group.Group
	for e, err := range l.Follow(ctx, 0) {
		if n++; err != nil || e.Seq != 1 {
			t.Errorf("yields %+v, %v", e, err)
		}
		waiting.Go(cancel)
	}
	waiting.Wait()
	if n != 1 {
		t.Errorf("yields %d times", n)
	}
}
