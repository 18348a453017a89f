package rank

import (
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// sort is a bit set of the purposes of a file.
type sort uint8

const (
	isTest      sort = 1 << iota
	isVendored       // copied from another project
	isGenerated      // written by a program
	isExample
	isLegacy  // deprecated or superseded
	isTypes   // declarations of types without code
	isChanges // change logs and release notes
)

// String returns the names of the purposes.
func (s sort) String() string {
	var names []string
	for i, name := range []string{"test", "vendored", "generated", "example", "legacy", "types", "changes"} {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// asked is the set of purposes that a query names.
type asked sort

// sortWords has the purpose that a word of a query names.
var sortWords = map[string]sort{
	"test": isTest, "tests": isTest, "testing": isTest, "tested": isTest, "spec": isTest, "specs": isTest, "unittest": isTest,
	"mock": isTest, "mocks": isTest, "fixture": isTest, "fixtures": isTest, "benchmark": isTest, "benchmarks": isTest, "fuzz": isTest,
	"テスト":    isTest,
	"vendor": isVendored, "vendored": isVendored, "generated": isGenerated,
	"example": isExample, "examples": isExample, "sample": isExample, "samples": isExample, "demo": isExample, "tutorial": isExample,
	"legacy": isLegacy, "deprecated": isLegacy, "old": isLegacy, "obsolete": isLegacy,
	"types": isTypes, "typings": isTypes, "declaration": isTypes, "declarations": isTypes,
	"changelog": isChanges, "changes": isChanges, "release": isChanges, "releases": isChanges, "changed": isChanges,
}

// askedBy returns the purposes that the units of a query name.
func askedBy(units []unit) asked {
	var a asked
	for i := range units {
		u := &units[i]
		a |= asked(sortWords[u.whole] | sortWords[u.text])
		for _, part := range u.parts {
			a |= asked(sortWords[part])
		}
	}
	return a
}

// sortDirs has the purpose of files below a directory with this name.
var sortDirs = map[string]sort{
	"test": isTest, "tests": isTest, "__tests__": isTest, "testdata": isTest, "spec": isTest, "specs": isTest,
	"e2e": isTest, "fixtures": isTest, "__fixtures__": isTest, "__mocks__": isTest, "mocks": isTest, "benchmarks": isTest, "benches": isTest,
	"androidtest": isTest, "unittest": isTest, "unittests": isTest,
	"vendor": isVendored, "node_modules": isVendored, "third_party": isVendored, "thirdparty": isVendored,
	"bower_components": isVendored, "pods": isVendored, "_vendor": isVendored,
	"generated": isGenerated, "dist": isGenerated, "__generated__": isGenerated,
	"example": isExample, "examples": isExample, "_examples": isExample, "sample": isExample, "samples": isExample, "demo": isExample, "demos": isExample,
	"legacy": isLegacy, "deprecated": isLegacy, "obsolete": isLegacy, "attic": isLegacy,
	"@types": isTypes, "typings": isTypes,
}

// Secondary reports whether a path belongs to a test, an example, or legacy, generated
// or vendored code. Search results show such files later.
func Secondary(name string) bool {
	return sortOf(name)&(isTest|isVendored|isGenerated|isExample|isLegacy) != 0
}

// sortOf returns the purposes of a file by its path.
func sortOf(name string) sort {
	var s sort
	dir, base := path.Split(name)
	dir = strings.ToLower(dir)
	for dir != "" {
		var component string
		component, dir, _ = strings.Cut(dir, "/")
		s |= sortDirs[component]
	}
	return s | sortOfBase(base)
}

func sortOfBase(base string) sort {
	ext := path.Ext(base)
	spelled := base[:len(base)-len(ext)]
	ext = strings.ToLower(ext) // may be longer
	stem := strings.ToLower(spelled)
	var s sort
	switch {
	case hasSuffix(stem, "_test", ".test", ".spec", "-test", "_spec", "-spec", ".stories", ".bench", "_bench"),
		strings.HasPrefix(stem, "test_"), stem == "conftest":
		s |= isTest
	case ext == ".java" || ext == ".kt" || ext == ".swift" || ext == ".cs" || ext == ".php":
		if hasSuffix(spelled, "Test", "Tests", "TestCase", "Spec") {
			s |= isTest
		}
	}
	if hasSuffix(stem, ".pb", "_generated", ".generated", ".g", "_pb2", ".gen", "_gen", ".min", ".bundle") || strings.HasPrefix(stem, "zz_") ||
		ext == ".go" && hasPrefix(stem, "zsys", "zerrors_", "ztypes_") || ext == ".map" || ext == ".lock" || ext == ".sum" || ext == ".json" && strings.HasSuffix(stem, "-lock") {
		s |= isGenerated
	}
	if strings.HasPrefix(stem, "example_") || hasSuffix(stem, "_example", ".example") {
		s |= isExample
	}
	if hasSuffix(stem, ".d") && strings.HasSuffix(ext, "ts") {
		s |= isTypes
	}
	if stem == "changelog" || stem == "changes" || stem == "history" || stem == "news" || stem == "releases" || stem == "release-notes" {
		s |= isChanges
	}
	return s
}

func hasPrefix(s string, starts ...string) bool {
	for _, start := range starts {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}

func hasSuffix(s string, ends ...string) bool {
	for _, end := range ends {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// factor returns the product of the factors for the purposes of a file that the query does
// not name.
func (t *Tuning) factor(s sort, a asked) float64 {
	s &^= sort(a)
	if a&asked(isTest) != 0 {
		s &^= isExample
	}
	f := 1.0
	for _, one := range [...]struct {
		sort   sort
		factor float64
	}{{isTest, t.Test}, {isVendored, t.Vendored}, {isGenerated, t.Generated}, {isExample, t.Example}, {isLegacy, t.Legacy}, {isTypes, t.Types}, {isChanges, t.Changes}} {
		if s&one.sort != 0 {
			f = min(f, one.factor)
		}
	}
	return f
}

// prior returns the factor for the kind of a piece.
func (t *Tuning) prior(p *index.Piece, shape Shape) float64 {
	switch p.Kind {
	case "section":
		return t.Section[shape]
	case "file":
		return t.Rest[shape]
	case "lambda":
		return t.Declared[shape] * t.Nameless
	case "variable", "constant", "property", "enumCase", "accessor":
		return t.Declared[shape] * t.Value
	}
	return t.Declared[shape]
}
