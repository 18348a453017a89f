package spent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/spent"
)

var _ mcp.SpentStore = (*spent.Store)(nil)

func open(t *testing.T, dir string, o spent.Options) *spent.Store {
	t.Helper()
	s, err := spent.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStore_SpendOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "spent")
	until := time.Now().Add(time.Minute)
	a, b := open(t, dir, spent.Options{}), open(t, dir, spent.Options{})
	for i, s := range []*spent.Store{a, b, a, open(t, dir, spent.Options{})} {
		if fresh, err := s.Spend(t.Context(), "../id\x00", until); fresh != (i == 0) || err != nil {
			t.Errorf("call %d: %v, %v", i, fresh, err)
		}
	}
	if fresh, err := b.Spend(t.Context(), "another", until); !fresh || err != nil {
		t.Errorf("%v, %v", fresh, err)
	}
	info, err := os.Stat(dir)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestStore_ConcurrentSpend(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	stores := []*spent.Store{open(t, dir, spent.Options{}), open(t, dir, spent.Options{})}
	until := time.Now().Add(time.Minute)
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			fresh, err := stores[i%2].Spend(t.Context(), "id", until)
			if err != nil {
				t.Error(err)
			}
			if fresh {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("spent %d times", won.Load())
	}
}

func TestStore_ExpiredRecordsAreRemoved(t *testing.T) {
	now := time.Now()
	s := open(t, filepath.Join(t.TempDir(), "spent"), spent.Options{Max: 3, Now: func() time.Time { return now }})
	until := now.Add(10 * time.Minute)
	for i := range 3 {
		if fresh, err := s.Spend(t.Context(), fmt.Sprint(i), until); !fresh || err != nil {
			t.Fatalf("%v, %v", fresh, err)
		}
	}
	if fresh, err := s.Spend(t.Context(), "too many", until); fresh || err == nil {
		t.Errorf("beyond the limit: %v, %v", fresh, err)
	}
	now = now.Add(2 * time.Hour)
	if fresh, err := s.Spend(t.Context(), "later", now.Add(time.Minute)); !fresh || err != nil {
		t.Errorf("after the others have expired: %v, %v", fresh, err)
	}
}

func TestOpen_Refused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing there")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := spent.Open(dir, spent.Options{}); err == nil {
		t.Error("a directory that others can read was opened")
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := spent.Open(file, spent.Options{}); err == nil {
		t.Error("a file was opened")
	}
}

func TestStore_CancelledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if fresh, err := open(t, filepath.Join(t.TempDir(), "spent"), spent.Options{}).Spend(ctx, "id", time.Now()); fresh || err == nil {
		t.Errorf("%v, %v", fresh, err)
	}
}
