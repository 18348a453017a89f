package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
)

// execTest replaces this process by a test program under Wine. go test calls it in
// the directory of the package with the path of the program and its arguments.
func execTest(args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	pkg, err := filepath.Rel(os.Getenv(rootVariable), dir)
	if err != nil {
		return err
	}
	if pattern := skipPattern(skips, filepath.ToSlash(pkg)); pattern != "" {
		args = append(args, "-test.skip="+pattern)
	}
	wine := os.Getenv(programVariable)
	return fmt.Errorf("starting %s: %w", wine, syscall.Exec(wine, append([]string{wine}, args...), testEnv(os.Environ())))
}

// testEnv returns the environment of a test program. A Unix path in GOTMPDIR would
// be the directory of t.TempDir, without a drive. The variables DOUGU_… are for
// tests on this system: they demand or locate programs that have no Windows version.
func testEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "GOTMPDIR=") || strings.HasPrefix(v, "DOUGU_")
	})
}

// skipPattern returns the value of -test.skip for a package, or "".
func skipPattern(skips []skip, pkg string) string {
	var names []string
	for _, s := range skips {
		if s.pkg == pkg {
			for _, name := range s.tests {
				names = append(names, regexp.QuoteMeta(name))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
