package command

import (
	"strings"
)

// cmdScript looks at a script for cmd.exe. It is taken apart roughly: escapes and quotes away, split at operators, and what
// stands in blocks and behind conditions is looked at as if it always ran.
func (r *reader) cmdScript(text string) {
	if r.cost(text); !r.step() {
		return
	}
	in, piped := unknown, false
	for _, part := range cmdParts(text) {
		if r.cost(part.text); !r.step() {
			return
		}
		if !piped {
			in = unknown
		}
		argv := cmdTokens(r.percent(part.text))
		in, piped = r.cmdLine(argv, in), part.pipe
	}
}

// cmdPart is a command between operators; pipe says that the next one reads what it writes.
type cmdPart struct {
	text string
	pipe bool
}

func cmdParts(text string) (parts []cmdPart) {
	var part strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted = !quoted
			part.WriteByte(c)
		case c == '^' && !quoted && i+1 < len(text):
			i++
			if text[i] != '\n' && text[i] != '\r' {
				part.WriteByte(text[i])
			}
		case (c == '&' || c == '|') && !quoted || c == '\n' || c == '\r':
			quoted = false
			double := i+1 < len(text) && text[i+1] == c
			parts = append(parts, cmdPart{part.String(), c == '|' && !double})
			part.Reset()
			if double {
				i++
			}
		default:
			part.WriteByte(c)
		}
	}
	return append(parts, cmdPart{part.String(), false})
}

// percent replaces %name% and !name!.
func (r *reader) percent(text string) string {
	for _, mark := range []string{"%", "!"} {
		var out strings.Builder
		for {
			before, rest, ok := strings.Cut(text, mark)
			name, after, closed := strings.Cut(rest, mark)
			if !ok || !closed || strings.ContainsAny(name, " \\\"") || name == "" {
				out.WriteString(before)
				if !ok {
					break
				}
				out.WriteString(mark)
				text = rest
				continue
			}
			out.WriteString(before)
			out.WriteString(r.windowsVariable(name))
			text = after
		}
		text = out.String()
	}
	return text
}

// windowsVariable is the value of a variable of the environment.
func (r *reader) windowsVariable(name string) string {
	name = strings.ToLower(name)
	if v, ok := r.vars["%"+name]; ok {
		return v.values[0]
	}
	drive := "c:"
	if len(r.dir) > 1 && r.dir[1] == ':' {
		drive = r.dir[:2]
	}
	switch name {
	case "systemdrive", "homedrive":
		return "c:"
	case "systemroot", "windir":
		return `c:\windows`
	case "programfiles", "programfiles(x86)", "programdata":
		return `c:\program files`
	case "userprofile", "homepath", "home", "public":
		return r.home
	case "temp", "tmp":
		return r.home + `\appdata\local\temp`
	case "appdata", "localappdata":
		return r.home + `\appdata`
	case "cd":
		return r.dir
	case "comspec":
		return "cmd"
	case "__drive":
		return drive
	}
	return unknown
}

// cmdTokens splits a command at spaces; brackets stand alone.
func cmdTokens(text string) (argv []string) {
	var token strings.Builder
	quoted, begun := false, false
	flush := func() {
		if begun {
			argv = append(argv, token.String())
		}
		token.Reset()
		begun = false
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			quoted, begun = !quoted, true
		case quoted:
			token.WriteByte(c)
		case c == ' ' || c == '\t' || c == ',' || c == ';' || c == '=' && len(argv) > 0 && !strings.EqualFold(argv[0], "set") && !strings.Contains(token.String(), "-"):
			flush()
		case c == '(' || c == ')':
			flush()
			argv = append(argv, text[i:i+1])
		case c == '/' && begun && cmdGlued(token.String()):
			flush() // rd/s/q
			token.WriteByte(c)
			begun = true
		case c == '>':
			flush()
			argv = append(argv, ">")
		default:
			token.WriteByte(c)
			begun = true
		}
	}
	flush()
	return argv
}

// cmdGlued reports whether an option can follow a token without a space.
func cmdGlued(token string) bool {
	switch strings.ToLower(token) {
	case "del", "erase", "rd", "rmdir", "format", "cmd", "start", "shutdown", "attrib", "dir":
		return true
	}
	return len(token) == 2 && token[0] == '/'
}

// cmdLine looks at one command with what stands in front of it.
func (r *reader) cmdLine(argv []string, in string) (out string) {
	out = unknown
	r.steps += len(argv) / 8
	r.deeper(func() { out = r.cmdCommand(argv, in) })
	return out
}

func (r *reader) cmdCommand(argv []string, in string) string {
	for len(argv) > 0 && (argv[0] == "(" || argv[0] == ")" || argv[0] == "@") {
		argv = argv[1:]
	}
	if len(argv) == 0 || r.done() {
		return unknown
	}
	argv[0] = strings.TrimLeft(argv[0], "@")
	for i, arg := range argv {
		if arg == ">" && i+1 < len(argv) {
			r.write([]string{">", argv[i+1]}, windowsName(argv[i+1]))
		}
	}
	switch strings.ToLower(argv[0]) {
	case "if", "else", "for":
		r.cmdBlock(argv, in)
		return unknown
	case "call", "start":
		rest := argv[1:]
		for len(rest) > 1 && (strings.HasPrefix(rest[0], "/") || rest[0] == "" || strings.Contains(rest[0], " ")) {
			rest = rest[1:]
		}
		return r.cmdLine(rest, in)
	case "echo", "rem", "::", "title", "":
		return strings.Join(argv[1:], " ") + "\n"
	case "set", "cd", "chdir", "pushd":
		r.cmdState(argv)
		return ""
	case "%0", "%~f0":
		if in != unknown || r.depth > 0 {
			r.refuse(ruleBomb, argv, "the script starts itself without end")
		}
		return ""
	}
	for i, arg := range argv { // the end of a block, and redirections
		if arg == ")" || arg == ">" {
			argv = argv[:i]
			break
		}
	}
	if len(argv) == 0 || r.windowsRules(argv, in) {
		return unknown
	}
	return r.run(argv, in)
}

// cmdState follows set and cd.
func (r *reader) cmdState(argv []string) {
	if strings.EqualFold(argv[0], "set") {
		if name, value, ok := strings.Cut(strings.Join(argv[1:], " "), "="); ok {
			r.set("%"+strings.ToLower(strings.Trim(name, `" `)), scalar(value))
		}
		return
	}
	rest := argv[1:]
	for len(rest) > 0 && strings.EqualFold(rest[0], "/d") {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		r.changeDir([]string{"cd", windowsName(rest[0])})
	}
}

// cmdBlock looks at what stands behind conditions, in blocks and in loops.
func (r *reader) cmdBlock(argv []string, in string) {
	if strings.EqualFold(argv[0], "for") {
		name, items := "", []string{unknown}
		for i, arg := range argv {
			if strings.HasPrefix(arg, "%") && name == "" {
				name = strings.TrimLeft(arg, "%")
			}
			if arg == "(" && i > 0 && strings.EqualFold(argv[i-1], "in") {
				items = nil
				for _, item := range argv[i+1:] {
					if item == ")" {
						break
					}
					items = append(items, item)
				}
			}
			if strings.EqualFold(arg, "do") {
				for _, item := range items[:min(len(items), 16)] {
					body := make([]string, 0, len(argv))
					for _, word := range argv[i+1:] {
						body = append(body, strings.ReplaceAll(strings.ReplaceAll(word, "%%"+name, item), "%"+name, item))
					}
					r.cmdLine(body, in)
				}
				return
			}
		}
		return
	}
	for i := 1; i < len(argv) && i < 64; i++ { // which of them is the condition does not matter
		if argv[i-1] == "(" || argv[i-1] == ")" || windowsDanger(program(argv[i])) {
			r.cmdLine(append([]string(nil), argv[i:]...), in)
		}
	}
}

// windowsDanger reports whether a name is that of a command with rules of its own, or one that runs others.
func windowsDanger(base string) bool {
	switch base {
	case "del", "erase", "rd", "rmdir", "format", "cmd", "powershell", "pwsh", "start", "call", "shutdown", "diskpart", "reg", "rm", "for":
		return true
	}
	return false
}

// cmdRun looks at cmd /c … as a command.
func (r *reader) cmdRun(argv []string) {
	for i, arg := range argv[1:] {
		lower := strings.ToLower(arg)
		if strings.HasPrefix(lower, "/c") || strings.HasPrefix(lower, "/k") || strings.HasPrefix(lower, "/r") {
			script := strings.TrimSpace(arg[2:] + " " + strings.Join(argv[i+2:], " "))
			r.through = append(r.through, "cmd /c")
			r.cmdScript(strings.Trim(script, `"`))
			r.through = r.through[:len(r.through)-1]
			return
		}
	}
	if len(argv) == 1 || !strings.HasPrefix(argv[1], "/?") {
		r.doubt(argv, "a shell that reads its commands runs what nobody has checked")
	}
}
