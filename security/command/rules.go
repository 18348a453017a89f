package command

import (
	"slices"
	"strings"
)

// rules asks what is dangerous about a program that is run with these arguments.
func (r *reader) rules(base string, argv []string, in string) {
	args := argv[1:]
	switch base {
	case "rm", "grm", "rimraf", "del-cli", "srm", "unlink", "shred", "rmdir", "trash":
		r.remove(base, argv)
	case "mv", "gmv", "cp", "gcp", "ln", "gln", "install", "rsync", "scp", "ditto", "tar", "gtar", "bsdtar", "unzip", "cpio":
		r.move(base, argv)
	case "chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "gchmod", "gchown":
		r.rights(base, argv)
	case "dd", "gdd", "dcfldd", "ddrescue", "pv":
		r.copyBlocks(base, argv, in)
	case "tee", "truncate", "touch", "mkdir", "sponge", "mkfifo", "mknod":
		_, operands := options(args, " -s --size -r --reference -m --mode -d -t ", false)
		for _, operand := range operands {
			r.write(argv, operand)
			if base == "tee" || base == "sponge" {
				r.remember(operand, in, slices.Contains(args, "-a"))
			}
		}
	case "sed", "gsed", "perl", "awk", "gawk", "mawk", "nawk", "python", "python2", "python3", "node", "nodejs", "deno", "ruby", "php", "lua", "luajit",
		"tclsh", "expect", "osascript", "rscript", "gdb", "lldb", "vim", "vi", "nvim", "ex", "ed", "emacs", "irb", "groovy", "jshell", "ghc", "julia", "sqlite3", "mysql", "psql":
		r.interpreter(base, argv, in)
	case "curl", "wget", "aria2c":
		r.download(base, argv)
	case "git", "hg":
		r.git(argv)
	case "make", "gmake", "ninja", "rake", "just", "tmux", "screen", "man":
		r.embedded(base, argv, in)
	case "nc", "ncat", "netcat", "socat", "at", "batch", "crontab", "schtasks":
		r.remoteOrLater(base, argv, in)
	default:
		if r.system(base, argv); !r.done() {
			r.suffix(base, argv)
		}
	}
}

// remove looks at programs that delete.
func (r *reader) remove(base string, argv []string) {
	found, operands := options(argv[1:], " -n --iterations -s --size ", false)
	recursive := base == "rimraf" || base == "del-cli" || base == "srm"
	for _, o := range found {
		switch {
		case strings.HasPrefix(o.name, "--no-preserve-root") || len(o.name) > 5 && strings.HasPrefix("--no-preserve-root", o.name):
			r.refuse(ruleDelete, argv, "it asks for the deletion of the root directory")
		case o.name == "-r" || o.name == "-R" || len(o.name) > 3 && strings.HasPrefix("--recursive", o.name):
			recursive = true
		case !certain(o.name):
			recursive = recursive || r.strict()
		}
	}
	for _, operand := range operands {
		if strings.HasPrefix(operand, unknown) && r.strict() && base == "rm" && len(operands) > 1 {
			recursive = true // it can be an option
		}
	}
	for _, operand := range operands {
		if r.done() {
			return
		}
		if recursive {
			r.wipe(argv, operand)
			continue
		}
		if base == "rmdir" || base == "trash" {
			continue
		}
		if abs, ok := r.absolute(operand); ok && (whole(abs) == "/" || whole(abs) == r.home && strings.Contains(abs, star)) {
			r.refuse(ruleDelete, argv, "it deletes %q", clip(abs))
		}
		r.write(argv, operand)
	}
}

// move looks at programs that move and copy.
func (r *reader) move(base string, argv []string) {
	found, operands := options(argv[1:], moveOptions(base), false)
	into, named := has(found, "-t", "--target-directory", "-C", "--directory", "-d")
	switch base {
	case "tar", "gtar", "bsdtar":
		r.archive(argv, found)
		if named {
			r.write(argv, into)
		}
		return
	case "unzip", "cpio":
		if named {
			r.write(argv, into)
		}
		return
	case "rsync", "scp":
		r.synced(argv, found, operands)
		return
	}
	sources := operands
	if !named && len(operands) > 1 {
		sources, into = operands[:len(operands)-1], operands[len(operands)-1]
	}
	if base == "mv" || base == "gmv" {
		for _, source := range sources {
			r.movedAway(argv, source)
		}
		if abs, ok := r.absolute(into); ok && abs == "/dev/null" {
			r.refuse(ruleDelete, argv, "it moves files to where they are lost")
		}
	}
	if into == "" {
		return
	}
	r.write(argv, into)
	for _, source := range sources {
		if i := strings.LastIndexByte(source, '/'); (base == "cp" || base == "mv" || base == "install") && len(sources) > 0 {
			r.write(argv, strings.TrimSuffix(into, "/")+"/"+source[i+1:])
		}
	}
	if len(sources) == 1 {
		r.copied(sources[0], into)
	}
}

// moveOptions are the options with values of the programs that move and copy.
func moveOptions(base string) string {
	switch base {
	case "tar", "gtar", "bsdtar":
		return " -f --file -C --directory -T -X -I --use-compress-program -F --exclude --exclude-from --transform "
	case "unzip", "cpio", "ditto":
		return " -d -x -P -D "
	case "rsync", "scp":
		return " -e --rsh -S -f --filter --exclude --include --exclude-from --include-from --files-from --bwlimit --log-file --partial-dir --temp-dir -i -P -F -J -l -o -c --chmod --chown "
	case "install":
		return " -t --target-directory -S --suffix -m --mode -o --owner -g --group "
	}
	return " -t --target-directory -S --suffix "
}

// copied remembers that a name now leads to another program or text.
func (r *reader) copied(from, to string) {
	abs, ok := r.absolute(to)
	if !ok {
		return
	}
	if source, ok := r.absolute(from); ok && len(r.files[source]) > 0 {
		r.remember(to, strings.Join(r.files[source], "\n"), false)
		return
	}
	if r.programs == nil {
		r.programs = make(map[string]string, 1)
	}
	r.programs[abs] = from
	r.programs[abs+"/"+program(from)] = from
}

// movedAway looks at what is no longer at its place afterwards.
func (r *reader) movedAway(argv []string, name string) {
	for _, abs := range r.places(argv, name) {
		abs = whole(abs)
		switch {
		case abs == "/" || below(r.home, abs, false):
			r.refuse(ruleDelete, argv, "it moves %q away, which is or holds the home directory", clip(abs))
		case r.holdsProject(abs) && !strings.Contains(name, star):
			r.refuse(ruleDelete, argv, "it moves the whole project away")
		case r.ofSystem(abs):
			r.refuse(ruleDelete, argv, "it moves %q away, which belongs to the system", clip(abs))
		case below(abs, r.home, true) && !r.inside(abs) && keepsake(strings.TrimPrefix(abs, r.home)):
			r.refuse(ruleDelete, argv, "it moves %q away, which the user would miss", clip(abs))
		default:
			r.write(argv, name)
		}
	}
}

// archive looks at the options of tar that run programs.
func (r *reader) archive(argv []string, found []option) {
	for i, arg := range argv[1:] {
		_, action, ok := strings.Cut(arg, "exec=")
		if ok && (strings.HasPrefix(arg, "--checkpoint-action") || i > 0 && argv[i] == "--checkpoint-action") {
			r.nestedScript(action, unknown, argv[0])
		}
		if script, ok := strings.CutPrefix(arg, "--to-command="); ok {
			r.nestedScript(script, unknown, argv[0])
		}
	}
	if text, ok := has(found, "-I", "--use-compress-program", "-F"); ok && text != "" {
		r.nestedScript(text, unknown, argv[0])
	}
	if _, ok := has(found, "--remove-files"); ok {
		_, operands := options(argv[1:], " -f --file -C ", false)
		for _, operand := range operands {
			r.wipe(argv, operand)
		}
	}
}

// synced looks at rsync: what --delete empties, and the program for the connection.
func (r *reader) synced(argv []string, found []option, operands []string) {
	if text, ok := has(found, "-e", "--rsh", "-S"); ok {
		r.nestedScript(text, unknown, argv[0])
	}
	if len(operands) < 2 {
		return
	}
	into := operands[len(operands)-1]
	if strings.Contains(into, ":") && !strings.HasPrefix(into, "/") {
		return // another machine
	}
	deletes := slices.ContainsFunc(found, func(o option) bool { return strings.HasPrefix(o.name, "--del") })
	for _, abs := range r.places(argv, into) {
		if deletes && (abs == "/" || below(r.home, abs, false) || r.ofSystem(abs)) {
			r.refuse(ruleDelete, argv, "it deletes in %q what the source does not have", clip(abs))
		}
	}
	if deletes && len(operands) == 2 && strings.HasPrefix(operands[0], "/tmp/") {
		r.wipe(argv, into) // from an empty directory, as a rule
	}
	r.write(argv, into)
}

// rights looks at changes of modes and owners.
func (r *reader) rights(base string, argv []string) {
	found, operands := options(argv[1:], " --reference --from -m -x -M -X ", false)
	recursive := slices.ContainsFunc(found, func(o option) bool {
		return o.name == "-R" || o.name == "-r" || len(o.name) > 4 && strings.HasPrefix("--recursive", o.name)
	})
	if _, ok := has(found, "--reference", "-m", "-x", "-M", "-X"); !ok && len(operands) > 0 {
		if slices.ContainsFunc(argv[1:], func(arg string) bool { return strings.HasPrefix(arg, "-") && strings.HasPrefix(arg, "-"+operands[0]) }) {
			return
		}
		if !slices.ContainsFunc(found, func(o option) bool { return base == "chmod" && strings.ContainsAny(o.name[1:], "wxst") }) {
			operands = operands[1:]
		}
	}
	for _, operand := range operands {
		for _, abs := range r.places(argv, operand) {
			abs = whole(abs)
			switch {
			case abs == "/" || recursive && (below(r.home, abs, false) && !(r.inside(abs) && abs != r.home) || r.ofSystem(abs) && depth(abs) <= 2):
				r.refuse(ruleRights, argv, "it changes the rights of %q and all that is in it", clip(abs))
			case recursive && r.ofSystem(abs) && depth(abs) <= 1:
				r.refuse(ruleRights, argv, "it changes the rights of %q and all that is in it", clip(abs))
			case !below(abs, r.home, true): // one's own files one may even lock away
				r.write(argv, operand)
			}
		}
	}
}
