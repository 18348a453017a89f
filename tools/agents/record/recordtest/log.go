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

// TestLog runs the tests of a Log. open opens one that is empty and keeps at least 1,000 events.
func TestLog(t *testing.T, open func(t *testing.T) record.Log) {
	for name, test := range map[string]func(*testing.T, record.Log){
		"append": appended, "follow": followed, "manyFollowers": manyFollowers, "gone": gone, "end": followersEnd,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func event(i int) record.Event {
	return record.Event{Type: record.AgentStatusUpdate, AgentID: fmt.Sprint("a-", i), GroupID: "g", Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i)), At: epoch.Add(time.Duration(i))}
}

func appended(t *testing.T, l record.Log) {
	ctx := t.Context()
	if last := answer[int64](t)(l.Last(ctx)); last != 0 {
		t.Errorf("the last event of an empty log is %d", last)
	}
	for i := 1; i <= 3; i++ {
		e := event(i)
		e.Seq = 99
		want := e
		want.Seq = int64(i)
		same(t, "an event", answer[record.Event](t)(l.Append(ctx, e)), want)
	}
	before := time.Now()
	if e := answer[record.Event](t)(l.Append(ctx, record.Event{Type: record.ServerStartup})); e.Seq != 4 || e.At.Before(before.Add(-time.Minute)) || e.At.After(time.Now().Add(time.Minute)) {
		t.Errorf("an event without a time is %+v", e)
	}
	if last := answer[int64](t)(l.Last(ctx)); last != 4 {
		t.Errorf("the last event is %d", last)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := l.Append(canceled, event(1))
	is(t, "with a context that has ended", err, context.Canceled)
}

func followed(t *testing.T, l record.Log) {
	ctx := t.Context()
	e := event(1)
	e.Data = json.RawMessage(`{"n":1}`)
	answer[record.Event](t)(l.Append(ctx, e))
	e.Data[5] = '9' // is the caller's own
	answer[record.Event](t)(l.Append(ctx, event(2)))
	for _, after := range []int64{-5, 0, 1, 2} {
		next := max(after, 0) + 1
		for got, err := range l.Follow(ctx, after) {
			must(t, err)
			want := event(int(next))
			want.Seq = next
			same(t, fmt.Sprint("after ", after), got, want)
			if next++; next > 4 {
				break
			}
			if next > answer[int64](t)(l.Last(ctx)) { // which it waits for
				answer[record.Event](t)(l.Append(ctx, event(int(next))))
			}
		}
		if next != 5 {
			t.Errorf("after %d following ended before %d", after, next)
		}
	}
}

// All followers see all events in one order, while they come from everywhere.
func manyFollowers(t *testing.T, l record.Log) {
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

// Who comes from another log, whose events were more, is told so.
func gone(t *testing.T, l record.Log) {
	answer[record.Event](t)(l.Append(t.Context(), event(1)))
	n := 0
	for _, err := range l.Follow(t.Context(), 7) {
		is(t, "following what has not been", err, record.ErrGone)
		n++
	}
	if n != 1 {
		t.Errorf("following what has not been yields %d times", n)
	}
}

// Following ends with its context, without an error.
func followersEnd(t *testing.T, l record.Log) {
	answer[record.Event](t)(l.Append(t.Context(), event(1)))
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
