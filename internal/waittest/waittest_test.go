package waittest_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
)

// failing is a test that panics where it would fail.
type failing struct{ testing.TB }

func (failing) Helper()           {}
func (failing) Fatal(args ...any) { panic(args[0]) }

func TestUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := time.Now().Add(time.Second)
		waittest.Until(t, "a second is over", func() bool { return !time.Now().Before(at) })
		if time.Now().Before(at) {
			t.Error("it was not waited for")
		}
		defer func() {
			if said, _ := recover().(string); said != "timeout while waiting until pigs fly" {
				t.Errorf("it says %q", said)
			}
		}()
		waittest.Until(failing{t}, "pigs fly", func() bool { return false })
	})
}

func TestLog(t *testing.T) {
	var log waittest.Log
	log.Logger().Debug("said", "n", 1)
	if text := log.String(); !strings.Contains(text, `"msg":"said","n":1`) {
		t.Errorf("the log is %q", text)
	}
}
