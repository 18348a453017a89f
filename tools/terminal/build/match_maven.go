package build

import "strings"

// mavenParser understands Maven and what compilers and Surefire say through it:
//
//	[ERROR] /p/src/main/java/A.java:[3,5] cannot find symbol
//	[ERROR]   symbol:   method foo()
//	[ERROR] Failed to execute goal on project x: Could not resolve …
type mavenParser struct {
	block
	places bool // the block has one
	maven  bool // this is Maven's output, or has it in it
}

func (c *mavenParser) end(r *report) { c.block.end(r) }

func (c *mavenParser) line(r *report, s string) verdict {
	severity, text, ok := mavenLevel(s)
	if c.open {
		switch {
		case ok && severity == c.Severity && c.places && strings.HasPrefix(text, "  ") && c.tick():
			c.add(text)
			return more
		case !ok && c.places && strings.HasPrefix(s, "  ") && c.tick(): // the first line alone has the level
			c.add(s)
			return more
		}
		c.end(r)
		return pass
	}
	if !ok {
		return pass
	}
	c.maven = c.maven || r.system == Maven || text == "Scanning for projects..."
	if severity == "" {
		return taken
	}
	text = unhelped(text)
	if p, message, found := cutPlace(text); found && (mavenSource[extension(p.file)] != "" || message != "") {
		if f, ok := cutSeverity(message); ok {
			message = f.message
		}
		source := mavenSource[extension(p.file)]
		if source == "javac" && strings.HasPrefix(message, "[") {
			if code, rest, ok := bracket(message); ok {
				c.begin(Problem{Code: code, File: p.file, Line: p.line, Column: p.column, Severity: severity, Message: rest, Source: source})
				c.places = true
				return more
			}
		}
		c.begin(Problem{File: p.file, Line: p.line, Column: p.column, Severity: severity, Message: message, Source: source})
		c.places = true
		return more
	}
	if !c.maven {
		return pass
	}
	if chatter(text) {
		return taken
	}
	c.begin(Problem{Severity: severity, Message: text, Source: "maven"})
	c.places = false
	c.consequence = mavenConsequence(text)
	c.detail(r, text)
	c.end(r)
	return taken
}

var mavenSource = map[string]string{".java": "javac", ".kt": "kotlinc", ".scala": "scalac", ".groovy": "groovyc"}

// mavenLevel removes the level of a line. The level is "" for lines other than errors and warnings.
func mavenLevel(s string) (Severity, string, bool) {
	if s == "" || s[0] != '[' {
		return "", "", false
	}
	level, text, ok := bracket(s)
	if !ok {
		return "", "", false
	}
	text = strings.TrimPrefix(text, " ")
	switch level {
	case "ERROR", "FATAL":
		return Error, text, true
	case "WARNING", "WARN":
		return Warning, text, true
	case "INFO", "DEBUG":
		return "", text, true
	}
	return "", "", false
}

// unhelped removes a second level and the help number at the end of a line.
func unhelped(text string) string {
	text = strings.TrimSpace(text)
	if _, rest, ok := mavenLevel(text); ok {
		text = strings.TrimSpace(rest)
	}
	if at := strings.LastIndex(text, " -> [Help "); at >= 0 {
		text = strings.TrimSpace(text[:at])
	}
	return text
}

// chatter says whether a line only leads to others, or repeats how to learn more.
func chatter(text string) bool {
	switch {
	case text == "", strings.HasPrefix(text, "COMPILATION "), strings.HasPrefix(text, "-> [Help"), strings.HasPrefix(text, "[Help "), strings.HasPrefix(text, "To see the full stack trace"),
		strings.HasPrefix(text, "Re-run Maven"), strings.HasPrefix(text, "For more information about the errors"), strings.HasPrefix(text, "Failures:"), strings.HasPrefix(text, "Errors:"),
		strings.HasPrefix(text, "Tests run:"), strings.HasPrefix(text, "There are test failures"), strings.HasPrefix(text, "Please refer to "), strings.HasPrefix(text, "After correcting the problems"),
		strings.HasPrefix(text, "mvn <"), strings.HasPrefix(text, "Results:"), strings.HasPrefix(text, "------"), strings.HasPrefix(text, "See dump files"),
		strings.HasPrefix(text, "It is highly recommended to fix"), strings.HasPrefix(text, "For this reason, future Maven"), strings.HasPrefix(text, "Some problems were encountered while building"),
		strings.HasPrefix(text, "The project ") && strings.Contains(text, " has "), strings.HasPrefix(text, "Some problems were encountered while processing the POMs"):
		return true
	}
	return false
}

func mavenConsequence(text string) bool {
	return strings.Contains(text, "Compilation failure") || strings.Contains(text, "There are test failures") || strings.Contains(text, "There were test failures") ||
		strings.Contains(text, "Compilation failed") || strings.HasPrefix(text, "The build could not read") || strings.Contains(text, "BUILD FAIL")
}

// detail parses further forms of Maven lines: the test of "ATest.adds:12 message", and the location of "message @ com.x:y,
// /p/pom.xml, line 3, column 5".
func (c *mavenParser) detail(r *report, text string) {
	if test, message, ok := strings.Cut(text, ":"); ok && strings.Contains(test, ".") && !strings.ContainsAny(test, " /\\(") {
		if n, rest, ok := number(message); ok && strings.HasPrefix(rest, " ") {
			class, _, _ := strings.Cut(test, ".")
			c.File, c.Line, c.Code, c.Message, c.Source = javaFile(r, "", class+".java"), n, test, strings.TrimSpace(rest), "surefire"
			c.consequence = true // the trace of the test has said it with its package
			return
		}
	}
	at := strings.LastIndex(text, " line ")
	if at < 0 {
		return
	}
	n, rest, ok := number(text[at+len(" line "):])
	if !ok {
		return
	}
	c.Line = n
	if column, ok := strings.CutPrefix(rest, ", column "); ok {
		c.Column, _, _ = number(column)
	}
	c.File = "pom.xml"
	for _, word := range strings.FieldsFunc(text[:at], func(r rune) bool { return r == ' ' || r == ',' }) {
		if strings.HasSuffix(word, ".xml") {
			c.File = word
		}
	}
}
