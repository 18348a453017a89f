package keymutex_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/keymutex"
)

func TestMutex_Exclusion(t *testing.T) {
	var m keymutex.Mutex[string]
	counts := map[string]*int{"a": new(int), "b": new(int)} // guarded by the mutexes
	var running sync.WaitGroup
	for range 8 {
		for key, count := range counts {
			running.Go(func() {
				for range 100 {
					unlock, err := m.Lock(context.Background(), key)
					if err != nil {
						t.Error(err)
						return
					}
					*count++
					unlock()
					unlock() // does nothing
				}
			})
		}
	}
	running.Wait()
	if *counts["a"] != 800 || *counts["b"] != 800 {
		t.Errorf("counted %d and %d, want 800", *counts["a"], *counts["b"])
	}
}

func TestMutex_EndOfContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m keymutex.Mutex[int]
		patience := errors.New("out of patience")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, patience)
		defer cancel()
		unlock, err := m.Lock(ctx, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Lock(ctx, 1); err != patience {
			t.Errorf("waiting ended with %v", err)
		}
		if _, ok := m.TryLock(1); ok {
			t.Error("a held mutex was locked")
		}
		other, ok := m.TryLock(2)
		if !ok {
			t.Fatal("the mutex of another key was not locked")
		}
		other()
		unlock()
		if unlock, err = m.Lock(ctx, 1); err != nil { // although ctx has ended
			t.Fatalf("a free mutex: %v", err)
		}
		unlock()
	})
}
