package build

import (
	"strconv"
	"strings"
)

// compilerParser parses lines of the common form: a location, a severity and a message. It serves gcc, clang, clang-cl, cl,
// javac, kotlinc, scalac, swiftc, tsc, csc, msbuild, mypy, pyright, flake8 and tools with the same format.
type compilerParser struct {
	block
	after  style    // form of the lines after the first
	caret  bool     // the source line has been read
	held   []string // lines before it; the last is the source
	indent int      // of the first line
	asked  string   // location in the project that instantiated a template
}

// style is the form of the lines that continue a message.
type style uint8

const (
	alone    style = iota
	tabbed         // lines with more indentation, as of go
	indented       // lines with more indentation, as of tsc
	careted        // the source and a caret below it, then indented lines, as of javac
)

func (c *compilerParser) line(r *report, s string) verdict {
	if c.open {
		if c.tick() && c.continues(s) {
			return more
		}
		c.end(r)
		return pass
	}
	text := strings.TrimLeft(s, " \t")
	c.indent = len(s) - len(text)
	if text == "" || text[0] == '|' {
		return pass
	}
	text = cutNode(cutStep(text))
	if p, rest, ok := cutPlace(text); ok {
		return c.placed(r, p, rest)
	}
	if c.indent > 0 && len(s)-len(text) == c.indent {
		return pass
	}
	return c.placeless(r, text)
}

func (c *compilerParser) end(r *report) { c.block.end(r) }

// placed parses a line that begins with a location.
func (c *compilerParser) placed(r *report, p place, rest string) verdict {
	ext := extension(p.file)
	if ext == ".go" && p.column == 0 { // the log of a program
		return pass
	}
	f, ok := cutSeverity(rest)
	if !ok {
		if strings.Contains(rest, "required from") && r.names.inside(p.file) {
			c.asked = r.names.of(p.file) + ":" + strconv.Itoa(p.line)
			return taken
		}
		if c.indent > 0 && ext != ".go" {
			return pass
		}
		if f, ok = withoutSeverity(ext, rest); !ok {
			return pass
		}
	}
	if f.note {
		r.note("note: " + f.message + " (" + r.names.of(p.file) + ":" + strconv.Itoa(p.line) + ")")
		return taken
	}
	source := ""
	f, source = refine(ext, f)
	c.begin(Problem{
		File: p.file, Line: p.line, Column: p.column, EndLine: p.endLine, EndColumn: p.endColumn,
		Severity: f.severity, Code: f.code, Message: f.message, Source: source,
	})
	if c.asked != "" && !r.names.inside(p.file) {
		c.add("required from " + c.asked)
	}
	c.asked = ""
	c.caret, c.held = false, c.held[:0]
	switch ext {
	case ".go":
		c.after = tabbed
	case ".java", ".scala":
		c.after = careted
	case ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".vue":
		c.after = indented
	default:
		c.after = alone
		c.end(r)
		return taken
	}
	return more
}

// refine separates the code from a message and detects the tool by the form of the message.
func refine(ext string, f finding) (finding, string) {
	f.message = cutProject(f.message)
	source := sources[ext]
	switch {
	case strings.HasPrefix(f.code, "TS"):
		source = "tsc"
	case strings.HasPrefix(f.code, "CS"):
		source = "csc"
	case strings.HasPrefix(f.code, "MSB"):
		source = "msbuild"
	case strings.HasPrefix(f.code, "report"):
		source = "pyright"
	}
	switch ext {
	case ".java":
		if code, rest, ok := bracket(f.message); ok {
			f.code, f.message = code, strings.TrimSpace(rest)
		}
	case ".py":
		f.message, f.code = pythonCode(f.message, f.code)
	default:
		if f.code == "" {
			f.message, f.code = tail(f.message)
		}
	}
	return f, source
}

// sources maps extensions to tools.
var sources = map[string]string{
	".go": "go", ".mod": "go", ".work": "go", ".java": "javac", ".kt": "kotlinc", ".kts": "kotlinc", ".scala": "scalac", ".swift": "swiftc", ".rs": "rustc",
	".c": "cc", ".h": "cc", ".cc": "cc", ".cpp": "cc", ".cxx": "cc", ".hpp": "cc", ".m": "cc", ".mm": "cc", ".cs": "csc", ".vb": "vbc", ".fs": "fsc",
}

// pythonCode finds the codes of mypy, "message  [code]", and pyright, "message (code)".
func pythonCode(message, code string) (string, string) {
	if rest, found := tail(message); found != "" {
		return rest, found
	}
	if at := strings.LastIndex(message, " (report"); at > 0 && strings.HasSuffix(message, ")") {
		return message[:at], message[at+2 : len(message)-1]
	}
	return message, code
}

// withoutSeverity parses messages of tools that print errors without a severity.
func withoutSeverity(ext, rest string) (finding, bool) {
	message := strings.TrimSpace(rest)
	if message == "" {
		return finding{}, false
	}
	f := finding{severity: Error, message: message}
	if found, ok := eslintUnix(message); ok {
		return found, true
	}
	switch {
	case ext == ".go", ext == ".mod", ext == ".work":
		return f, strings.HasPrefix(rest, " ")
	case ext == ".py": // flake8 and ruff: "F401 imported but unused"
		code, text, ok := strings.Cut(message, " ")
		f.code, f.message = code, text
		return f, ok && codelike(code)
	case strings.HasPrefix(message, "*** "): // make
		f.message = message[4:]
		return f, true
	}
	return finding{}, false
}

// eslintUnix parses "message [Error/rule]", the line ends of the unix format of eslint.
func eslintUnix(s string) (finding, bool) {
	at := strings.LastIndexByte(s, '[')
	if at <= 0 || !strings.HasSuffix(s, "]") {
		return finding{}, false
	}
	word, rule, _ := strings.Cut(s[at+1:len(s)-1], "/")
	f := finding{severity: Error, message: strings.TrimSpace(s[:at]), code: rule}
	if word == "Warning" {
		f.severity = Warning
	}
	return f, word == "Error" || word == "Warning"
}

// continues adds a line to the message if it belongs to it.
func (c *compilerParser) continues(s string) bool {
	text := strings.TrimLeft(s, " \t")
	deep := len(s) - len(text)
	switch c.after {
	case tabbed:
		if text == "" || deep <= c.indent || s[0] != '\t' {
			return false
		}
		c.add(strings.Repeat("  ", deep-1) + text)
		return true
	case indented:
		if text == "" || deep < c.indent+2 || s[0] == '\t' || strings.HasPrefix(text, "|") {
			return false
		}
		c.add(s)
		return true
	case careted:
		return c.careted(s, text, deep)
	}
	return false
}

// maxSource is the most lines between the first line and the caret.
const maxSource = 6

func (c *compilerParser) careted(s, text string, deep int) bool {
	switch {
	case text == "":
		return false
	case !c.caret && text == "^":
		c.caret = true
		if c.Column == 0 {
			c.Column = deep + 1
		}
		for _, line := range c.held[:max(0, len(c.held)-1)] {
			c.add(line)
		}
		return true
	case !c.caret:
		c.held = append(c.held, s)
		return len(c.held) <= maxSource && !begins(s)
	case deep >= 2:
		c.add(s)
		return true
	}
	return false
}

// begins reports whether a line begins another message while a caret is expected. Not all tools with this format print the
// source.
func begins(s string) bool {
	if s[0] == '[' || s[0] == '>' || s[0] == '*' || s[0] == ':' {
		return true
	}
	_, rest, placed := cutPlace(s)
	if placed {
		_, placed = cutSeverity(rest)
	}
	return placed
}

// placeless parses a line without location: "tool: error: message" and similar forms.
func (c *compilerParser) placeless(r *report, text string) verdict {
	f, ok := cutSeverity(text)
	origin := ""
	if ok && (strings.HasPrefix(text, "Er") || strings.HasPrefix(text, "Wa")) { // programs use this form, build tools do not
		return pass
	}
	if !ok {
		if origin, f, ok = cutOrigin(text); !ok {
			return pass
		}
	}
	if f.note {
		// javac uses "Note:" for complete files
		if text[0] == 'n' { // "Note:" is how javac speaks of whole files
			r.note("note: " + f.message)
		}
		return taken
	}
	if code, rest, ok := bracket(f.message); ok && f.code == "" { // as of javac
		f.code, f.message = code, strings.TrimSpace(rest)
	}
	f, source := refine("", f)
	p := Problem{Severity: f.severity, Code: f.code, Message: f.message, Source: source}
	switch {
	case pathlike(origin) && !strings.HasSuffix(origin, ".exe"):
		p.File = origin
	case p.Source == "":
		p.Source = strings.ToLower(strings.TrimSuffix(origin, ".exe"))
	}
	c.end(r)
	r.add(p, consequent(f.message))
	return taken
}

// maxOrigin is the longest name of a tool at the beginning of a line.
const maxOrigin = 200

// cutOrigin reads "tool: error: message" and "file : error CODE: message".
func cutOrigin(s string) (origin string, f finding, ok bool) {
	rest := s[:min(len(s), maxOrigin)]
	from := 0
	for range 4 {
		at := strings.IndexByte(rest[from:], ':')
		if at < 0 {
			return "", finding{}, false
		}
		at += from
		from = at + 1
		if from < len(s) && s[from] != ' ' {
			continue
		}
		origin = strings.TrimRight(s[:at], " ")
		if !pathlike(origin) && strings.ContainsFunc(origin, func(r rune) bool {
			return !letters(string(r)) && !('0' <= r && r <= '9') && !strings.ContainsRune(`_.+-/\`, r)
		}) {
			return "", finding{}, false
		}
		if f, ok = cutSeverity(s[from:]); ok {
			return origin, f, true
		}
	}
	return "", finding{}, false
}

// consequences are messages that only report the failure of another tool.
var consequences = []string{
	"ld returned", "linker command failed", "all warnings being treated as errors", "some warnings being treated as errors", "could not compile", "aborting due to",
	"test failed, to rerun", "build failed", "build stopped", "Command failed", "command failed", "exit code", "exited with", "Compilation failed", "fatalError", "emit-module",
}

func consequent(message string) bool {
	for _, phrase := range consequences {
		if strings.Contains(message[:min(len(message), 400)], phrase) {
			return true
		}
	}
	return false
}

// cutNode removes the node number of MSBuild, as in "  2>".
func cutNode(s string) string {
	if n, rest, ok := number(s); ok && n > 0 {
		if _, after, two := second(rest, ':'); two {
			rest = after
		}
		if strings.HasPrefix(rest, ">") {
			return strings.TrimLeft(rest[1:], " ")
		}
	}
	return s
}

// cutStep removes the prefix of docker for a step, as in "#12 3.45 ".
func cutStep(s string) string {
	if s[0] != '#' {
		return s
	}
	if _, rest, ok := number(s[1:]); ok && strings.HasPrefix(rest, " ") {
		if _, rest, ok = number(rest[1:]); ok {
			if _, after, two := second(rest, '.'); two && strings.HasPrefix(after, " ") && len(after) > 1 {
				return after[1:]
			}
		}
	}
	return s
}

// cutProject removes the project at the end of an MSBuild message.
func cutProject(message string) string {
	if !strings.HasSuffix(message, "]") {
		return message
	}
	at := strings.LastIndex(message, " [")
	if at <= 0 {
		return message
	}
	project, _, _ := strings.Cut(message[at+2:len(message)-1], "::")
	if ext := extension(project); !strings.HasSuffix(ext, "proj") && ext != ".sln" && ext != ".slnx" {
		return message
	}
	return strings.TrimSpace(message[:at])
}
