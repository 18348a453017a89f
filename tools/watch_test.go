package tools_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
)

// lodge is a set whose tools come and go.
type lodge struct {
	mu      sync.Mutex
	offered []string
	watcher func()
	closed  bool
	door    chan struct{} // when set, calls wait for it
}

func (l *lodge) Features() (f mcp.Features) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range []string{"come", "go"} {
		tool := mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) {
			if l.door != nil {
				<-l.door
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.closed {
				return "closed under a running call", nil
			}
			return "done", nil
		})
		f.Tools = append(f.Tools, tool.With(mcp.ToolOptions{Unlisted: !slices.Contains(l.offered, name)}))
	}
	return f
}

func (l *lodge) Watch(changed func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watcher = changed
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watcher = nil
	}
}

func (l *lodge) offer(names ...string) {
	l.mu.Lock()
	l.offered = names
	changed := l.watcher
	l.mu.Unlock()
	if changed != nil {
		changed()
	}
}

func (l *lodge) Close(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return nil
}

func TestWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
		l := &lodge{}
		in, err := tools.Install(srv, "test", tools.Profile{Allow: []string{"come", "go", "look"}}, l, newHouse("house"))
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			offer []string
			want  string
		}{
			{nil, "look"}, {[]string{"come"}, "come look"}, {[]string{"come", "go"}, "come go look"}, {[]string{"go"}, "go look"}, {nil, "look"},
		} {
			l.offer(step.offer...)
			synctest.Wait()
			if got := names(srv); got != step.want {
				t.Errorf("with %q the tools are %q, want %q", step.offer, got, step.want)
			}
			if got := call(srv, "come", "{}"); got != "done" {
				t.Errorf("what is not listed answers %q", got)
			}
		}
		if err := in.Update(tools.Profile{}, newHouse("other")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if l.watcher != nil || !l.closed {
			t.Error("a set that is not installed any more is still watched, or open")
		}
		if err := in.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// A set stays open for calls that began several exchanges ago.
func TestUpdate_RunningCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
		l := &lodge{door: make(chan struct{})}
		in, err := tools.Install(srv, "test", tools.Profile{}, l)
		if err != nil {
			t.Fatal(err)
		}
		var answer string
		var calls sync.WaitGroup
		calls.Go(func() { answer = call(srv, "come", "{}") })
		synctest.Wait()
		for range 3 {
			l.offer("come")
			synctest.Wait()
		}
		if err := in.Update(tools.Profile{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		close(l.door)
		calls.Wait()
		if answer != "done" {
			t.Errorf("the call answers %q", answer)
		}
		if err := in.Close(t.Context()); err != nil || !l.closed {
			t.Errorf("closing: %v; the set is closed: %v", err, l.closed)
		}
	})
}

// After concurrent changes the latest features are installed.
func TestWatcher_ConcurrentChanges(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	l := &lodge{}
	in, err := tools.Install(srv, "test", tools.Profile{}, l)
	if err != nil {
		t.Fatal(err)
	}
	var changes sync.WaitGroup
	for range 8 {
		changes.Go(func() {
			for range 20 {
				l.offer("come")
				l.offer("go")
				if err := in.Update(tools.Profile{}, l); err != nil {
					t.Error(err)
				}
			}
		})
	}
	changes.Wait()
	l.offer("come", "go")
	if err := in.Update(tools.Profile{}, l); err != nil {
		t.Error(err)
	}
	if got := names(srv); got != "come go" {
		t.Errorf("at last the tools are %q", got)
	}
	if err := in.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
