package dashboard

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/test/e2e/browser"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestDashboard runs the suites of this directory: demo.test.mjs with the example and recorded agents, the others with a fake
// server. Screenshots go to the directory DOUGU_SCREENSHOTS.
func TestDashboard(t *testing.T) {
	suites := browser.Need(t, "playwright-core", "axe-core")
	program := filepath.Join(t.TempDir(), "kuromajutsu.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/dougu-go/dougu/examples/kuromajutsu").CombinedOutput(); err != nil {
		t.Fatalf("building the example: %v\n%s", err, out)
	}
	suites.Run(t, []string{"DOUGU_KUROMAJUTSU=" + program}, func(t *testing.T, out string) {
		for line := range strings.Lines(out) {
			if note, ok := strings.CutPrefix(line, "# event to eye"); ok {
				t.Logf("event to eye%s", strings.TrimSpace(note))
			}
		}
	})
}
