package command

import (
	"slices"
	"strings"
)

// wrapper says how a program takes the command in its arguments. An option that is in neither list makes the command unclear.
type wrapper struct {
	flags    string // options without a value, each between spaces
	valued   string // options with a value
	operands int    // operands before the command
	assigns  bool   // name=value can stand before the command
}

func wrapperOf(base string) (w wrapper, ok bool) {
	switch base {
	case "env":
		return wrapper{flags: " -i -0 -v --ignore-environment --null --debug ", valued: " -u --unset -C --chdir ", assigns: true}, true
	case "nice":
		return wrapper{flags: " -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 ", valued: " -n --adjustment "}, true
	case "nohup", "builtin":
		return wrapper{}, true
	case "setsid":
		return wrapper{flags: " -c -f -w --ctty --fork --wait "}, true
	case "command":
		return wrapper{flags: " -p -v -V "}, true
	case "exec":
		return wrapper{flags: " -c -l ", valued: " -a "}, true
	case "time":
		return wrapper{flags: " -a -p -v --append --portability --verbose ", valued: " -f --format -o --output "}, true
	case "timeout":
		return wrapper{flags: " -v --foreground --preserve-status --verbose ", valued: " -k --kill-after -s --signal ", operands: 1}, true
	case "ionice":
		return wrapper{flags: " -t --ignore ", valued: " -c --class -n --classdata "}, true
	case "stdbuf":
		return wrapper{valued: " -i -o -e --input --output --error "}, true
	case "xargs":
		return wrapper{flags: " -0 -e -i -l -o -p -r -t -x --eof --exit --interactive --max-lines --no-run-if-empty --null --open-tty --replace --verbose ",
			valued: " -a -d -E -I -J -L -n -P -R -s -S --arg-file --delimiter --max-args --max-chars --max-procs "}, true
	case "sudo":
		return wrapper{valued: " -u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T -D --chdir -R --chroot -U ", assigns: true}, true
	case "doas":
		return wrapper{valued: " -u -C ", assigns: true}, true
	}
	return wrapper{}, false
}

// isTransparent reports whether a program need not be allowed because the command that it runs is checked.
func isTransparent(base string, argv []string) bool {
	if _, ok := wrapperOf(base); ok {
		return base != "sudo" && base != "doas"
	}
	operands, isScript, _ := shellOperands(argv)
	return base == "eval" || isShell(base) && isScript && len(operands) > 0
}

// unwrap returns the command in the arguments of a wrapper; nil if there is none. The variables are the ones that the wrapper sets. clear
// is false if another command could be meant.
func unwrap(base string, argv []string) (inner, variables []string, clear bool) {
	w, ok := wrapperOf(base)
	if !ok {
		return nil, nil, true
	}
	found, rest := options(argv[1:], w.valued, true)
	clear = !slices.ContainsFunc(found, func(o option) bool { return !strings.Contains(w.flags+w.valued, " "+o.name+" ") })
	if _, asks := has(found, "-v", "-V"); asks && base == "command" {
		return nil, nil, clear
	}
	rest = rest[min(w.operands, len(rest)):]
	clear = clear && !slices.ContainsFunc(argv[1:len(argv)-len(rest)], func(arg string) bool { return strings.ContainsAny(arg, unknowns) })
	for w.assigns && len(rest) > 0 && (rest[0] == "-" || strings.Contains(rest[0], "=")) {
		name, _, _ := strings.Cut(rest[0], "=")
		variables, rest = append(variables, name), rest[1:]
	}
	if base != "xargs" || len(rest) == 0 {
		return rest, variables, clear
	}
	mark, ok := has(found, "-I", "-J", "--replace", "-i")
	if !ok {
		return append(rest[:len(rest):len(rest)], unknown), nil, clear
	}
	return replaced(rest, mark), nil, clear
}

// replaced returns arguments in which unknown text stands for a mark; "" means {}.
func replaced(args []string, mark string) []string {
	if mark == "" {
		mark = "{}"
	}
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = strings.ReplaceAll(arg, mark, some)
	}
	return out
}

// simple checks one simple command, and the command that it runs.
func (k *checker) simple(argv []string) {
	by := k.by
	defer func() { k.by = by }()
	underSudo := false
	for n := 0; len(argv) > 0 && k.step(); n++ {
		if n > maxWrappers {
			k.refuse(ruleBounds, argv[:1], "too many programs run each other")
			return
		}
		base := program(argv[0])
		k.listed(base, argv, underSudo)
		if base == "sudo" || base == "doas" {
			underSudo = true
		} else {
			k.rules(base, argv, underSudo)
		}
		inner, variables, clear := unwrap(base, argv)
		if !clear && !underSudo {
			k.unclear(argv, "its options are not known")
		}
		for _, name := range variables {
			k.variable(name)
		}
		if len(inner) == 0 {
			k.runs(base, argv)
			return
		}
		k.by, argv = argv[0], inner
	}
}

// runs checks the scripts and commands in the arguments of eval, shells and find.
func (k *checker) runs(base string, argv []string) {
	switch {
	case base == "eval":
		k.inner("eval", strings.Join(argv[1:], " "))
	case base == "find":
		k.find(argv)
	case isShell(base):
		operands, isScript, clear := shellOperands(argv)
		if !isScript || len(operands) == 0 {
			return
		}
		if !clear {
			k.unclear(argv, "its options are not known")
		}
		shell := k.shell
		k.shell = base
		k.inner(strings.Join(argv[:2], " "), operands[0])
		k.shell = shell
	}
}

// inner checks a script that a command runs.
func (k *checker) inner(by, text string) {
	if strings.ContainsAny(text, unknowns) {
		k.unclear([]string{by}, "its script is only known when it runs")
	}
	k.within(by, func() {
		dir := k.dir
		k.script(source(text))
		if by != "eval" {
			k.dir = dir
		}
	})
}

// shellOperands returns the arguments of a shell behind its options. isScript reports whether the first is a script, and clear
// whether all options are known.
func shellOperands(argv []string) (operands []string, isScript, clear bool) {
	args := argv[1:]
	for clear = true; len(args) > 0; {
		arg := args[0]
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
			break
		}
		args = args[1:]
		switch arg {
		case "--":
			return args, isScript, clear
		case "--norc", "--noprofile", "--posix", "--login", "--verbose":
			continue
		case "-o", "+o", "-O", "+O":
			args = args[min(1, len(args)):]
			continue
		}
		short := strings.Trim(arg[1:], "abcefhiklmnpstuvx")
		if short == "o" { // a value follows, as in -euo pipefail
			args = args[min(1, len(args)):]
		} else if short != "" {
			clear = false
		}
		isScript = isScript || arg[0] == '-' && arg[1] != '-' && strings.Contains(arg, "c")
	}
	return args, isScript, clear
}

// stripped returns the command that is left without its wrappers.
func stripped(argv []string) []string {
	for range maxWrappers {
		inner, _, _ := unwrap(program(argv[0]), argv)
		if len(inner) == 0 {
			break
		}
		argv = inner
	}
	return argv
}

// readsProgram reports whether a command is a shell or an interpreter that runs its standard input.
func readsProgram(argv []string) bool {
	argv = stripped(argv)
	base := program(argv[0])
	switch {
	case isShell(base):
		operands, isScript, _ := shellOperands(argv)
		return !isScript && (len(operands) == 0 || operands[0] == "-" || operands[0] == "/dev/stdin" || slices.Contains(argv, "-s"))
	case slices.Contains([]string{"python", "python2", "python3", "perl", "ruby", "node", "php"}, base):
		return len(argv) == 1 || argv[1] == "-"
	}
	return false
}

// runsArguments reports whether a command runs a text or a file of its arguments that is only known when it runs.
func runsArguments(argv []string) bool {
	argv = stripped(argv)
	switch base := program(argv[0]); {
	case base == "eval", argv[0] == ".", base == "source":
		return true
	case isShell(base):
		operands, _, _ := shellOperands(argv)
		return len(operands) > 0 && !known(operands[0])
	}
	return false
}

// find checks the actions of the program find on its files.
func (k *checker) find(argv []string) {
	var starts []string
	args := argv[1:]
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "!" && args[0] != "(" {
		starts, args = append(starts, args[0]), args[1:]
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	deleted := k.allOf(starts, args)
	for i := 0; i < len(args) && !k.done(); i++ {
		switch args[i] {
		case "-delete":
			k.deleteTrees(argv, deleted)
		case "-exec", "-execdir", "-ok", "-okdir":
			rest := args[i+1:]
			if n := slices.IndexFunc(rest, func(arg string) bool { return arg == ";" || arg == "+" }); n >= 0 {
				rest = rest[:n]
			}
			if i += len(rest); len(rest) == 0 {
				continue
			}
			switch program(stripped(rest)[0]) {
			case "rm", "unlink", "shred":
				k.deleteTrees(argv, deleted)
			}
			k.within("find", func() { k.simple(replaced(rest, "{}")) })
		}
	}
}

// allOf returns the directories of which find finds all files, or some kind of files outside of the project.
func (k *checker) allOf(starts, args []string) []string {
	chooses := slices.ContainsFunc(args, func(arg string) bool {
		switch arg {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin",
			"-newer", "-size", "-empty", "-user", "-group", "-perm", "-xtype":
			return true
		}
		return false
	})
	return slices.DeleteFunc(starts, func(start string) bool {
		abs, ok := k.absolute(start)
		return chooses && ok && (k.inProject(abs) || abs == "/tmp" || abs == "/var/tmp")
	})
}
