package parallel_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/release/internal/parallel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEach(t *testing.T) {
	failed := errors.New("as it was told")
	var mu sync.Mutex
	now, most := 0, 0
	done := make(map[int]bool)
	err := parallel.Each(20, 2, func(i int) error {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			now--
			done[i] = true
		}()
		if i%10 == 3 {
			return fmt.Errorf("%d: %w", i, failed)
		}
		return nil
	})
	if !errors.Is(err, failed) || err.Error() != "3: as it was told\n13: as it was told" || len(done) != 20 || most > 2 {
		t.Errorf("%v; %d are done, %d at once", err, len(done), most)
	}
	if err := parallel.Each(0, 2, func(int) error { return failed }); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
}
