// Package syntax finds syntax errors in files that no editor and no language server looks at.
//
// [Checker] reads JSON, JSON with comments and YAML by itself: these have errors of syntax alone, as far as a tool can
// know without a schema. Programs add parsers of other languages with [Parser]; a parser finds errors of syntax alone, so that a file
// which it accepts may have any other error.
package syntax
