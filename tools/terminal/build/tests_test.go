package build_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/terminal/build"
)

// TestMatcher_Tests distinguishes runs without a test from others.
func TestMatcher_Tests(t *testing.T) {
	for name, c := range map[string]struct {
		system       build.System
		output       string
		ran, missing bool
	}{
		"go, none":              {build.Go, "?   \tm\t[no test files]\n", false, true},
		"go, none that matches": {build.Go, "ok  \tm\t0.002s [no tests to run]\n", false, true},
		"go, some":              {build.Go, "?   \tm\t[no test files]\nok  \tm/a\t(cached)\n", true, true},
		"unittest, none":        {build.Python, "\n----\nRan 0 tests in 0.000s\n\nOK\n", false, true},
		"unittest, one":         {build.Python, ".\n----\nRan 1 test in 0.000s\n\nOK\n", true, false},
		"pytest, none":          {build.Python, "\nno tests ran in 0.01s\n", false, true},
		"pytest, some":          {build.Python, "..\n2 passed in 0.01s\n", true, false},
		"pytest, skipped":       {build.Python, "s.\n1 passed, 1 skipped in 0.01s\n", true, false},
		"jest, none":            {build.NPM, "No tests found, exiting with code 0\n", false, true},
		"jest, some":            {build.NPM, "Test Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n", true, false},
		"node, none":            {build.NPM, "ℹ tests 0\nℹ pass 0\n", false, true},
		"cargo, none":           {build.Cargo, "running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n\nrunning 0 tests\n", false, true},
		"cargo, some":           {build.Cargo, "running 2 tests\ntest a ... ok\n\nrunning 0 tests\n", true, false},
		"a build":               {build.Make, "cc -o test test.c\n", false, false},
	} {
		m := build.NewMatcher(c.system, "/p")
		_, _ = m.Write([]byte(c.output))
		_ = m.Close()
		if ran, missing := m.Tests(); ran != c.ran || missing != c.missing {
			t.Errorf("%s: %v, %v", name, ran, missing)
		}
	}
}
