package command

import (
	"slices"
	"strings"
)

// eachScript looks at programs whose operands are scripts, or together one.
func (r *reader) eachScript(argv []string, in string) {
	found, rest := options(argv[1:], " -n --interval -d -c --prepare -p --setup --cleanup -j --jobs -e --ext -w --watch -r --runs -m --names --exec -x -f --min-runs -E --export-json --warmup ", true)
	for _, name := range []string{"--prepare", "--setup", "--cleanup", "--exec", "-x", "-c"} {
		if text, ok := has(found, name); ok && text != "" {
			r.nestedScript(text, unknown, argv[0])
		}
	}
	joined, items := rest, []string(nil)
	if i := slices.IndexFunc(rest, func(arg string) bool { return strings.HasPrefix(arg, ":::") }); i >= 0 {
		joined, items = rest[:i], rest[i+1:]
	}
	switch program(argv[0]) {
	case "concurrently", "hyperfine":
		items, joined = rest, nil
	case "parallel":
		if items == nil && known(in) {
			items = strings.Split(strings.TrimSpace(in), "\n")
		} else if items == nil {
			items = []string{in}
		}
		if len(joined) > 0 {
			for _, item := range items {
				text := strings.Join(joined, " ")
				if strings.Contains(text, "{}") {
					text = strings.ReplaceAll(text, "{}", item)
				} else {
					text += " " + item
				}
				r.nestedScript(text, unknown, argv[0])
			}
			return
		}
	}
	for _, item := range items {
		if strings.TrimSpace(item) != "" && !strings.Contains(firstWord(item), ":") { // npm:name is a script of the project
			r.nestedScript(item, unknown, argv[0])
		}
	}
	if len(joined) > 0 {
		r.nestedScript(strings.Join(joined, " "), unknown, argv[0])
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// nestedScript looks at a script that an allowed program runs.
func (r *reader) nestedScript(text, in, by string) string {
	r.unlisted++
	defer func() { r.unlisted-- }()
	return r.within(text, in, by)
}

// withScript looks at programs that take a script in -c, or a command behind an operand.
func (r *reader) withScript(argv []string, in string) {
	args := argv[1:]
	for i, arg := range args {
		short := len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.HasSuffix(arg, "c")
		if (short || arg == "--command" || arg == "--session-command") && i+1 < len(args) {
			r.nestedScript(args[i+1], in, argv[0])
			return
		}
		if value, ok := strings.CutPrefix(arg, "--command="); ok {
			r.nestedScript(value, in, argv[0])
			return
		}
	}
	found, rest := options(args, " -w -E --timeout --wait -s --shell -g -G -u ", false)
	if len(rest) > 1 && program(argv[0]) == "flock" {
		r.nested(rest[1:], in, argv[:1])
		return
	}
	if base := program(argv[0]); base == "su" && len(found) == 0 || base == "su" && in == unknown {
		r.doubt(argv, "a shell that reads its commands runs what nobody has checked")
	} else if base == "su" {
		r.nestedScript(in, "", argv[0])
	}
}

// ssh looks at the command for another machine.
func (r *reader) ssh(argv []string, in string) {
	found, rest := options(argv[1:], " -b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w --ssh ", true)
	for _, o := range found {
		if key, value, ok := strings.Cut(o.value, "="); ok && o.name == "-o" {
			switch strings.ToLower(key) {
			case "proxycommand", "localcommand", "knownhostscommand":
				r.nestedScript(value, unknown, argv[0])
			}
		}
	}
	if len(rest) < 2 {
		if len(rest) == 1 && in != unknown {
			r.elsewhere(func() { r.within(in, "", argv[0]) })
		}
		return
	}
	_, command := options(rest[1:], " -o -p -i -l ", true)
	r.elsewhere(func() { r.within(strings.Join(command, " "), in, argv[0]) })
}

// container looks at the command for a container or a virtual machine, and at what it is given of this machine.
func (r *reader) container(argv []string, in string) {
	if i := slices.Index(argv, "--"); i > 0 {
		r.elsewhere(func() { r.nested(argv[i+1:], in, argv[:1]) })
		return
	}
	i := slices.IndexFunc(argv, func(arg string) bool {
		return arg == "run" || arg == "exec" || arg == "ssh" || arg == "-c" || arg == "-e"
	})
	if i < 0 {
		return
	}
	const valued = " -v --volume --mount -w --workdir -e --env --env-file -u --user -p --publish --name --network --net --entrypoint --platform --memory -m --cpus -h --hostname --label -l --add-host --device --cap-add --gpus --ulimit --shm-size --tmpfs --restart --log-driver --dns --security-opt --pull --cidfile --ipc --pid --userns -n --namespace -c --container "
	found, rest := options(argv[i+1:], valued, true)
	for _, o := range found {
		source, _, _ := strings.Cut(o.value, ":")
		switch o.name {
		case "--mount":
			_, source, _ = strings.Cut(o.value, "source=")
			if source == "" {
				_, source, _ = strings.Cut(o.value, "src=")
			}
			source, _, _ = strings.Cut(source, ",")
		case "-v", "--volume":
		case "--privileged":
			r.doubt(argv, "a privileged container can do everything on this machine")
			continue
		default:
			continue
		}
		if abs, ok := r.absolute(source); ok && (abs == "/" || abs == "/etc" || abs == "/usr" || abs == "/dev" || abs == "/boot" || abs == "/root") {
			r.refuse(ruleWrite, argv, "it gives a container the directory %q of this machine", clip(abs))
		}
	}
	if script, ok := has(found, "-c", "--command"); ok && program(argv[0]) == "vagrant" {
		r.elsewhere(func() { r.within(script, in, argv[0]) })
	}
	if len(rest) < 2 {
		return
	}
	command := rest[1:]
	if entry, ok := has(found, "--entrypoint"); ok && entry != "" {
		command = append([]string{entry}, command...)
	}
	r.elsewhere(func() { r.nested(command, in, argv[:1]) })
}

// packaged looks at package managers that run a program: npm exec, poetry run, bundle exec.
func (r *reader) packaged(argv []string, in string) {
	r.rules(program(argv[0]), argv, in)
	found, rest := options(argv[1:], " -C --prefix -n --name --dir --filter -F -w --workspace -p --with --python -c --call --command --cwd -e --eval --print --script-shell ", true)
	if text, ok := has(found, "-c", "--call"); ok {
		r.nestedScript(text, in, argv[0])
	}
	if text, ok := has(found, "-e", "--eval", "--print"); ok && program(argv[0]) == "bun" {
		r.code(argv, text)
	}
	if len(rest) < 2 {
		return
	}
	switch rest[0] {
	case "exec", "x", "dlx", "run", "tool", "shell", "develop":
	default:
		return
	}
	found, command := options(rest[1:], " -n --name -p --package --with --python -c --call --command --from -C ", true)
	if text, ok := has(found, "-c", "--call", "--command"); ok {
		r.nestedScript(text, in, argv[0])
	}
	if len(command) > 0 && program(argv[0]) == "direnv" {
		command = command[1:]
	}
	if rest[0] == "run" && len(command) == 1 || len(command) == 0 {
		return // a script of the project
	}
	r.nested(command, in, argv[:1])
}
