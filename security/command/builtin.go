package command

import (
	"slices"
	"strconv"
	"strings"
)

func decimal(n int) string { return strconv.Itoa(n) }

// isBuiltin reports whether a name is a command of the shell that does nothing to anything but the shell.
func isBuiltin(name string) bool {
	switch name {
	case "cd", "pushd", "popd", "dirs", "pwd", ":", "true", "false", "test", "[", "export", "declare", "typeset", "local", "readonly",
		"set", "unset", "shift", "read", "exit", "return", "break", "continue", "wait", "echo", "printf", "type", "hash", "umask",
		"getopts", "let", "times", "jobs", "fg", "bg", "disown", "shopt", "setopt", "unsetopt", "alias", "unalias", "eval", ".", "source",
		"trap", "mapfile", "readarray", "caller", "bind", "compgen", "complete", "ulimit", "history", "logout", "autoload", "emulate":
		return true
	}
	return false
}

// builtin follows a command of the shell that changes what follows; false means that it is none of those.
func (r *reader) builtin(argv []string, in string) (out string, ok bool) {
	args := argv[1:]
	r.subscripts(argv)
	switch argv[0] {
	case "cd", "pushd", "chdir":
		r.changeDir(argv)
	case "popd":
		r.set("PWD", scalar(unknown))
	case "export", "declare", "typeset", "local", "readonly":
		for _, arg := range args {
			r.setText(arg)
		}
	case "unset":
		for _, arg := range args {
			r.set(arg, scalar(""))
		}
	case "set", "shift":
		r.positional(argv[0], args)
	case "compgen", "complete":
		r.callbacks(args, "-C", "-W")
	case "read", "mapfile", "readarray":
		r.callbacks(args, "-C")
		r.read(args, in, argv[0] != "read")
	case "eval":
		return r.script(strings.Join(args, " "), in), true
	case ".", "source":
		return r.sourced(argv, in), true
	case "trap":
		if len(args) > 1 && args[0] != "-" && !strings.HasPrefix(args[0], "-") {
			r.within(args[0], unknown, "trap")
		}
	case "alias":
		r.alias(args)
	case "enable", "hash":
		if slices.Contains(args, "-f") || slices.Contains(args, "-p") {
			r.doubt(argv, "it gives a name another program")
		}
	case "printf":
		if len(args) > 2 && args[0] == "-v" {
			r.set(args[1], scalar(printed(args[2:])))
			return "", true
		}
		return printed(args), true
	case "echo":
		return echoed(args), true
	default:
		return "", false
	}
	return "", true
}

// callbacks looks at options whose values a builtin runs or expands.
func (r *reader) callbacks(args []string, names ...string) {
	for i, arg := range args[:max(len(args)-1, 0)] {
		if slices.Contains(names, arg) {
			text := args[i+1]
			if arg == "-W" {
				text = ": " + text
			}
			r.within(text, unknown, "a builtin")
		}
	}
}

// subscripts looks at names of array elements in the arguments of builtins: what is in the brackets is expanded, even if it was
// quoted.
func (r *reader) subscripts(argv []string) {
	if !isBuiltin(argv[0]) || argv[0] == "echo" || argv[0] == "printf" && (len(argv) < 2 || argv[1] != "-v") {
		return
	}
	for _, arg := range argv[1:] {
		if i := strings.IndexByte(arg, '['); i > 0 && isName(arg[:i]) && strings.ContainsAny(arg[i:], "$`") {
			r.within(`: "`+arg+`"`, unknown, argv[0])
		}
	}
}

// positional follows what changes $1, $2 …
func (r *reader) positional(name string, args []string) {
	if name == "shift" {
		n := 1
		if len(args) > 0 {
			n, _ = strconv.Atoi(args[0])
		}
		r.args = r.args[min(max(n, 0), len(r.args)):]
		return
	}
	if i := slices.Index(args, "--"); i >= 0 {
		r.args = args[i+1:]
	} else if len(args) > 0 && !strings.HasPrefix(args[0], "-") && !strings.HasPrefix(args[0], "+") {
		r.args = args
	}
}

// alias remembers alias name=value.
func (r *reader) alias(args []string) {
	for _, arg := range args {
		if name, value, ok := strings.Cut(arg, "="); ok {
			if r.aliases == nil {
				r.aliases = make(map[string][]string, 2)
			}
			r.aliases[name] = append(r.aliases[name], value)
		}
	}
}

// read gives variables what a command reads.
func (r *reader) read(args []string, in string, whole bool) {
	var names []string
	for i := 0; i < len(args); i++ {
		if strings.HasPrefix(args[i], "-") && len(args[i]) > 1 {
			if strings.HasSuffix(args[i], "a") && i+1 < len(args) {
				whole = true
				continue
			}
			if strings.ContainsAny(args[i][len(args[i])-1:], "pndtNiuCcOs") && args[i] != "-s" {
				i++
			}
			continue
		}
		names = append(names, args[i])
	}
	if len(names) == 0 {
		names = []string{"REPLY", "MAPFILE"}
	}
	text := in
	if !whole || !known(in) {
		text = firstLine(in)
	}
	separators, _ := r.value("IFS")
	values := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(separators+"\n", c) })
	if whole {
		keys := make([]string, len(values))
		for i := range keys {
			keys[i] = decimal(i)
		}
		r.set(names[0], variable{array: true, keys: keys, list: values})
		return
	}
	for i, name := range names {
		switch {
		case i >= len(values) && !certain(text):
			r.set(name, scalar(taint(text)))
		case i >= len(values):
			r.set(name, scalar(""))
		case i == len(names)-1:
			r.set(name, scalar(strings.Join(values[i:], " ")))
		default:
			r.set(name, scalar(values[i]))
		}
	}
}

// sourced follows a file that the shell reads.
func (r *reader) sourced(argv []string, in string) string {
	if len(argv) < 2 {
		return ""
	}
	path := argv[1]
	if path == "/dev/stdin" || path == "/proc/self/fd/0" || path == "-" {
		return r.script(in, "")
	}
	if text := r.content(path); text != unknown || strings.HasPrefix(path, "/dev/fd/") {
		return r.script(text, in)
	}
	if strings.ContainsAny(path, unknown+foreign) {
		r.doubt(argv, "which file it runs is not known")
	}
	if len(r.policy.Allowed) > 0 && r.unlisted == 0 && !slices.ContainsFunc(r.policy.Allowed, func(pattern string) bool { return allows(pattern, argv) }) {
		r.refuse(ruleAllowed, argv, "it is none of the commands that are allowed")
	}
	return unknown
}

// changeDir follows cd.
func (r *reader) changeDir(argv []string) {
	args := argv[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && len(args[0]) > 1 {
		args = args[1:]
	}
	path := r.home
	if len(args) > 0 {
		path = args[0]
	}
	if strings.HasPrefix(path, "+") && argv[0] == "pushd" {
		path = unknown
	}
	abs, ok := r.absolute(path)
	if path == "-" || !ok {
		r.set("PWD", scalar(unknown))
		if r.strict() && len(r.policy.Dirs) > 0 && path != "-" {
			r.refuse(ruleOutside, argv, "where it goes is not known")
		}
		return
	}
	r.set("PWD", scalar(abs))
	if r.strict() && len(r.policy.Dirs) > 0 && r.remote == 0 && !r.inside(abs) && !temporary(abs) {
		r.refuse(ruleOutside, argv, "it leaves the project")
	}
}

// Variables by whose value programs run code, with a space before and after each.
const (
	loadingVariables = " LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV SHELLOPTS BASHOPTS PERL5OPT PYTHONSTARTUP PYTHONHOME ZDOTDIR GCONV_PATH "
	scriptVariables  = " PROMPT_COMMAND PS0 PS4 GIT_SSH_COMMAND GIT_EDITOR GIT_PAGER GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_SEQUENCE_EDITOR GIT_PROXY_COMMAND " +
		"EDITOR VISUAL PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SUDO_ASKPASS SSH_ASKPASS RSYNC_RSH TAR_OPTIONS "
	nodeVariables = " NODE_OPTIONS "
)

// environment looks at a variable by whose value programs run code.
func (r *reader) environment(name, value string) {
	listed := func(names string) bool { return strings.Contains(names, " "+name+" ") }
	argv := []string{name + "=" + value}
	switch {
	case strings.HasPrefix(name, "BASH_FUNC_"):
		r.suspected(strings.TrimPrefix(value, "() "), name)
		r.doubt(argv, "the variable makes a shell know another function")
	case listed(loadingVariables):
		r.doubt(argv, "the variable makes other programs run code")
	case listed(scriptVariables):
		if strings.ContainsAny(value, " \t;|&$`") {
			r.within(value, unknown, name)
		}
	case listed(nodeVariables):
		if strings.Contains(value, "--import") || strings.Contains(value, "data:") {
			r.doubt(argv, "the variable makes other programs run code")
		}
	case name == "PATH" && len(r.policy.Allowed) > 0:
		if before, _ := r.value("PATH"); !strings.HasPrefix(value, before) {
			r.refuse(ruleAllowed, argv, "with another PATH the allowed names are other programs")
		}
	}
}
