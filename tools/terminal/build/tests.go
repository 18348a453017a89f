package build

import (
	"regexp"
	"strings"
)

// noTests matches lines that say that there was no test to run: of go, unittest, pytest, jest, vitest, cargo, node, mocha, ctest,
// swift, dotnet and maven.
var noTests = regexp.MustCompile(`\[no test files\]$|\[no tests to run\]$|^Ran 0 tests in |^(=+ )?no tests ran in |^No tests? (files )?found\b|^running 0 tests$|^(# |ℹ )tests 0$|^\s*0 passing\b|^No tests were found|^\s*Executed 0 tests|No test is available in |No tests to run\.$`)

// someTests matches lines of the same programs that say that tests have run.
var someTests = regexp.MustCompile(`^ok\s+\S+\s+(\(cached\)|[\d.]+s)|^Ran [1-9]\d* tests? in |^(=+ )?(\d+ (passed|failed|skipped|xfailed|xpassed|deselected|warnings?|errors?),? )+in [\d.]+s|^\s*Tests:?\s+.*\d+ (passed|failed|skipped|todo)|^running [1-9]\d* tests?$|^(# |ℹ )tests [1-9]|^\s*[1-9]\d* passing\b|\d+% tests passed, |^\s*Executed [1-9]\d* tests|Total tests: [1-9]|Tests run: [1-9]`)

// testCount is a number of tests as lines of output tell it.
type testCount struct{ none, some bool }

func (c *testCount) line(s string) {
	switch {
	case c.some || !strings.HasPrefix(s, "ok") && !strings.Contains(s, "est") && !strings.Contains(s, "pass"):
	case noTests.MatchString(s):
		c.none = true
	case someTests.MatchString(s):
		c.some = true
	}
}

// Tests reports whether the output shows that tests ran, and whether it shows that a part of the project has no tests. Both are
// false for other output.
func (m *Matcher) Tests() (ran, missing bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.report == nil {
		return false, false
	}
	return m.report.tests.some, m.report.tests.none
}
