package lockfile_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/lockfile"
)

func TestMain(m *testing.M) { testleak.Main(m) }

func TestTake_Exclusive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a", "b", "c.lock")
	var all group.Group
	inside := make(chan struct{}, 1)
	for range 8 {
		all.Go(func() {
			release, err := lockfile.Take(t.Context(), name)
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			select {
			case inside <- struct{}{}:
				<-inside
			default:
				t.Error("two have the lock")
			}
		})
	}
	all.Wait()
}

func TestTake_ContextEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "c.lock")
	release, err := lockfile.Take(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := lockfile.Take(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := lockfile.Take(t.Context(), filepath.Join(name, "x")); err == nil {
		t.Error("a file is a directory")
	}
}
