package command

import (
	"slices"
	"strings"
)

// wrapper says how a program that runs another one takes its arguments.
type wrapper struct {
	valued   string // options with a value
	operands int    // operands before the command
	assigns  bool   // name=value can stand before the command
	listed   bool   // the wrapper itself has to be allowed
}

func wrapperOf(base string) (w wrapper, ok bool) {
	switch base {
	case "env":
		return wrapper{valued: " -u --unset -C --chdir -S --split-string -P ", assigns: true}, true
	case "nice":
		return wrapper{valued: " -n --adjustment "}, true
	case "nohup", "setsid", "command", "builtin", "noglob", "nocorrect", "catchsegv", "unbuffer", "eatmydata", "linux32", "linux64", "chronic", "winpty":
		return wrapper{}, true
	case "exec":
		return wrapper{valued: " -a "}, true
	case "time", "gtime":
		return wrapper{valued: " -f --format -o --output "}, true
	case "timeout", "gtimeout":
		return wrapper{valued: " -k --kill-after -s --signal ", operands: 1}, true
	case "ionice":
		return wrapper{valued: " -c --class -n --classdata -p --pid "}, true
	case "stdbuf":
		return wrapper{valued: " -i -o -e --input --output --error "}, true
	case "caffeinate":
		return wrapper{valued: " -t -w "}, true
	case "chrt", "taskset":
		return wrapper{operands: 1}, true
	case "sudo":
		return wrapper{valued: " -u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T -D --chdir -R --chroot -U ", assigns: true, listed: true}, true
	case "doas":
		return wrapper{valued: " -u -C ", assigns: true, listed: true}, true
	case "pkexec":
		return wrapper{valued: " --user ", listed: true}, true
	case "unshare", "nsenter":
		return wrapper{valued: " -t --target -S --setuid -G --setgid ", listed: true}, true
	case "systemd-run":
		return wrapper{valued: " -u --unit -p --property --slice -E --setenv --uid --gid ", listed: true}, true
	case "xvfb-run", "dotenv", "env-cmd":
		return wrapper{valued: " -s --server-args -n -e -f --file -p -w ", listed: true}, true
	case "systemd-inhibit", "firejail", "dbus-run-session", "fakeroot", "proxychains", "proxychains4", "torify", "torsocks", "setpriv", "capsh",
		"rlwrap", "cross-env", "cross-env-shell", "shx", "busybox", "toybox":
		return wrapper{assigns: true, listed: true}, true
	case "chroot":
		return wrapper{valued: " --userspec --groups ", operands: 1, listed: true}, true
	case "strace", "ltrace":
		return wrapper{valued: " -e -o -p -s -u -E -a -P -S -O -I -b -X ", listed: true}, true
	case "runuser":
		return wrapper{valued: " -u --user -g --group -G -c --command -s --shell ", listed: true}, true
	case "npx", "bunx", "pnpx", "uvx":
		return wrapper{valued: " -p --package --from --with -c --call ", listed: true}, true
	}
	return wrapper{}, false
}

// passes looks at programs that run others; true means that nothing else need be asked about this one.
func (r *reader) passes(base string, argv []string, in string, out *string) bool {
	if isShell(base) {
		r.shellRun(argv, in)
		return true
	}
	if w, ok := wrapperOf(base); ok {
		*out = r.wrapped(w, base, argv, in)
		return true
	}
	switch base {
	case "xargs":
		r.xargs(argv, in)
	case "find", "gfind", "fd", "fdfind":
		return r.find(argv, out)
	case "parallel", "concurrently", "hyperfine", "watch", "entr", "nodemon", "watchexec", "ts-node-dev":
		r.eachScript(argv, in)
	case "su", "script", "flock", "runuser":
		r.withScript(argv, in)
	case "ssh", "autossh", "mosh", "rsh":
		r.ssh(argv, in)
	case "docker", "podman", "nerdctl", "kubectl", "oc", "vagrant", "multipass", "lxc", "distrobox", "toolbox":
		r.container(argv, in)
		*out = r.output(base, argv, in)
	case "adb":
		if i := slices.Index(argv, "shell"); i > 0 {
			r.elsewhere(func() { r.within(strings.Join(argv[i+1:], " "), in, "adb shell") })
		}
	case "wsl":
		_, command := options(argv[1:], " -d --distribution -u --user --cd --shell-type ", true)
		r.elsewhere(func() { r.nested(command, in, argv[:1]) })
	case "npm", "pnpm", "yarn", "bun", "poetry", "pipenv", "uv", "pdm", "rye", "hatch", "bundle", "conda", "mamba", "mise", "asdf", "direnv", "pipx", "nix", "volta", "rbenv", "pyenv":
		r.packaged(argv, in)
		*out = r.output(base, argv, in)
	case "cmd":
		r.cmdRun(argv)
	case "powershell", "pwsh":
		r.powershellRun(argv, in)
	default:
		return false
	}
	return true
}

func (r *reader) wrapped(w wrapper, base string, argv []string, in string) string {
	found, rest := options(argv[1:], w.valued, true)
	if base == "command" || base == "builtin" {
		if _, ok := has(found, "-v", "-V"); ok {
			if len(rest) > 0 {
				return rest[len(rest)-1] + "\n"
			}
			return ""
		}
	}
	saved := r.save()
	defer func() { r.merge(saved) }()
	if dir, ok := has(found, "-C", "--chdir", "-D"); ok && (base == "env" || base == "sudo") {
		r.changeDir([]string{"cd", dir})
	}
	if text, ok := has(found, "-S", "--split-string"); ok && base == "env" {
		for _, arg := range rest {
			text += " " + literal(arg)
		}
		return r.within(text, in, "env -S")
	}
	if text, ok := has(found, "-c", "--command", "--call"); ok && (base == "runuser" || base == "npx") {
		return r.nestedScript(text, in, base)
	}
	rest = rest[min(w.operands, len(rest)):]
	for w.assigns && len(rest) > 0 {
		name, value, ok := strings.Cut(rest[0], "=")
		if !ok || !isName(name) && base != "env" {
			break
		}
		r.environment(name, value)
		r.set(name, scalar(value))
		rest = rest[1:]
	}
	return r.inWrapper(w, base, found, argv, rest, in)
}

// inWrapper looks at the command that is left of the arguments of a wrapper.
func (r *reader) inWrapper(w wrapper, base string, found []option, argv, rest []string, in string) string {
	if base == "sudo" || base == "doas" || base == "pkexec" {
		if len(rest) > 0 && slices.Contains([]string{"rm", "rmdir", "unlink", "shred"}, program(rest[0])) {
			r.refuse(ruleDelete, argv, "it deletes with the rights of the administrator")
			return ""
		}
		if _, ok := has(found, "-i", "-s", "--login", "--shell"); ok {
			if len(rest) == 0 {
				r.shellRun([]string{"sh"}, in)
				return ""
			}
			return r.within(strings.Join(rest, " "), in, base)
		}
	}
	if base == "cross-env-shell" {
		return r.within(strings.Join(rest, " "), in, base)
	}
	if len(rest) == 0 {
		return unknown
	}
	if base == "chroot" || base == "busybox" && rest[0] == "--install" {
		r.set("PWD", scalar("/"))
	}
	if w.listed {
		return r.nested(rest, in, argv[:1])
	}
	return r.transparent(rest, in, argv[:1])
}

// shellRun looks at a shell: its script is in an option, in a file, or what it reads.
func (r *reader) shellRun(argv []string, in string) {
	args, script, reads := r.shellOptions(argv, in)
	if args == nil {
		return
	}
	saved := r.args
	defer func() { r.args = saved }()
	kind := r.shell
	r.shell = program(argv[0])
	defer func() { r.shell = kind }()
	switch {
	case reads:
		r.reads(argv, args, in)
	case script && len(args) > 0:
		if len(args) > 1 {
			self := r.self
			r.self = args[1]
			defer func() { r.self = self }()
		}
		r.args = args[min(2, len(args)):]
		r.inner(args[0], in, argv)
	case len(args) > 0 && args[0] != "-" && args[0] != "/dev/stdin":
		r.args = args[1:]
		if text := r.content(args[0]); text != unknown || strings.HasPrefix(args[0], "/dev/fd/") {
			r.inner(text, in, argv)
		} else if strings.ContainsAny(args[0], unknown+foreign) {
			r.doubt(argv, "which script it runs is not known")
		}
	default:
		r.reads(argv, nil, in)
	}
}

// shellOptions takes the options of a shell off; nil means that it runs nothing. The first operand is a script with -c; with
// -s the script is what the shell reads.
func (r *reader) shellOptions(argv []string, in string) (args []string, script, reads bool) {
	args = argv[1:]
	for len(args) > 0 {
		arg := args[0]
		if arg == "--version" || arg == "--help" {
			return nil, false, false
		}
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
			break
		}
		args = args[1:]
		if arg == "--" {
			break
		}
		if (arg == "--rcfile" || arg == "--init-file" || arg == "-o" || arg == "+o" || arg == "-O" || arg == "+O") && len(args) > 0 {
			if strings.HasPrefix(arg, "--") {
				r.sourced([]string{".", args[0]}, in)
			}
			args = args[1:]
			continue
		}
		script = script || arg[1] != '-' && strings.Contains(arg, "c") || arg == "--command"
		if arg == "-s" {
			if len(args) > 0 && args[0] == "--" {
				args = args[1:]
			}
			return args, false, true
		}
	}
	return args[:len(args):len(args)], script, false
}

// reads looks at a shell that reads its commands.
func (r *reader) reads(argv, args []string, in string) {
	if in == unknown && r.remote > 0 {
		return // nothing of this machine is in its reach
	}
	if in == unknown {
		r.doubt(argv, "a shell that reads its commands runs what nobody has checked")
		return
	}
	saved := r.args
	r.args = args
	r.inner(in, "", argv)
	r.args = saved
}

// inner follows the script of a shell that is run, in the language of that shell.
func (r *reader) inner(text, in string, by []string) {
	if r.shell == "fish" || r.shell == "csh" || r.shell == "tcsh" || r.shell == "nu" || r.shell == "elvish" || r.shell == "xonsh" {
		r.doubt(by, "scripts for %s cannot be read", r.shell)
	}
	r.within(text, in, strings.Join(by[:min(2, len(by))], " "))
}
