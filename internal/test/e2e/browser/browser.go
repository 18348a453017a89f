// Package browser runs test suites in which Node.js controls a Chromium.
package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// Suites are the files *.test.mjs of the working directory, with the programs that run them.
type Suites struct {
	node, browser string
}

// Need returns the suites of the working directory, which must be directly below the directory of this package. It calls
// [testrequire.Deep] for Node.js, Chromium and the npm modules that the suites import.
func Need(t testing.TB, modules ...string) Suites {
	t.Helper()
	s := Suites{browser: chromium()}
	testrequire.Deep(t, s.browser != "", "chromium", "install Chromium, or name it in DOUGU_CHROMIUM")
	s.node = testrequire.Node(t, 20, "install Node.js 20 or later")
	for _, module := range modules {
		_, err := os.Stat(filepath.Join("..", "node_modules", filepath.FromSlash(module), "package.json"))
		testrequire.Deep(t, err == nil, module, "run npm ci --prefix internal/test/e2e/browser --ignore-scripts in the repository's root")
	}
	return s
}

// Run runs each suite as a subtest, with variables added to the environment of this process. The output of each suite is passed to
// told.
func (s Suites) Run(t *testing.T, variables []string, told func(t *testing.T, out string)) {
	environ := append(append(os.Environ(), "DOUGU_CHROMIUM="+s.browser), variables...)
	suites, err := filepath.Glob("*.test.mjs")
	if err != nil || len(suites) == 0 {
		t.Fatalf("no suites: %v", err)
	}
	for _, suite := range suites {
		t.Run(strings.TrimSuffix(suite, ".test.mjs"), func(t *testing.T) {
			out, code := run(t, environ, s.node, "--test", "--test-reporter=tap", suite)
			if code != 0 {
				t.Fatalf("exit code %d\n%s", code, out)
			}
			told(t, out)
		})
	}
}

// run runs a program and returns its output and exit code. All processes that it started are ended.
func run(t *testing.T, environ []string, program string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = environ
	var out strings.Builder
	child, err := process.Capture(cmd, process.CaptureOptions{Output: func(_ process.Stream, p []byte) { out.Write(p) }})
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	select {
	case <-child.Ended():
	case <-t.Context().Done():
		_ = child.Stop(process.Terminate, 10*time.Second)
	}
	<-child.Drained()
	return out.String(), child.Exit().Code
}

// chromium returns the path of a browser, or "".
func chromium() string {
	for _, name := range []string{os.Getenv("DOUGU_CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
