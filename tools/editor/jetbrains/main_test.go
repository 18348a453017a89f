package jetbrains_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// launcherVariable makes the test program a launcher. Its value is the kind, and after a colon the file for the arguments.
const launcherVariable = "DOUGU_TEST_LAUNCHER"

func TestMain(m *testing.M) {
	if kind, file, ok := strings.Cut(os.Getenv(launcherVariable), ":"); ok {
		os.Exit(launch(kind, file))
	}
	goleak.VerifyTestMain(m)
}

// launch acts as a launcher.
func launch(kind, file string) int {
	written, err := json.Marshal(os.Args[1:])
	if err != nil || os.WriteFile(file+".new", written, 0o600) != nil || os.Rename(file+".new", file) != nil {
		return 3
	}
	last := os.Args[len(os.Args)-1]
	switch kind {
	case "fails":
		fmt.Fprintln(os.Stderr, "no display")
		return 1
	case "stays":
		// It acts as the IDE until the file is removed.
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(file); err != nil {
				return 0
			}
		}
		return 1
	case "formats":
		text, err := os.ReadFile(last)
		if err != nil {
			return 4
		}
		if os.WriteFile(last, []byte(strings.ReplaceAll(string(text), "\t", "    ")), 0o600) != nil {
			return 5
		}
	case "removes":
		os.RemoveAll(filepath.Dir(last))
	}
	return 0
}
