package gateway_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is a server too, which gateways start as a child.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serveChild()
		return
	}
	goleak.VerifyTestMain(m)
}
