package sessions_test

import (
	"crypto/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/nats/sessions"
)

// A consent is used once, whichever instances try at once.
func TestStore_SpendOnce(t *testing.T) {
	server := natstest.Start(t)
	opts := sessions.Options{Prefix: "t" + rand.Text(), Memory: true}
	stores := []*sessions.Store{newStore(t, server, opts), newStore(t, server, opts)}
	until := time.Now().Add(10 * time.Minute)
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			fresh, err := stores[i%2].Spend(t.Context(), "consent", until)
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
		t.Errorf("used %d times", won.Load())
	}
	if fresh, err := stores[1].Spend(t.Context(), "another", until); !fresh || err != nil {
		t.Errorf("another consent: %v, %v", fresh, err)
	}
	if fresh, err := stores[0].Spend(t.Context(), "long", time.Now().Add(2*time.Hour)); fresh || err == nil {
		t.Errorf("a consent that outlives its record: %v, %v", fresh, err)
	}
}
