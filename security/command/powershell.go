package command

import (
	"encoding/base64"
	"strings"
	"unicode/utf16"
)

// powershell looks at a script for PowerShell. It is taken apart roughly: statements wherever operators, brackets and braces
// divide it, and variables with known texts.
func (r *reader) powershell(text string) {
	if r.cost(text); !r.step() {
		return
	}
	lower := strings.ToLower(strings.ReplaceAll(text, "`", ""))
	if mentions(lower, "iex", "invoke-expression", "scriptblock]::create") && mentions(lower, "downloadstring", "downloaddata", "webclient", "invoke-webrequest", "iwr", "invoke-restmethod", "irm", "curl", "wget", "frombase64string") {
		r.refuse(ruleRemote, []string{firstLine(text)}, "it runs text that was downloaded or decoded and that nobody has read")
		return
	}
	if mentions(lower, "frombase64string", "[char]", "-join", "-f", "::create", "reflection.assembly", "add-type") && mentions(lower, "&", "iex", "invoke-expression", "::create", "invoke") {
		r.doubt([]string{firstLine(text)}, "it runs what it computes")
	}
	var source []string // what the statement before found, in a pipeline
	for _, statement := range psStatements(text) {
		if !r.step() {
			return
		}
		for _, token := range statement.tokens {
			if token.quoted && strings.Contains(lower, "]::delete(") && r.placesOutside(token.text) {
				r.refuse(ruleDelete, []string{firstLine(text)}, "it deletes %q", clip(token.text))
			}
		}
		source = r.psStatement(statement, source)
	}
}

// mentions reports whether a text has one of the words, as words if they are letters.
func mentions(text string, words ...string) bool {
	for _, word := range words {
		for rest := text; ; {
			i := strings.Index(rest, word)
			if i < 0 {
				break
			}
			after := rest[i+len(word):]
			if !isLetter(word[0]) || (i == 0 || !isLetter(rest[i-1]) && rest[i-1] != '-') && (after == "" || !isLetter(after[0])) {
				return true
			}
			rest = after
		}
	}
	return false
}

// placesOutside reports whether a path must not be deleted.
func (r *reader) placesOutside(name string) bool {
	abs, ok := r.absolute(windowsName(name))
	return ok && strings.ContainsAny(name, `/\:`) && r.wiped(abs) != ""
}

// psToken is a word of a statement.
type psToken struct {
	text   string
	quoted bool // it is a text and no command
}

type psStatementText struct {
	tokens []psToken
	piped  bool // it gets what the one before writes
}

// psScanner takes a script apart.
type psScanner struct {
	text          string
	all           []psStatementText
	current       psStatementText
	token         strings.Builder
	begun, quoted bool
}

func psStatements(text string) []psStatementText {
	p := psScanner{text: text}
	for i := 0; i < len(text); {
		i = p.scan(i)
	}
	p.next(false)
	return p.all
}

// flush ends a word.
func (p *psScanner) flush() {
	if p.begun {
		p.current.tokens = append(p.current.tokens, psToken{p.token.String(), p.quoted})
	}
	p.token.Reset()
	p.begun, p.quoted = false, false
}

// next ends a statement.
func (p *psScanner) next(piped bool) {
	p.flush()
	if len(p.current.tokens) > 0 {
		p.all = append(p.all, p.current)
	}
	p.current = psStatementText{piped: piped}
}

func (p *psScanner) put(text string) {
	p.token.WriteString(text)
	p.begun = true
}

// scan reads what begins at i, and gives where it ends.
func (p *psScanner) scan(i int) int {
	c, rest := p.text[i], p.text[i+1:]
	switch {
	case c == '`' && rest != "":
		if rest[0] != '\n' && rest[0] != '\r' {
			p.put(rest[:1])
		}
		return i + 2
	case c == '\'' || c == '"':
		return p.literal(i)
	case c == '#' && !p.begun:
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return i + 1 + end
		}
		return len(p.text)
	case c == '&' && strings.HasPrefix(rest, "&"):
		p.next(false)
		return i + 2
	case strings.IndexByte("|;\n\r{})", c) >= 0:
		p.next(c == '|' && !strings.HasPrefix(rest, "|"))
	case c == '(':
		if p.begun || len(p.current.tokens) > 0 {
			p.put(unknown)
		}
		p.next(false)
	case c == '&' && !p.begun:
		p.current.tokens = append(p.current.tokens, psToken{"&", false})
	case c == ' ' || c == '\t' || c == ',':
		p.flush()
	case c == '=' && !strings.HasPrefix(p.token.String(), "-") && !strings.HasPrefix(p.token.String(), "/"):
		p.flush()
		p.current.tokens = append(p.current.tokens, psToken{"=", false})
	default:
		p.put(p.text[i : i+1])
	}
	return i + 1
}

// literal reads a quoted text; 'a' + 'b' is one.
func (p *psScanner) literal(i int) int {
	quote, end := p.text[i], i+1
	for end < len(p.text) && p.text[end] != quote {
		if p.text[end] == '`' && quote == '"' {
			end++
		}
		end++
	}
	value := p.text[i+1 : min(end, len(p.text))]
	if quote == '"' {
		value = strings.ReplaceAll(value, "`", "")
	}
	p.quoted = p.quoted || !p.begun
	p.put(value)
	if next := skipJoin(p.text, end+1); next > 0 {
		return next
	}
	return end + 1
}

// skipJoin is where the second text of a + between two texts begins; 0 if there is none.
func skipJoin(text string, at int) int {
	rest := strings.TrimLeft(text[min(at, len(text)):], " ")
	if !strings.HasPrefix(rest, "+") {
		return 0
	}
	rest = strings.TrimLeft(rest[1:], " ")
	if rest == "" || rest[0] != '\'' && rest[0] != '"' {
		return 0
	}
	return len(text) - len(rest)
}

// psStatement looks at one statement, and gives the paths that it finds for the next one of a pipeline.
func (r *reader) psStatement(s psStatementText, source []string) []string {
	tokens := s.tokens
	if !s.piped {
		source = nil
	}
	if len(tokens) > 2 && tokens[1].text == "=" && strings.HasPrefix(tokens[0].text, "$") {
		if len(tokens) == 3 && tokens[2].quoted {
			r.set("$"+strings.ToLower(tokens[0].text[1:]), scalar(tokens[2].text))
			return nil
		}
		r.set("$"+strings.ToLower(tokens[0].text[1:]), scalar(unknown))
		tokens = tokens[2:]
	}
	called := false
	for len(tokens) > 0 && !tokens[0].quoted && (tokens[0].text == "&" || tokens[0].text == "." || strings.EqualFold(tokens[0].text, "return")) {
		called = called || tokens[0].text != "return"
		tokens = tokens[1:]
	}
	if len(tokens) == 0 {
		if called {
			r.doubt([]string{"&"}, "which program it runs is only known when it runs")
		}
		return nil
	}
	argv := make([]string, len(tokens))
	for i, token := range tokens {
		argv[i] = r.psExpand(token.text)
	}
	if !called && (tokens[0].quoted || len(argv[0]) > 1 && argv[0][0] == '.' && isLetter(argv[0][1]) || strings.ContainsAny(tokens[0].text[:min(1, len(tokens[0].text))], "$[@0123456789-+!=%<>*?:")) {
		return nil // an expression
	}
	var paths []string
	r.deeper(func() { paths = r.cmdlet(argv, source) })
	return paths
}

// psExpand replaces variables whose text is known.
func (r *reader) psExpand(text string) string {
	if text == "~" || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, `~\`) {
		text = r.home + text[1:]
	}
	if !strings.Contains(text, "$") {
		return text
	}
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		rest = strings.TrimPrefix(rest, "{")
		n := 0
		for n < len(rest) && (isLetter(rest[n]) || rest[n] == '_' || rest[n] == ':' && n+1 < len(rest) && isLetter(rest[n+1]) || rest[n] >= '0' && rest[n] <= '9') {
			n++
		}
		name := strings.ToLower(rest[:n])
		text = strings.TrimPrefix(rest[n:], "}")
		v, isSet := r.vars["$"+name]
		environment, isEnv := strings.CutPrefix(name, "env:")
		switch {
		case isSet:
			out.WriteString(v.values[0])
		case isEnv:
			out.WriteString(r.windowsVariable(environment))
		case name == "home":
			out.WriteString(r.home)
		case name == "pwd" || name == "psscriptroot":
			out.WriteString(r.dir)
		default:
			out.WriteString(unknown)
		}
	}
}

// powershellRun looks at powershell -Command … as a command.
func (r *reader) powershellRun(argv []string, in string) {
	r.through = append(r.through, argv[0])
	defer func() { r.through = r.through[:len(r.through)-1] }()
	for i := 1; i < len(argv); i++ {
		name := strings.TrimLeft(strings.ToLower(argv[i]), "-/")
		isFlag := strings.HasPrefix(argv[i], "-") || strings.HasPrefix(argv[i], "/")
		switch {
		case isFlag && name != "" && (strings.HasPrefix("encodedcommand", name) || name == "ec"):
			script, ok := "", false
			if i+1 < len(argv) {
				script, ok = utf16Text(argv[i+1])
			}
			if !ok {
				r.doubt(argv, "its script is encoded")
			}
			r.powershell(script)
			return
		case isFlag && strings.HasPrefix("command", name), !isFlag:
			if isFlag {
				i++
			}
			r.powershell(strings.Join(argv[i:], " "))
			return
		case isFlag && strings.HasPrefix("file", name):
			return
		case isFlag && strings.HasPrefix("executionpolicy", name) || name == "ep" || name == "windowstyle" || name == "w" || name == "version" || name == "workingdirectory" || name == "inputformat" || name == "outputformat":
			i++
		}
	}
	switch {
	case strings.Contains(in, foreign):
		r.refuse(ruleRemote, argv, "it runs text that was downloaded or decoded and that nobody has read")
	case in != unknown:
		r.powershell(in)
	case len(argv) == 1:
		r.doubt(argv, "a shell that reads its commands runs what nobody has checked")
	}
}

// utf16Text decodes the argument of -EncodedCommand.
func utf16Text(text string) (string, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
	}
	return cleaned(string(utf16.Decode(units))), true
}
