package confine_test

import (
	"errors"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/confine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Where nothing can be confined, that is said, and nothing else is done.
func TestUnsupported(t *testing.T) {
	if !errors.Is(confine.ErrUnsupported, errors.ErrUnsupported) {
		t.Error("ErrUnsupported is not errors.ErrUnsupported")
	}
	if _, ok := confine.Supported(); ok {
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- confine.Thread(confine.Rules{})
	}()
	if err := <-done; !errors.Is(err, confine.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}
