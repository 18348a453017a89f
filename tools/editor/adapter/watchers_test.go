package adapter_test

import (
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func TestWatchers(t *testing.T) {
	var w adapter.Watchers
	w.Notify()
	var first, second int
	stop := w.Watch(func() { first++ })
	defer w.Watch(func() { second++ })()
	w.Notify()
	stop()
	stop()
	w.Notify()
	if first != 1 || second != 2 {
		t.Errorf("they were told %d and %d times", first, second)
	}
}

// A stopped watcher is not called any more, and stop waits for a running call.
func TestStoppingWaits(t *testing.T) {
	var w adapter.Watchers
	in, out := make(chan struct{}), make(chan struct{})
	ended := false
	stop := w.Watch(func() {
		close(in)
		<-out
		ended = true
	})
	var telling sync.WaitGroup
	telling.Go(w.Notify)
	<-in
	telling.Go(func() { close(out) })
	stop()
	if !ended {
		t.Error("a call went on after stopping")
	}
	telling.Wait()
}
