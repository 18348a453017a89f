package pgtest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package, and then ends the server. Tests that leave a
// goroutine behind have failed.
func (s *Server) Main(m *testing.M) int {
	code := m.Run()
	s.Close()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
