package repomap

import (
	"math"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// isVisible reports whether a declaration can be part of a map: other code must be able to
// use it.
func isVisible(chunks []source.Chunk, n int) bool {
	c := &chunks[n]
	switch {
	case c.Kind == source.Accessor || c.Kind == source.Module || c.Kind == source.Extension || c.Kind == source.EnumCase:
		return false
	case c.Parent >= 0 && chunks[c.Parent].Kind.IsCallable():
		return false
	}
	return !c.Kind.IsValue() || c.Parent < 0
}

// Weights of a declaration among the declarations of the same name, multiplied by the
// weight of its file.
const (
	weightFunction = 1 // a function or a type
	weightMethod   = 0.7
	weightValue    = 0.3
	weightAlias    = 0.3 // another name of a type, or a macro
	factorHidden   = 0.6 // private, or not exported
)

// weight returns the value of a declaration without its uses.
func weight(lang source.Language, c *source.Chunk, ofFile float64) float64 {
	w := float64(weightFunction)
	switch {
	case c.Kind == source.TypeAlias && !strings.Contains(c.Signature, "{"), strings.HasPrefix(c.Signature, "#"):
		w = weightAlias
	case c.Kind.IsValue():
		w = weightValue
	case c.Container != "" && !c.Kind.IsType():
		w = weightMethod
	}
	if isPrivate(lang, c) && c.Name != "main" {
		w *= factorHidden
	}
	return w * ofFile
}

// isPrivate reports whether a declaration is private to its file or type.
func isPrivate(lang source.Language, c *source.Chunk) bool {
	first := c.Name[0]
	switch {
	case lang == source.Go:
		return 'a' <= first && first <= 'z' || first == '_'
	case (lang == source.TypeScript || lang == source.TSX) && c.Parent < 0:
		return !strings.HasPrefix(c.Signature, "export") && !strings.HasPrefix(c.Signature, "declare")
	}
	if first == '_' || first == '#' {
		return true
	}
	head, _, _ := strings.Cut(c.Signature, "(")
	for word := range strings.FieldsSeq(head) {
		switch word {
		case "private", "fileprivate", "static":
			return word != "static" || lang == source.C && c.Container == ""
		}
	}
	return false
}

// Weights of files.
const (
	weightTests     = 0.1
	weightForeign   = 0.1 // third-party code in the project
	weightGenerated = 0.1
)

// fileWeight returns the factor for the declarations and the uses of a file.
func fileWeight(path string, generated bool) float64 {
	w := 1.0
	tests, foreign := false, false
	for part := range strings.SplitSeq(strings.ToLower(path), "/") {
		switch part {
		case "test", "tests", "testdata", "testing", "__tests__", "__mocks__", "spec", "specs", "e2e", "fixtures", "mocks", "androidtest", "benchmark", "benchmarks", "example", "examples", "demo", "docs":
			tests = true
		case "vendor", "vendored", "third_party", "third-party", "thirdparty", "node_modules", "external", "pods", "carthage", "deps", "dist":
			foreign = true
		}
		name, _, _ := strings.Cut(part, ".")
		tests = tests || strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test") || strings.HasSuffix(name, "_spec") || strings.Contains(part, ".test.") || strings.Contains(part, ".spec.")
		generated = generated || strings.HasSuffix(name, "_generated") || strings.HasSuffix(name, "_pb2") || strings.Contains(part, ".pb.") || strings.Contains(part, ".gen.") || strings.Contains(part, ".min.") || part == "generated"
	}
	// For example FooTests.swift and FooTest.java.
	base, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	if tests || strings.HasSuffix(base, "Test") || strings.HasSuffix(base, "Tests") || strings.HasSuffix(base, "Spec") {
		w *= weightTests
	}
	if foreign {
		w *= weightForeign
	}
	if generated {
		w *= weightGenerated
	}
	return w
}

// size returns a factor that grows with the number of lines of a declaration: the parts of a
// program that a reader starts with are rarely short.
func size(c *source.Chunk) float32 {
	lines := max(c.EndLine-c.Line, 0) + 1
	return float32(math.Log2(1 + float64(min(lines, 500))))
}

// isCompound reports whether a name consists of several words.
func isCompound(s string) bool {
	if strings.Contains(strings.Trim(s, "_"), "_") {
		return true
	}
	lower, upper := false, false
	for _, c := range s {
		lower = lower || 'a' <= c && c <= 'z'
		upper = upper || lower && 'A' <= c && c <= 'Z'
	}
	return upper
}
