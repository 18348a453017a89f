package index

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Demotions of a hit among the hits of its base score.
const (
	demoteValue     = 1 // variables, constants, fields
	demoteSecondary = 2 // tests, examples, generated and vendored code, .d.ts
	// maxDemotion is the demotion of a value in a secondary file. Such a hit loses one base
	// score, so that the function fastify precedes all variables with that name in tests.
	maxDemotion = demoteValue + demoteSecondary

	unknownPath = -1 // the demotion of a path that was not computed yet
)

// rankOf returns the order of a hit: base score, then demotion, then the quality of the
// match. Hits of a base score have ranks below rankBase of the next one.
func rankOf(score, demotion int) int {
	base, quality := score/100, score%100
	if demotion == maxDemotion {
		base--
	}
	return base*1000 + (9-demotion)*100 + quality
}

// rankBase returns the number below which all ranks of lower base scores are.
func rankBase(score int) int { return score / 100 * 1000 }

func kindDemotion(kind source.Kind) int {
	if kind.IsValue() {
		return demoteValue
	}
	return 0
}

func pathDemotion(path string) int {
	if Secondary(path) {
		return demoteSecondary
	}
	return 0
}

// secondaryDirs are directories of tests, examples, generated code and vendored code.
var secondaryDirs = []string{
	"test", "tests", "testdata", "testing", "__tests__", "__mocks__", "spec", "specs", "e2e", "fixtures", "mocks", "androidtest", "benchmark", "benchmarks",
	"example", "examples", "demo", "demos", "samples", "vendor", "vendored", "third_party", "third-party", "thirdparty", "node_modules", "pods", "carthage",
	"dist", "generated",
}

// secondaryParts are parts of the names of such files, in lower case and with the dot of an extension.
var secondaryParts = []string{"_test.", ".test.", "_spec.", ".spec.", "-test.", ".stories.", ".pb.", ".gen.", ".min.", "_generated.", ".generated.", "_pb2.", ".d.ts", ".d.mts", ".d.cts"}

// Secondary reports whether a path belongs to a test, an example, generated or vendored
// code, or a type declaration of JavaScript. Results show such files last.
func Secondary(path string) bool {
	for {
		dir, rest, ok := strings.Cut(path, "/")
		if !ok {
			break
		}
		if slices.ContainsFunc(secondaryDirs, func(name string) bool { return strings.EqualFold(name, dir) }) {
			return true
		}
		path = rest
	}
	base := strings.ToLower(path)
	if strings.HasPrefix(base, "test_") || slices.ContainsFunc(secondaryParts, func(part string) bool { return strings.Contains(base, part) }) {
		return true
	}
	stem, _, _ := strings.Cut(path, ".") // for example FooTests.swift and FooTest.java
	return strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "TestCase")
}
