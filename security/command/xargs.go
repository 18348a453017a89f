package command

import (
	"slices"
	"strings"
)

// xargs looks at the command that gets what is read as arguments.
func (r *reader) xargs(argv []string, in string) {
	const valued = " -I -J -R -n -P -d -E -L -s -a --replace --max-args --max-procs --delimiter --arg-file --max-lines --max-chars "
	found, rest := options(argv[1:], valued, true)
	if len(rest) == 0 {
		return
	}
	if file, ok := has(found, "-a", "--arg-file"); ok {
		in = r.content(file)
	}
	separate := strings.Fields
	if _, ok := has(found, "-0", "--null"); ok {
		separate = func(text string) []string { return strings.Split(strings.TrimRight(text, "\uFFFD\n"), "\uFFFD") }
	}
	items := separate(in)
	if len(items) > 256 {
		items = []string{taint(in)}
	}
	if mark, ok := has(found, "-I", "-J", "--replace"); ok {
		for _, item := range items {
			r.transparent(replaceAll(rest, mark, strings.TrimSpace(item)), unknown, argv[:1])
		}
		if !slices.Equal(separate(in), strings.Split(strings.TrimSpace(in), "\n")) { // -I takes whole lines
			for line := range strings.Lines(in) {
				r.transparent(replaceAll(rest, mark, strings.TrimSpace(line)), unknown, argv[:1])
			}
		}
		return
	}
	r.transparent(append(rest[:len(rest):len(rest)], items...), unknown, argv[:1])
}

func replaceAll(args []string, mark, with string) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = arg
		if mark != "" {
			out[i] = strings.ReplaceAll(arg, mark, with)
		}
	}
	return out
}

// find looks at what is done with the files that are found: -delete, -exec and their like. What it writes is below its starts.
func (r *reader) find(argv []string, out *string) bool {
	var starts []string
	args := argv[1:]
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "!" && args[0] != "(" {
		starts = append(starts, args[0])
		args = args[1:]
	}
	if base := program(argv[0]); (base == "fd" || base == "fdfind") && len(starts) > 0 {
		starts = starts[1:] // the first is a pattern
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	filtered := filters(args)
	var names []string
	for _, start := range starts {
		if filtered {
			start = strings.TrimSuffix(start, "/") + "/" + inner
		}
		names = append(names, start)
	}
	*out = strings.Join(names, "\n") + "\n"
	for i := 0; i < len(args) && !r.done(); i++ {
		switch args[i] {
		case "-delete":
			for j, name := range names {
				r.sweep(argv, starts[j], name)
			}
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			rest := args[i+1:]
			if n := slices.IndexFunc(rest, func(arg string) bool { return arg == ";" || arg == "+" || arg == `\;` }); n >= 0 {
				rest = rest[:n]
			}
			for j, name := range names {
				r.executed(argv, rest, starts[j], name)
			}
			i += len(rest)
		case "-fprint", "-fls", "-fprintf", "-fprint0":
			if i+1 < len(args) {
				r.write(argv, args[i+1])
			}
		}
	}
	return true
}

// filters reports whether find chooses some of the files only, by more than their kind.
func filters(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-mtime", "-mmin", "-ctime", "-cmin", "-atime", "-amin",
			"-newer", "-size", "-empty", "-user", "-group", "-perm", "-inum", "-xtype", "-links", "-e", "-g":
			return true
		}
	}
	return false
}

// sweep looks at the deletion of what is found below a directory.
func (r *reader) sweep(argv []string, start, name string) {
	for i, abs := range r.places(argv, start) {
		switch {
		case abs == "/" || r.remote == 0 && below(r.home, abs, false) && !r.inside(abs):
			r.refuse(ruleDelete, argv, "it deletes files all over %q", clip(abs))
		case name == start || !r.holdsProject(abs):
			found := r.places(argv, name)
			if why := r.wiped(found[min(i, len(found)-1)]); why != "" {
				r.refuse(ruleDelete, argv, "it deletes what is in %q, %s", clip(abs), why)
			}
		case !r.inside(abs) && !temporary(abs):
			r.refuse(ruleDelete, argv, "it deletes files all over %q", clip(abs))
		}
	}
}

// executed looks at the command that find runs for what it finds.
func (r *reader) executed(argv, rest []string, start, name string) {
	if len(rest) == 0 {
		return
	}
	if base := program(rest[0]); base == "rm" || base == "shred" || base == "unlink" || base == "rmdir" {
		if slices.ContainsFunc(rest[1:], func(arg string) bool { return strings.Contains(arg, "{}") }) || len(rest) == 1 {
			r.sweep(argv, start, name)
		}
	}
	if base := program(argv[0]); strings.HasPrefix(base, "fd") && !slices.Contains(rest, "{}") {
		rest = append(rest[:len(rest):len(rest)], "{}")
	}
	r.transparent(replaceAll(rest, "{}", name), unknown, argv[:1])
}
