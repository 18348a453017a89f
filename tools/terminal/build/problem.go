package build

import "strconv"

// Severity says whether a problem makes a build fail.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Problem is an error or a warning of a build.
type Problem struct {
	// File is the path of the file, with slashes and relative to the project for a file in it, otherwise as the tool printed
	// it. It is empty for a problem without file.
	File string `json:"file,omitempty"`
	// Line and Column count from 1; 0 is unknown. Columns are the tool's: some
	// count bytes, some UTF-16 units, some cells of a terminal.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// EndLine and EndColumn are where it ends, if the tool says so; EndColumn is
	// the column after the last.
	EndLine   int `json:"endLine,omitempty"`
	EndColumn int `json:"endColumn,omitempty"`
	// Severity is Error or Warning.
	Severity Severity `json:"severity"`
	// Code is the tool's name for the kind of problem, for example TS2322 or -Wunused-variable, or the name of the failed test.
	Code string `json:"code,omitempty"`
	// Message can have several lines; notes follow the first line.
	Message string `json:"message"`
	// Source is the tool that found the problem, for example tsc or javac, if known.
	Source string `json:"source,omitempty"`
}

// String is the problem as compilers print one.
func (p Problem) String() string {
	s := ""
	if p.File != "" {
		s = p.File + ":"
		if p.Line > 0 {
			s += strconv.Itoa(p.Line) + ":"
			if p.Column > 0 {
				s += strconv.Itoa(p.Column) + ":"
			}
		}
		s += " "
	}
	s += string(p.Severity) + ": " + p.Message
	if p.Code != "" {
		s += " [" + p.Code + "]"
	}
	return s
}
