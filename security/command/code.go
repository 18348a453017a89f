package command

import (
	"slices"
	"strings"
)

// interpreter looks at code in the arguments of an interpreter, or in what it reads.
func (r *reader) interpreter(base string, argv []string, in string) {
	args := argv[1:]
	switch {
	case base == "sed" || base == "gsed":
		r.sed(argv)
		return
	case strings.HasSuffix(base, "awk"):
		r.awk(argv)
		return
	case base == "sqlite3" || base == "psql" || base == "mysql":
		r.database(argv)
		return
	}
	flags := codeFlags(base)
	found := false
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		switch {
		case joined && slices.Contains(flags, name) && strings.HasPrefix(name, "--"):
			r.code(argv, value)
		case slices.Contains(flags, arg) && i+1 < len(args), i+1 < len(args) && cluster(base, arg):
			r.code(argv, args[i+1])
		case (base == "vim" || base == "vi" || base == "nvim" || base == "ex") && strings.HasPrefix(arg, "+") && len(arg) > 1:
			r.code(argv, arg[1:])
		case len(arg) > 2 && slices.Contains(flags, arg[:2]) && arg[1] != '-' && base != "lua":
			r.code(argv, arg[2:])
		default:
			continue
		}
		found = true
	}
	_, operands := options(args, "", false)
	if found || len(operands) > 0 && operands[0] != "-" && operands[0] != "/dev/stdin" {
		if len(operands) > 0 && !found {
			if text := r.content(operands[0]); text != unknown {
				r.codeFile(argv, text)
			}
		}
		return
	}
	if in != unknown {
		r.code(argv, in)
	}
}

// codeFlags are the options of an interpreter that code follows.
func codeFlags(base string) []string {
	switch base {
	case "python", "python2", "python3":
		return []string{"-c"}
	case "perl":
		return []string{"-e", "-E"}
	case "node", "nodejs", "deno":
		return []string{"-e", "--eval", "-p", "--print", "-pe", "eval"}
	case "php":
		return []string{"-r", "-R", "-B", "-E"}
	case "gdb", "lldb":
		return []string{"-ex", "-iex", "-o", "-O", "--eval-command"}
	case "vim", "vi", "nvim", "ex", "ed", "emacs":
		return []string{"-c", "--cmd", "-es", "--eval", "-eval", "-e"}
	}
	return []string{"-e", "-E", "-c", "-ne", "-pe", "--eval"}
}

// cluster reports whether an argument is options in one of which code follows: -ne, -i.bak -pe.
func cluster(base, arg string) bool {
	last := ""
	switch {
	case base == "perl" || base == "ruby":
		last = "eE"
	case strings.HasPrefix(base, "python"):
		last = "c"
	}
	return len(arg) > 1 && len(arg) < 8 && arg[0] == '-' && arg[1] != '-' && strings.ContainsAny(arg[len(arg)-1:], last)
}

// database looks at the commands of database clients that run programs.
func (r *reader) database(argv []string) {
	for _, arg := range argv[1:] {
		for _, mark := range []string{".shell ", ".system ", `\!`, "system ", "\\! "} {
			if _, script, ok := strings.Cut(arg, mark); ok {
				r.suspected(strings.TrimSpace(script), argv[0])
				r.doubt(argv, "it runs other programs")
			}
		}
	}
}

// code looks at a text in some programming language. It is not parsed: what counts are the texts in it that would be dangerous
// as commands, the names of functions that delete next to places that must not be, and, in strict mode, ways to run other
// programs or computed code.
func (r *reader) code(argv []string, text string) {
	if strings.Contains(text, foreign) {
		r.refuse(ruleRemote, argv, "it runs code that was downloaded or decoded and that nobody has read")
		return
	}
	r.cost(text)
	text = strings.ReplaceAll(text, "/.exec(", "/.match(") // of an expression of JavaScript
	texts, rest := literals(text)
	lower := strings.ToLower(rest)
	runs, deletes := false, false
	for _, word := range []string{"system", "popen", "subprocess", "exec", "spawn", "child_process", "shellescape", "qx", "`", "%x", "do shell script", "shell", "!", "os.start"} {
		runs = runs || strings.Contains(lower, word)
	}
	for _, word := range []string{"rmtree", "unlink", "rmsync", "rmdir", "rm_rf", "rm_r", "remove", "fs.rm", ".rm(", "delete", "rimraf", "removeall", "truncate", "remove_dir_all"} {
		deletes = deletes || strings.Contains(lower, word)
	}
	if strings.Contains(lower, "fork") && (strings.Contains(lower, "while") || strings.Contains(lower, "for") && strings.Contains(lower, ";;") || strings.Contains(lower, "loop")) {
		r.refuse(ruleBomb, argv, "it starts processes without end")
	}
	for _, literal := range append(texts, strings.Join(texts, " "), rest) {
		if runs || strings.ContainsAny(literal, " ") {
			r.suspected(strings.TrimLeft(strings.TrimSpace(literal), "!:"), argv[0])
		}
	}
	if strings.Contains(lower, " shut down") || strings.Contains(lower, " restart") && program(argv[0]) == "osascript" {
		r.refuse(ruleSystem, argv, "it stops or restarts the machine")
	}
	writes := slices.ContainsFunc(texts, func(text string) bool {
		return len(text) < 4 && strings.Trim(text, "wab+") == "" && text != "" && text != "b"
	}) || strings.Contains(lower, "write")
	for _, literal := range texts {
		if writes && (strings.HasPrefix(literal, "/") || strings.HasPrefix(literal, "~/")) {
			r.write(argv, strings.Replace(literal, "~", r.home, 1))
		}
		if deletes && (strings.HasPrefix(literal, "/") || strings.HasPrefix(literal, "~") || literal == ".." || literal == "." || strings.HasPrefix(literal, "C:")) {
			for _, abs := range r.places(argv, strings.Replace(unquoted(literal), "~", r.home, 1)) {
				if why := r.wiped(abs); why != "" {
					r.refuse(ruleCode, argv, "its code deletes %q, %s", clip(abs), why)
				}
			}
		}
	}
	if runs && pure(text) {
		runs = false
	}
	if runs || computes(lower) {
		r.doubt(argv, "its code runs other programs or code that it computes")
	}
	if deletes && strings.Contains(lower, "home") {
		r.refuse(ruleCode, argv, "its code deletes in the home directory")
	}
}

// codeFile looks at a file of code that the script itself wrote. It could as well have been there before, so that doubts do not
// count.
func (r *reader) codeFile(argv []string, text string) {
	r.trusting++
	r.code(argv, text)
	r.trusting--
}

// pure reports whether the words that look like running a program are something else in a short piece of code.
func pure(text string) bool {
	for _, word := range []string{"popen", "subprocess", "child_process", "execsync", "spawn", "os.system", "system(", "system ", "exec(", "exec ", "qx", "`", "%x", "shell", ":!", "os.exec", "execv", "execl"} {
		if strings.Contains(strings.ToLower(text), word) {
			return false
		}
	}
	return !strings.HasPrefix(text, "!")
}

// computes reports whether code builds and runs other code.
func computes(lower string) bool {
	for _, word := range []string{"eval(", "eval ", "exec(", "__import__", "b64decode", "base64", "fromcharcode", "chr(", "pack(", "getattr(", "importlib",
		"ctypes", "compile(", "marshal", "atob(", "unhexlify", "fromhex", "codecs", "instance_eval", "dlopen", "loadstring", "buffer.from("} {
		if strings.Contains(lower, word) && !strings.Contains(lower, "re.compile(") && !strings.Contains(lower, "literal_eval") {
			return true
		}
	}
	return false
}

// literals takes the quoted texts out of code.
func literals(text string) (found []string, rest string) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			out.WriteByte(quote)
			continue
		}
		end := i + 1
		for end < len(text) && text[end] != quote {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(text) {
			out.WriteString(text[i:])
			break
		}
		if len(found) < 64 {
			found = append(found, unescaped(text[i+1:end]))
		}
		if quote == '`' {
			out.WriteString("``")
		}
		i = end
	}
	return found, out.String()
}

// awk looks at a program for awk.
func (r *reader) awk(argv []string) {
	_, operands := options(argv[1:], " -F -v -f --field-separator --assign --file ", true)
	if len(operands) == 0 {
		return
	}
	text := operands[0]
	if strings.Contains(text, "system(") || strings.Contains(text, "| getline") || strings.Contains(text, "|getline") || strings.Contains(text, `| "`) || strings.Contains(text, `|"`) {
		texts, _ := literals(text)
		shells := strings.Contains(text, "system(") || strings.Contains(text, "getline")
		for _, literal := range append(texts, strings.Join(texts, "")) {
			r.suspected(literal, argv[0])
			shells = shells || isShell(program(firstWord(literal)))
		}
		if shells {
			r.doubt(argv, "its program runs other programs")
		}
	}
}

// sedCommand looks at one command of sed: e runs a program, w writes a file.
func (r *reader) sedCommand(argv []string, text string) {
	if rest, ok := strings.CutPrefix(text, "e"); ok && (rest == "" || rest[0] == ' ') {
		r.nestedScript(strings.TrimSpace(rest), unknown, argv[0])
		r.doubt(argv, "its script runs other programs")
	}
	if i := strings.LastIndex(text, "w /"); i >= 0 {
		r.write(argv, text[i+2:])
	}
}

// sed looks at scripts for sed that run commands, and at the files that -i changes.
func (r *reader) sed(argv []string) {
	found, operands := options(argv[1:], " -e --expression -f --file -l ", false)
	scripts := make([]string, 0, 2)
	inPlace := false
	for _, o := range found {
		switch o.name {
		case "-e", "--expression":
			scripts = append(scripts, o.value)
		case "-i", "--in-place":
			inPlace = true
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		scripts, operands = operands[:1], operands[1:]
	}
	for _, script := range scripts {
		for _, part := range strings.FieldsFunc(script, func(c rune) bool { return c == ';' || c == '\n' || c == '{' || c == '}' }) {
			r.sedCommand(argv, strings.TrimLeft(part, "0123456789,$! "))
		}
		command := strings.TrimLeft(script, "0123456789,$! ")
		if len(command) > 3 && command[0] == 's' {
			const escaped = "\uFFFD"
			separator := command[1:2]
			parts := strings.Split(strings.ReplaceAll(command[1:], `\`+separator, escaped), separator)
			if flags := parts[len(parts)-1]; len(parts) > 3 && strings.Contains(strings.TrimSpace(flags), "e") && !strings.ContainsAny(flags, " ;}") {
				r.doubt(argv, "its script runs other programs")
				r.suspected(strings.ReplaceAll(parts[2], escaped, separator), argv[0])
			}
		}
	}
	if inPlace {
		for _, operand := range operands {
			r.write(argv, operand)
		}
	}
}
