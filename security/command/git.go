package command

import (
	"slices"
	"strings"
)

// git looks at the commands of git that run others or work far from the project.
func (r *reader) git(argv []string) {
	found, rest := options(argv[1:], " -C -c --git-dir --work-tree --namespace --exec-path --config-env ", true)
	for _, o := range found {
		switch o.name {
		case "-c":
			name, value, _ := strings.Cut(o.value, "=")
			r.gitSetting(argv, name, value)
		case "--work-tree":
			for _, abs := range r.places(argv, o.value) {
				if r.ofSystem(abs) || below(r.home, abs, false) {
					r.refuse(ruleDelete, argv, "it makes %q a work tree, in which git replaces and deletes files", clip(abs))
				}
			}
		}
	}
	for _, arg := range argv[1:] {
		if script, ok := strings.CutPrefix(arg, "alias."); ok && program(argv[0]) == "hg" {
			_, script, _ = strings.Cut(script, "=!")
			r.nestedScript(script, unknown, "hg")
		}
	}
	if len(rest) > 0 {
		r.gitCommand(argv, found, rest[0], rest[1:])
	}
}

// gitCommand looks at one of the commands of git.
func (r *reader) gitCommand(argv []string, found []option, name string, args []string) {
	switch name {
	case "clean":
		r.gitClean(argv, found, args)
	case "config":
		if len(args) > 1 {
			values := args
			for len(values) > 2 && strings.HasPrefix(values[0], "-") {
				values = values[1:]
			}
			r.gitSetting(argv, values[0], values[len(values)-1])
		}
	case "submodule", "bisect", "for-each-repo":
		if i := slices.IndexFunc(args, func(arg string) bool { return arg == "foreach" || arg == "run" }); i >= 0 {
			_, command := options(args[i+1:], "", true)
			if len(command) == 1 {
				r.nestedScript(command[0], unknown, "git")
			} else if len(command) > 1 {
				r.nested(command, unknown, []string{"git"})
			}
		}
	case "rebase", "filter-branch", "difftool", "mergetool":
		found, _ := options(args, " -x --exec --tree-filter --index-filter --msg-filter --env-filter --commit-filter --tag-name-filter --parent-filter --setup --extcmd --tool -t --onto ", false)
		for _, o := range found {
			if o.value != "" && o.name != "--onto" && o.name != "--tool" && o.name != "-t" {
				r.nestedScript(o.value, unknown, "git")
			}
		}
	case "clone", "fetch", "pull", "push", "ls-remote", "remote", "archive":
		for _, arg := range args {
			if script, ok := strings.CutPrefix(arg, "ext::"); ok {
				r.nestedScript(strings.ReplaceAll(script, "%S", "git"), unknown, "git")
			}
			for _, name := range []string{"--upload-pack=", "--receive-pack=", "--exec="} {
				if script, ok := strings.CutPrefix(arg, name); ok {
					r.nestedScript(script, unknown, "git")
				}
			}
		}
	}
}

// gitSetting looks at a setting by which git runs commands.
func (r *reader) gitSetting(argv []string, name, value string) {
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "alias."):
		if script, ok := strings.CutPrefix(value, "!"); ok {
			r.nestedScript(script, unknown, "git")
		}
	case name == "core.pager", name == "core.editor", name == "sequence.editor", name == "core.sshcommand", name == "core.fsmonitor", name == "core.askpass",
		name == "diff.external", name == "gpg.program", strings.HasPrefix(name, "pager."), strings.HasPrefix(name, "filter."),
		strings.HasSuffix(name, ".textconv"), strings.HasSuffix(name, ".cmd"), strings.HasPrefix(name, "credential") && strings.HasSuffix(name, "helper"),
		strings.HasPrefix(name, "uploadpack."), strings.HasPrefix(name, "url.") && strings.Contains(name, "ext::"):
		if strings.ContainsAny(value, " ;|&$`/") {
			r.nestedScript(strings.TrimPrefix(value, "!"), unknown, "git")
		}
	case name == "core.hookspath" || name == "core.worktree" || name == "protocol.ext.allow":
		if value != "/dev/null" && value != "" && value != ".husky" && !strings.HasPrefix(value, ".") {
			r.doubt(argv, "the setting makes git run other programs")
		}
	}
}

// gitClean looks at where git clean deletes.
func (r *reader) gitClean(argv []string, found []option, args []string) {
	flags, operands := options(args, " -e --exclude ", false)
	if _, dry := has(flags, "-n", "--dry-run"); dry {
		return
	}
	dir, elsewhere := has(found, "-C")
	if !elsewhere {
		dir = "."
	}
	for _, abs := range r.places(argv, dir) {
		if abs == "/" || below(r.home, abs, false) && !r.inside(abs) || r.ofSystem(abs) && !r.inside(abs) || !r.inside(abs) && !temporary(abs) && r.remote == 0 {
			r.refuse(ruleDelete, argv, "it deletes everything that is not committed in %q, which lies outside of the project", clip(abs))
		}
	}
	for _, operand := range operands {
		if abs, ok := r.absolute(operand); ok && !r.inside(abs) && !elsewhere {
			r.refuse(ruleDelete, argv, "it deletes in %q, which lies outside of the project", clip(abs))
		}
	}
}

// embedded looks at programs that take scripts in their arguments or from what they read.
func (r *reader) embedded(base string, argv []string, in string) {
	args := argv[1:]
	switch base {
	case "make", "gmake":
		r.make(argv, in)
	case "tmux", "screen":
		r.multiplexer(base, argv)
	case "man":
		found, _ := options(args, " -P --pager -H ", false)
		if pager, ok := has(found, "-P", "--pager"); ok {
			r.nestedScript(pager, unknown, base)
		}
	}
}

// make looks at makefiles in the arguments of make, or that the script itself wrote.
func (r *reader) make(argv []string, in string) {
	found, operands := options(argv[1:], " -f --file --makefile -C --directory -I -j -o -W --eval -E ", false)
	if text, ok := has(found, "--eval", "-E"); ok {
		r.makefile(text)
	}
	if file, ok := has(found, "-f", "--file", "--makefile"); ok {
		if file == "-" || file == "/dev/stdin" {
			r.makefile(in)
		} else if text := r.content(file); text != unknown {
			r.makefile(text)
		}
	} else if text := r.content("Makefile"); text != unknown {
		r.makefile(text)
	}
	for _, operand := range operands {
		name, value, ok := strings.Cut(operand, "=")
		if !ok {
			continue
		}
		if strings.Contains(value, "$(shell") || strings.Contains(value, "`") {
			r.makefile(operand)
		}
		if name == "SHELL" {
			r.doubt(argv, "it replaces the shell of make")
		}
	}
}

// multiplexer looks at the commands for the windows of a terminal multiplexer.
func (r *reader) multiplexer(base string, argv []string) {
	args := argv[1:]
	if i := slices.Index(args, "send-keys"); i >= 0 {
		_, keys := options(args[i+1:], " -t -N ", false)
		r.nestedScript(strings.Join(keys, " "), unknown, base)
		return
	}
	found, rest := options(args, " -L -S -f -s -t -c -n -x -y -e -p -T -h -X ", true)
	if text, ok := has(found, "-X"); ok && base == "screen" {
		r.nestedScript(text+" "+strings.Join(rest, " "), unknown, base)
		return
	}
	if len(rest) > 0 && base == "tmux" {
		_, rest = options(rest[1:], " -s -t -c -n -x -y -e -p -F -l ", true)
	}
	if len(rest) == 1 {
		r.nestedScript(rest[0], unknown, base)
	} else {
		r.nested(rest, unknown, argv[:1])
	}
}

// makefile looks at the recipes and shell functions of a makefile.
func (r *reader) makefile(text string) {
	if strings.Contains(text, foreign) {
		r.refuse(ruleRemote, []string{"make"}, "it runs text that was downloaded or decoded and that nobody has read")
		return
	}
	for line := range strings.Lines(text) {
		if !r.step() {
			return
		}
		line = strings.TrimSpace(line)
		_, recipe, isRule := strings.Cut(line, ";")
		if i := strings.Index(line, "$(shell "); i >= 0 {
			script := line[i+len("$(shell "):]
			if end := strings.LastIndexByte(script, ')'); end >= 0 {
				script = script[:end]
			}
			r.suspected(script, "make")
		}
		if isRule {
			r.suspected(strings.TrimLeft(strings.TrimSpace(recipe), "@-+"), "make")
		}
		r.suspected(strings.TrimLeft(line, "@-+"), "make")
	}
}
