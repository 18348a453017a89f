package build

import "strings"

// swiftTestParser understands Swift Testing; XCTest speaks as compilers do:
//
//	✘ Test adds() recorded an issue at b.swift:5:3: Expectation failed: …
type swiftTestParser struct{}

func (swiftTestParser) end(*report) {}

func (swiftTestParser) line(r *report, s string) verdict {
	rest, ok := strings.CutPrefix(s, "✘ Test ")
	if !ok {
		return pass
	}
	name, rest, ok := strings.Cut(rest, " recorded an issue ")
	at := strings.Index(rest, "at ")
	if !ok || at < 0 {
		return pass
	}
	p, message, ok := cutPlace(rest[at+3:])
	if !ok {
		return pass
	}
	r.add(Problem{File: p.file, Line: p.line, Column: p.column, Severity: Error, Code: name, Message: message, Source: "swift test"}, false)
	return taken
}
