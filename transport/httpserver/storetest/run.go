package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// patience is how long anything that is tested may take.
const patience = time.Minute

// Run tests an implementation of httpserver.Shared. open returns two of it that
// have everything in common, as two Handlers on two machines would use them; it is
// called for each test.
func Run(t *testing.T, open func(t *testing.T) (a, b httpserver.Shared)) {
	for name, test := range map[string]func(t *testing.T, ctx context.Context, a, b httpserver.Shared){
		"records":                       testRecords,
		"records are changed once":      testUpdates,
		"events":                        testEvents,
		"events that were dropped":      testForget,
		"one event of each number":      testTaken,
		"large events":                  testLargeEvents,
		"asking":                        testAsk,
		"asking nobody":                 testAskNobody,
		"telling":                       testTell,
		"large messages":                testLargeMessages,
		"nothing comes after leaving":   testLeave,
		"a handler that takes its time": testPatience,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			a, b := open(t)
			test(t, ctx, a, b)
		})
	}
}

func testRecords(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	id, other := rand.Text(), rand.Text()
	if _, _, err := a.LoadSession(ctx, id); !errors.Is(err, httpserver.ErrNoSession) {
		t.Errorf("loading what does not exist: %v", err)
	}
	if _, err := a.UpdateSession(ctx, id, []byte("x"), 1); !errors.Is(err, httpserver.ErrNoSession) && !errors.Is(err, httpserver.ErrSessionChanged) {
		t.Errorf("updating what does not exist: %v", err)
	}
	if err := a.DeleteSession(ctx, id); err != nil {
		t.Errorf("deleting what does not exist: %v", err)
	}
	long := bytes.Repeat([]byte("x"), 64<<10)
	first, err := a.CreateSession(ctx, id, long)
	if err != nil {
		t.Fatalf("creating: %v", err)
	}
	if _, err := b.CreateSession(ctx, id, []byte("again")); err == nil {
		t.Error("a record was created twice")
	}
	if _, err := b.CreateSession(ctx, other, []byte("other")); err != nil {
		t.Errorf("creating another: %v", err)
	}
	record, version, err := b.LoadSession(ctx, id)
	if err != nil || !bytes.Equal(record, long) || version != first {
		t.Fatalf("loading: %d bytes, version %d instead of %d, %v", len(record), version, first, err)
	}
	second, err := b.UpdateSession(ctx, id, []byte("2"), version)
	if err != nil || second <= first {
		t.Fatalf("updating: version %d after %d, %v", second, first, err)
	}
	if _, err := a.UpdateSession(ctx, id, []byte("3"), first); !errors.Is(err, httpserver.ErrSessionChanged) {
		t.Errorf("updating an old version: %v", err)
	}
	if record, version, err := a.LoadSession(ctx, id); err != nil || string(record) != "2" || version != second {
		t.Errorf("loading: %q, version %d, %v", record, version, err)
	}
	if err := a.DeleteSession(ctx, id); err != nil {
		t.Errorf("deleting: %v", err)
	}
	if _, _, err := b.LoadSession(ctx, id); !errors.Is(err, httpserver.ErrNoSession) {
		t.Errorf("loading what was deleted: %v", err)
	}
	if _, err := b.UpdateSession(ctx, id, []byte("4"), second); !errors.Is(err, httpserver.ErrNoSession) && !errors.Is(err, httpserver.ErrSessionChanged) {
		t.Errorf("updating what was deleted: %v", err)
	}
	if record, _, err := a.LoadSession(ctx, other); err != nil || string(record) != "other" {
		t.Errorf("the other: %q, %v", record, err)
	}
}

func testUpdates(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	const writers, times = 4, 10
	id := rand.Text()
	if _, err := a.CreateSession(ctx, id, []byte("0")); err != nil {
		t.Fatal(err)
	}
	var writing group.Group
	for i := range writers {
		store := []httpserver.Shared{a, b}[i%2]
		writing.Go(func() {
			for n := 0; n < times && ctx.Err() == nil; {
				record, version, err := store.LoadSession(ctx, id)
				if err != nil {
					t.Errorf("loading: %v", err)
					return
				}
				count, _ := strconv.Atoi(string(record))
				if _, err = store.UpdateSession(ctx, id, []byte(strconv.Itoa(count+1)), version); err == nil {
					n++
				} else if !errors.Is(err, httpserver.ErrSessionChanged) {
					t.Errorf("updating: %v", err)
					return
				}
			}
		})
	}
	writing.Wait()
	if record, _, err := b.LoadSession(ctx, id); err != nil || string(record) != strconv.Itoa(writers*times) {
		t.Errorf("after %d updates: %q, %v", writers*times, record, err)
	}
}

// appendAll appends events, the first with the number seq.
func appendAll(t *testing.T, ctx context.Context, s httpserver.Shared, stream httpserver.EventStream, seq int64, data ...string) {
	t.Helper()
	for i, text := range data {
		buffer := []byte(text)
		if err := s.Append(ctx, stream, httpserver.KeptEvent{Seq: seq + int64(i), Data: buffer}); err != nil {
			t.Fatalf("appending %d: %v", seq+int64(i), err)
		}
		clear(buffer) // it is the caller's
	}
}

// after returns the events of a store after an event as text: the data, or the error.
func after(ctx context.Context, s httpserver.Shared, stream httpserver.EventStream, seq int64) string {
	events, err := s.After(ctx, stream, seq)
	if err != nil {
		return err.Error()
	}
	var all []string
	for _, e := range events {
		all = append(all, strconv.FormatInt(e.Seq, 10)+":"+string(e.Data))
	}
	return strings.Join(all, " ")
}

func testEvents(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	one := httpserver.EventStream{Session: rand.Text(), Number: 1}
	two := httpserver.EventStream{Session: one.Session, Number: 1<<62 - 1}
	three := httpserver.EventStream{Session: rand.Text(), Number: 1}
	appendAll(t, ctx, a, one, 1, "a", "\x00b")
	appendAll(t, ctx, b, two, 1, "x", "y")
	appendAll(t, ctx, b, one, 3, "c") // another goes on with it
	appendAll(t, ctx, a, three, 5, "five", "six")
	lost := httpserver.ErrEventsLost.Error()
	for _, test := range []struct {
		stream httpserver.EventStream
		seq    int64
		want   string
	}{
		{one, 0, "1:a 2:\x00b 3:c"}, {one, 1, "2:\x00b 3:c"}, {one, 3, ""}, {two, 0, "1:x 2:y"}, {two, 2, ""},
		{three, 4, "5:five 6:six"}, {three, 5, "6:six"}, {three, 2, lost}, {three, 0, lost},
		{httpserver.EventStream{Session: one.Session, Number: 2}, 0, lost}, {httpserver.EventStream{Session: rand.Text(), Number: 1}, 0, lost},
	} {
		for name, s := range map[string]httpserver.Shared{"a": a, "b": b} {
			if got := after(ctx, s, test.stream, test.seq); got != test.want {
				t.Errorf("%s: %d after %d: %q, want %q", name, test.stream.Number, test.seq, got, test.want)
			}
		}
	}
}

func testForget(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	one := httpserver.EventStream{Session: rand.Text(), Number: 1}
	two := httpserver.EventStream{Session: rand.Text(), Number: 1}
	appendAll(t, ctx, a, one, 1, "a")
	appendAll(t, ctx, a, two, 1, "x")
	if err := b.Forget(ctx, one.Session); err != nil {
		t.Errorf("forgetting: %v", err)
	}
	if err := b.Forget(ctx, rand.Text()); err != nil {
		t.Errorf("forgetting nothing: %v", err)
	}
	if got := after(ctx, a, one, 0); got != httpserver.ErrEventsLost.Error() {
		t.Errorf("what was forgotten: %q", got)
	}
	if got := after(ctx, a, two, 0); got != "1:x" {
		t.Errorf("the other: %q", got)
	}
}

func testTaken(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	stream := httpserver.EventStream{Session: rand.Text(), Number: 7}
	const writers, events = 4, 5
	var kept, refused [writers]int
	var writing group.Group
	for i := range writers {
		store := []httpserver.Shared{a, b}[i%2]
		writing.Go(func() {
			for seq := range int64(events) {
				switch err := store.Append(ctx, stream, httpserver.KeptEvent{Seq: seq + 1, Data: []byte{byte('a' + i)}}); {
				case err == nil:
					kept[i]++
				case errors.Is(err, httpserver.ErrEventTaken):
					refused[i]++
				default:
					t.Errorf("appending: %v", err)
				}
			}
		})
	}
	writing.Wait()
	sum := func(n [writers]int) (sum int) {
		for _, v := range n {
			sum += v
		}
		return sum
	}
	if sum(kept) != events || sum(refused) != events*(writers-1) {
		t.Errorf("%d were kept, %d refused", sum(kept), sum(refused))
	}
	if all, err := a.After(ctx, stream, 0); err != nil || len(all) != events {
		t.Errorf("%d are kept, %v", len(all), err)
	}
}

func testLargeEvents(t *testing.T, ctx context.Context, a, b httpserver.Shared) {
	stream := httpserver.EventStream{Session: rand.Text(), Number: 7}
	large := large()
	for seq := range int64(2) {
		if err := a.Append(ctx, stream, httpserver.KeptEvent{Seq: seq + 1, Data: large}); err != nil {
			t.Fatalf("appending %d bytes: %v", len(large), err)
		}
	}
	if err := b.Append(ctx, stream, httpserver.KeptEvent{Seq: 2, Data: large}); !errors.Is(err, httpserver.ErrEventTaken) {
		t.Errorf("appending once more: %v", err)
	}
	all, err := b.After(ctx, stream, 0)
	if err != nil || len(all) != 2 || !bytes.Equal(all[0].Data, large) || !bytes.Equal(all[1].Data, large) {
		t.Errorf("%d events, %v", len(all), err)
	}
}

// large is more than most brokers take as one message.
func large() []byte {
	data := make([]byte, 5<<18)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	return data
}
