package command

import (
	"strings"
)

// run looks at a program and its arguments, through whatever it runs in turn, and gives what it would write.
func (r *reader) run(argv []string, in string) (out string) {
	out = unknown
	r.steps += len(argv) / 8
	r.deeper(func() {
		if argv[0] == "" {
			out = ""
			return
		}
		if !known(argv[0]) {
			r.unnamed(argv)
			return
		}
		r.current = argv
		name := r.origin(argv[0])
		base := program(name)
		if !r.listed(argv, base) {
			return
		}
		if text, ok := r.builtin(argv, in); ok {
			out = text
			return
		}
		if r.ownFile(argv, in) {
			return
		}
		if r.passes(base, argv, in, &out) || r.done() {
			return
		}
		r.rules(base, argv, in)
		out = r.output(base, argv, in)
	})
	return out
}

// unnamed looks at a command whose name is not known.
func (r *reader) unnamed(argv []string) {
	name := argv[0]
	if strings.Contains(name, foreign) {
		r.refuse(ruleRemote, argv, "it runs text that was downloaded or decoded and that nobody has read")
		return
	}
	if len(r.policy.Allowed) > 0 {
		r.refuse(ruleAllowed, argv, "which program it runs is not known")
	}
	r.doubt(argv, "which program it runs is only known when it runs")
	pattern := program(name)
	for _, base := range []string{"rm", "dd", "mkfs", "shred", "chmod", "chown", "mv", "shutdown", "reboot", "wipefs"} {
		if r.done() {
			return
		}
		if matches(pattern, base) && (pattern != unknown || base == "rm") {
			r.rules(base, argv, unknown)
		}
	}
}

// origin is the program that a name leads to by a copy or link that the script made.
func (r *reader) origin(name string) string {
	if len(r.programs) == 0 {
		return name
	}
	for range 4 {
		abs, ok := r.absolute(name)
		next, made := r.programs[abs]
		if !ok || !made {
			break
		}
		name = next
	}
	return name
}

// ownFile runs a file that the script itself has written.
func (r *reader) ownFile(argv []string, in string) bool {
	if len(r.files) == 0 || !strings.Contains(argv[0], "/") {
		return false
	}
	abs, ok := r.absolute(argv[0])
	texts := r.files[abs]
	if !ok || len(texts) == 0 {
		return false
	}
	for _, text := range texts {
		if text == unknown {
			r.doubt(argv, "what the file contains that it runs is not known")
			continue
		}
		saved := r.args
		r.args = argv[1:]
		if line := firstLine(text); strings.HasPrefix(line, "#!") && !strings.Contains(line, "sh") {
			r.codeFile(argv, text)
		} else {
			r.within(text, in, argv[0])
		}
		r.args = saved
	}
	return true
}

// nested looks at a command that another one runs. With a list of allowed commands the outer one is what has to be in it.
func (r *reader) nested(argv []string, in string, by []string) string {
	if len(argv) == 0 {
		return unknown
	}
	r.through = append(r.through, strings.Join(by, " "))
	r.unlisted++
	out := r.run(argv, in)
	r.unlisted--
	r.through = r.through[:len(r.through)-1]
	return out
}

// transparent looks at the command of a program that adds nothing of its own, such as nice: what it runs has to be allowed.
func (r *reader) transparent(argv []string, in string, by []string) string {
	if len(argv) == 0 {
		return unknown
	}
	r.through = append(r.through, strings.Join(by, " "))
	out := r.run(argv, in)
	r.through = r.through[:len(r.through)-1]
	return out
}

// elsewhere looks at a command on another machine or in a container: its files are not those of the project.
func (r *reader) elsewhere(f func()) {
	saved := r.save()
	r.set("PWD", scalar(unknown))
	r.remote++
	r.unlisted++
	f()
	r.unlisted--
	r.remote--
	r.vars = saved
}
