package build

import "strings"

// gradleParser understands Gradle and the Kotlin compiler in it:
//
//	e: file:///p/src/main/kotlin/A.kt:3:5 Unresolved reference 'x'.
//	e: /p/src/main/kotlin/A.kt: (3, 5): Unresolved reference: x
//
//	* Where:
//	Build file '/p/build.gradle' line: 12
//
//	* What went wrong:
//	Execution failed for task ':compileJava'.
//	> Compilation failed; see the compiler error output for details.
type gradleParser struct {
	block
	where bool // within "* Where:"
	file  string
	row   int
}

func (c *gradleParser) end(r *report) {
	c.consequence = gradleConsequence(c.Message)
	c.block.end(r)
}

func (c *gradleParser) line(r *report, s string) verdict {
	switch {
	case c.open:
		if s != "" && !strings.HasPrefix(s, "* ") && c.tick() {
			c.add(s)
			return more
		}
		c.end(r)
		return pass
	case c.where:
		c.where = false
		return c.place(s)
	case strings.HasPrefix(s, "e: "), strings.HasPrefix(s, "w: "):
		return kotlin(r, s)
	}
	return c.heading(s)
}

func (c *gradleParser) heading(s string) verdict {
	switch s {
	case "* Where:":
		c.where = true
		return taken
	case "* What went wrong:":
		c.begin(Problem{File: c.file, Line: c.row, Severity: Error, Source: "gradle"})
		c.file, c.row = "", 0
		return more
	}
	return pass
}

// place reads "Build file '/p/build.gradle' line: 12".
func (c *gradleParser) place(s string) verdict {
	_, rest, ok := strings.Cut(s, " '")
	file, rest, found := strings.Cut(rest, "' line: ")
	if !ok || !found {
		return pass
	}
	c.file = file
	c.row, _, _ = number(rest)
	return taken
}

func gradleConsequence(message string) bool {
	if !strings.Contains(message, "Execution failed for task") {
		return false
	}
	for _, phrase := range []string{"see the compiler error output", "Compilation error. See log", "There were failing tests", "Compilation failed", "finished with non-zero exit value", "A failure occurred while executing"} {
		if strings.Contains(message, phrase) {
			return true
		}
	}
	return false
}

// kotlin parses messages of the Kotlin compiler in Gradle.
func kotlin(r *report, s string) verdict {
	p := Problem{Severity: Error, Source: "kotlinc"}
	if s[0] == 'w' {
		p.Severity = Warning
	}
	text := s[3:]
	at, message, ok := cutPlace(text)
	if !ok { // file:///p/A.kt:3:5 message
		if where, rest, found := strings.Cut(text, " "); found {
			at, _, ok = cutPlace(where + ":")
			message = rest
		}
	}
	if !ok {
		message = text
	}
	p.File, p.Line, p.Column, p.Message = at.file, at.line, at.column, strings.TrimSpace(message)
	r.add(p, false)
	return taken
}
