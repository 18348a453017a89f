package waittest

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// maxStacks is the limit of the stacks in the message of Within, in bytes.
const maxStacks = 1 << 20

// Within calls f in another goroutine and reports whether f has ended before the timeout. A timeout fails the test with the stacks
// of all goroutines, and a panic of f before the timeout fails it with the stack of f. After a timeout f may go on, and its panics
// are ignored. description names the call in messages: "Close of the adapter".
func Within(t testing.TB, timeout time.Duration, description string, f func()) bool {
	t.Helper()
	var mu sync.Mutex
	abandoned := false
	call := group.Group{OnPanic: func(value any, stack []byte) {
		mu.Lock()
		defer mu.Unlock()
		if !abandoned {
			t.Errorf("%s panicked: %v\n%s", description, value, stack)
		}
	}}
	call.Go(f)
	if call.WaitFor(timeout) {
		return true
	}
	mu.Lock()
	defer mu.Unlock()
	abandoned = true
	stacks := make([]byte, maxStacks)
	t.Errorf("%s has not returned within %v\n%s", description, timeout, stacks[:runtime.Stack(stacks, true)])
	return false
}
