package taskstest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/tasks"
)

// Open returns an empty store for a test as two values: b shares the data of a, like another
// process. If the data cannot be shared, b is a. Open closes them with t.Cleanup.
type Open func(t *testing.T) (a, b tasks.Store)

// patience limits the wait for an expected event, so that a defect does not hang the test.
const patience = 30 * time.Second

// Run runs all tests as subtests of t.
func Run(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, tasks.Store, tasks.Store){
		"Kept":      kept,
		"Changed":   changed,
		"Contended": contended,
		"Limits":    limits,
		"Listed":    listed,
		"Swept":     swept,
		"Orphans":   orphans,
		"Watched":   watched,
	} {
		t.Run(name, func(t *testing.T) {
			a, b := open(t)
			test(t, a, b)
		})
	}
}

// epoch is the time of creation of the test tasks.
var epoch = time.Date(2026, 8, 1, 10, 0, 0, 123_000_000, time.UTC)

// many holds limits that no test reaches.
var many = tasks.Limits{PerPrincipal: 1000, Total: 1000}

// record returns a new test task.
func record(id, principal string) tasks.Record {
	return tasks.Record{
		ID: id, Principal: principal, Owner: "owner", Version: 1,
		Created: epoch, Expires: epoch.Add(time.Hour), Data: []byte(`{"of":"` + id + `"}`),
	}
}

// must fails the test if err is not nil.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// is fails the test if err does not match want.
func is(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: the error is %v, want %v", what, err, want)
	}
}

// text returns a record as text for comparison.
func text(r tasks.Record) string {
	return fmt.Sprintf("%s of %q by %s, version %d, ended %v, %v to %v: %s", r.ID, r.Principal, r.Owner, r.Version, r.Ended,
		r.Created.UTC(), r.Expires.UTC(), r.Data)
}

// same fails the test if two records differ.
func same(t *testing.T, what string, got, want tasks.Record) {
	t.Helper()
	if text(got) != text(want) {
		t.Errorf("%s:\n got %s\nwant %s", what, text(got), text(want))
	}
}

// kept checks that both stores return a created task at once, unchanged.
func kept(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	r := record("x", `alice's "ひみつ"`)
	must(t, a.Create(ctx, r, many))
	for _, s := range []tasks.Store{a, b} {
		got, err := s.Get(ctx, "x")
		must(t, err)
		same(t, "what was created", got, r)
		_, err = s.Get(ctx, "y")
		is(t, "another", err, tasks.ErrNotFound)
		_, err = s.Get(ctx, "")
		is(t, "no id", err, tasks.ErrNotFound)
	}
	if err := b.Create(ctx, record("x", "bob"), many); err == nil {
		t.Error("a second task of the same id was created")
	}
}

// changed checks that an update replaces exactly the previous version.
func changed(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	r := record("x", "alice")
	must(t, a.Create(ctx, r, many))
	r.Version, r.Ended, r.Expires, r.Data = 2, true, epoch.Add(2*time.Hour), []byte(`{"done":"yes"}`)
	must(t, b.Update(ctx, r))
	got, err := a.Get(ctx, "x")
	must(t, err)
	same(t, "after an update", got, r)
	is(t, "the same again", a.Update(ctx, r), tasks.ErrConflict)
	r.Version = 4
	is(t, "one version too far", a.Update(ctx, r), tasks.ErrConflict)
	is(t, "what is not there", a.Update(ctx, tasks.Record{ID: "y", Version: 2}), tasks.ErrNotFound)
	got, err = b.Get(ctx, "x")
	must(t, err)
	if got.Version != 2 {
		t.Errorf("after refused updates the version is %d", got.Version)
	}
}

// contended checks that of concurrent updates of one version exactly one succeeds.
func contended(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	must(t, a.Create(ctx, record("x", "alice"), many))
	const each = 20
	add := func(s tasks.Store) error {
		for done := 0; done < each; {
			r, err := s.Get(ctx, "x")
			if err != nil {
				return err
			}
			r.Version++
			switch err := s.Update(ctx, r); {
			case err == nil:
				done++
			case !errors.Is(err, tasks.ErrConflict):
				return err
			}
		}
		return nil
	}
	var all sync.WaitGroup
	for _, s := range []tasks.Store{a, b, a, b} {
		all.Go(func() {
			if err := add(s); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got, err := a.Get(ctx, "x")
	must(t, err)
	if got.Version != 4*each+1 {
		t.Errorf("after %d updates the version is %d", 4*each, got.Version)
	}
}

// limits checks that Create refuses tasks over the limits, until others are removed.
func limits(t *testing.T, a, _ tasks.Store) {
	ctx := t.Context()
	most := tasks.Limits{PerPrincipal: 2, Total: 3}
	for _, id := range []string{"a1", "a2"} {
		must(t, a.Create(ctx, record(id, "alice"), most))
	}
	var limit *tasks.LimitError
	if err := a.Create(ctx, record("a3", "alice"), most); !errors.As(err, &limit) || !limit.PerPrincipal || limit.Most != 2 {
		t.Errorf("one too many of a principal: %v", err)
	}
	gone := record("b1", "")
	gone.Expires = epoch.Add(time.Minute)
	must(t, a.Create(ctx, gone, most))
	if err := a.Create(ctx, record("c1", "carol"), most); !errors.As(err, &limit) || limit.PerPrincipal || limit.Most != 3 {
		t.Errorf("one too many in all: %v", err)
	}
	_, err := a.Get(ctx, "c1")
	is(t, "what was refused", err, tasks.ErrNotFound)
	_, err = a.Sweep(ctx, gone.Expires)
	must(t, err)
	must(t, a.Create(ctx, record("c1", "carol"), most))
}

// listed checks that List returns a principal's own tasks, in order, in pages.
func listed(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	var want []string
	for i := range 7 {
		r := record(fmt.Sprintf("t%d", 9-i), "alice")
		r.Created = epoch.Add(time.Duration(i/2) * time.Millisecond) // two at once
		must(t, a.Create(ctx, r, many))
		want = append(want, r.ID)
		must(t, a.Create(ctx, record(fmt.Sprintf("other%d", i), []string{"bob", ""}[i%2]), many))
	}
	for i := 0; i+1 < len(want); i += 2 {
		want[i], want[i+1] = want[i+1], want[i] // at the same time, ids decide the order
	}
	for n := 1; n <= 8; n++ {
		var got []string
		for after := (tasks.Position{}); len(got) <= len(want); {
			page, err := b.List(ctx, "alice", after, n)
			must(t, err)
			if len(page) == 0 {
				break
			}
			if len(page) > n {
				t.Fatalf("a page of %d has %d", n, len(page))
			}
			for _, r := range page {
				got = append(got, r.ID)
			}
			last := page[len(page)-1]
			after = tasks.Position{Created: last.Created, ID: last.ID}
		}
		if !slices.Equal(got, want) {
			t.Errorf("by pages of %d: %q, want %q", n, got, want)
		}
	}
	if page, err := a.List(ctx, "nobody", tasks.Position{}, 5); err != nil || len(page) > 0 {
		t.Errorf("of nobody: %d, %v", len(page), err)
	}
}

// swept checks that Sweep removes exactly the expired tasks.
func swept(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	if next, err := a.Sweep(ctx, epoch); err != nil || !next.IsZero() {
		t.Errorf("an empty store: the next at %v, %v", next, err)
	}
	for i := range 3 {
		r := record(fmt.Sprint(i), "alice")
		r.Expires = epoch.Add(time.Duration(i+1) * time.Minute)
		must(t, a.Create(ctx, r, many))
	}
	next, err := b.Sweep(ctx, epoch.Add(time.Minute))
	must(t, err)
	if !next.Equal(epoch.Add(2 * time.Minute)) {
		t.Errorf("the next expires at %v", next)
	}
	_, err = a.Get(ctx, "0")
	is(t, "what has expired", err, tasks.ErrNotFound)
	for _, id := range []string{"1", "2"} {
		_, err := a.Get(ctx, id)
		must(t, err)
	}
	next, err = a.Sweep(ctx, epoch.Add(time.Hour))
	if err != nil || !next.IsZero() {
		t.Errorf("when all are gone: the next at %v, %v", next, err)
	}
}

// orphans checks that Orphans returns the running tasks of owners without a current lease.
func orphans(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	for id, owner := range map[string]string{"lives": "one", "dead": "two", "unheard": "three", "over": "two"} {
		r := record(id, "alice")
		r.Owner, r.Ended = owner, id == "over"
		must(t, a.Create(ctx, r, many))
	}
	must(t, a.Beat(ctx, "one", epoch.Add(time.Minute)))
	must(t, a.Beat(ctx, "two", epoch.Add(time.Second)))
	check := func(s tasks.Store, after time.Duration, want ...string) {
		t.Helper()
		ids, err := s.Orphans(ctx, epoch.Add(after))
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("after %v: %q, %v; want %q", after, ids, err, want)
		}
	}
	check(b, 0, "unheard")
	check(b, 30*time.Second, "dead", "unheard")
	check(a, 2*time.Minute, "dead", "lives", "unheard")
	must(t, b.Beat(ctx, "one", epoch.Add(time.Hour)))
	check(a, 2*time.Minute, "dead", "unheard")
}

// watched checks that Watch reports the latest state of every task, whichever store was used for
// the update.
func watched(t *testing.T, a, b tasks.Store) {
	ctx := t.Context()
	heard := make(chan tasks.Record, 1000)
	stop, err := a.Watch(func(r tasks.Record) { heard <- r })
	must(t, err)
	defer stop()
	want := make(map[string]tasks.Record)
	for _, id := range []string{"x", "y"} {
		r := record(id, "alice")
		must(t, a.Create(ctx, r, many))
		for _, s := range []tasks.Store{a, b, b} {
			r.Version++
			r.Data = fmt.Appendf(nil, `{"version":%d}`, r.Version)
			must(t, s.Update(ctx, r))
		}
		want[id] = r
	}
	r := want["x"]
	await(ctx, t, heard, want)
	stop()
	again := make(chan tasks.Record, 1000)
	stop, err = b.Watch(func(r tasks.Record) { again <- r })
	must(t, err)
	defer stop()
	r.Version++
	must(t, a.Update(ctx, r))
	await(ctx, t, again, map[string]tasks.Record{"x": r})
}

// await waits until the latest states have been reported.
func await(ctx context.Context, t *testing.T, heard <-chan tasks.Record, want map[string]tasks.Record) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for missing := len(want); missing > 0; {
		select {
		case r := <-heard:
			if r.Version == want[r.ID].Version {
				same(t, "what was heard", r, want[r.ID])
				missing--
				delete(want, r.ID)
			}
		case <-late.C:
			t.Fatalf("not heard of: %v", want)
		case <-ctx.Done():
			t.Fatal(context.Cause(ctx))
		}
	}
}
