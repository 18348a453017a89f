package gateway_test

import (
	"os"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"
)

// The test binary is a server too, which gateways start as a child.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		serveChild()
		return
	}
	testleak.Main(m)
}
