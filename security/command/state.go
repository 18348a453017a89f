package command

import (
	"maps"
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/dougu-go/dougu/security"
)

// The bounds of what is looked at. More is refused in both modes: no command that somebody wants to run comes near them.
const (
	maxScript       = 64 << 10 // bytes of a script, and of any text that it computes
	maxSteps        = 10_000   // statements, words and expansions
	maxDepth        = 250      // of statements, substitutions, functions and scripts in each other
	maxAlternatives = 8        // values of a variable, and ways to run a command
	maxOpeners      = 4_000    // brackets and the like that a parser may have to keep in mind
)

// variable is what is known of a variable of the shell: one or more values that it can have, or the elements of an array.
type variable struct {
	values []string
	keys   []string // of the elements, if it is an array
	list   []string
	array  bool
}

// reader follows one script through everything that it would do, and remembers the first thing that is refused.
type reader struct {
	policy  *Policy
	shell   string   // the kind of the shell that reads the script
	project []string // the directories that it works in
	dir     string   // where it starts
	home    string
	env     []string
	refusal *security.Error

	steps, depth int
	spawned      int      // how many pipelines and background jobs are around what is looked at
	unlisted     int      // how many commands that had to be allowed are around what is looked at
	remote       int      // how many machines or containers away it is
	through      []string // the commands that run what is looked at
	trusting     int      // in how many files of code it is
	current      []string // the command that was looked at last

	vars      map[string]variable
	self      string   // $0
	args      []string // $1 …
	functions map[string][]*syntax.Stmt
	aliases   map[string][]string
	files     map[string][]string // what the script itself wrote into files
	programs  map[string]string   // copies of and links to programs, by their path
	frames    []frame
	picks     []pick
	choosing  bool
	picked    int
}

// frame is a function that is being called.
type frame struct {
	name    string
	spawned int
}

// pick is a choice among several values, and which is taken now.
type pick struct{ at, of int }

// done reports whether there is no need to go on.
func (r *reader) done() bool { return r.refusal != nil }

// step counts work and refuses a script that makes too much of it.
func (r *reader) step() bool {
	if r.steps++; r.steps > maxSteps {
		r.tooMuch("it takes too many steps to follow")
	}
	return !r.done()
}

// cost counts the work that the length of a text makes.
func (r *reader) cost(text string) { r.steps += len(text) / 64 }

// deeper runs f unless it would be too deep.
func (r *reader) deeper(f func()) {
	if !r.step() {
		return
	}
	if r.depth++; r.depth > maxDepth {
		r.tooMuch("it is nested too deeply")
	} else {
		f()
	}
	r.depth--
}

func (r *reader) strict() bool { return r.policy.Strict }

// lookup is what is known of a variable; false means that the script does not set it and its value is not known.
func (r *reader) lookup(name string) (variable, bool) {
	if v, ok := r.vars[name]; ok {
		return v, true
	}
	for _, entry := range slices.Backward(r.env) {
		if key, value, _ := strings.Cut(entry, "="); key == name {
			return scalar(cleaned(value)), true
		}
	}
	switch name {
	case "PWD":
		return scalar(r.dir), true
	case "HOME":
		return scalar(r.home), true
	case "IFS":
		return scalar(" \t\n"), true
	case "TMPDIR":
		return scalar("/tmp"), true
	case "SHELL", "BASH":
		return scalar("/bin/sh"), true
	case "PATH":
		return scalar("/usr/local/bin:/usr/bin:/bin:" + unknown), true
	case "UID", "EUID", "PPID", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "USER", "LOGNAME", "HOSTNAME", "COLUMNS", "LINES",
		"EPOCHSECONDS", "OSTYPE", "MACHTYPE", "HOSTTYPE", varInner:
		return scalar(inner), true
	case varForeign:
		return scalar(foreign), true
	case varUnknown:
		return scalar(unknown), true
	}
	if strings.Contains(" BASH_SOURCE BASH_ARGV0 ", " "+name+" ") {
		return scalar("sh"), true
	}
	return variable{}, false
}

func scalar(value string) variable { return variable{values: []string{value}} }

// value is one of the values that a variable can have.
func (r *reader) value(name string) (string, bool) {
	v, ok := r.lookup(name)
	switch {
	case !ok:
		return unknown, false
	case v.array && len(v.list) > 0:
		return v.list[0], true
	case v.array:
		return "", true
	}
	return r.choose(v.values), true
}

// set gives a variable a value.
func (r *reader) set(name string, v variable) {
	for i, value := range v.values {
		if len(value) > maxScript {
			v.values[i] = taint(value)
		}
	}
	if r.vars == nil {
		r.vars = make(map[string]variable, 4)
	}
	r.vars[name] = v
}

// choose takes one of several values; what follows is looked at for each.
func (r *reader) choose(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	if len(values) == 0 {
		return unknown
	}
	if !r.choosing {
		return values[0]
	}
	if r.picked == len(r.picks) {
		r.picks = append(r.picks, pick{0, len(values)})
	}
	at := r.picks[r.picked].at
	r.picked++
	return values[min(at, len(values)-1)]
}

// alternatives collects the results of f for all choices that it makes.
func alternatives[T any](r *reader, f func() T) []T {
	picks, picked, choosing := r.picks, r.picked, r.choosing
	defer func() { r.picks, r.picked, r.choosing = picks, picked, choosing }()
	r.picks, r.choosing = nil, true
	var all []T
	for len(all) < maxAlternatives*2 {
		r.picked = 0
		all = append(all, f())
		last := len(r.picks) - 1
		for last >= 0 && r.picks[last].at+1 >= r.picks[last].of {
			last--
		}
		if last < 0 || r.done() {
			return all
		}
		r.picks = r.picks[:last+1]
		r.picks[last].at++
	}
	r.doubt([]string{"the script"}, "there are too many ways that it can go")
	return all
}

// save is the state of the variables, to go back to.
func (r *reader) save() map[string]variable { return maps.Clone(r.vars) }

// merge makes the variables what they can be if either of two ways was taken.
func (r *reader) merge(other map[string]variable) {
	for name := range other {
		if _, ok := r.vars[name]; !ok {
			if now, known := r.lookup(name); known {
				r.set(name, now)
			} else {
				r.set(name, scalar(unknown))
			}
		}
	}
	for name, here := range r.vars {
		there, ok := other[name]
		if !ok {
			saved := r.vars
			r.vars = other
			there, ok = r.lookup(name)
			r.vars = saved
		}
		if !ok {
			there = scalar(unknown)
		}
		r.vars[name] = either(here, there)
	}
}

// either is a variable that is one of two.
func either(a, b variable) variable {
	if a.array || b.array {
		if a.array && b.array && slices.Equal(a.list, b.list) {
			return a
		}
		if !a.array {
			a, b = b, a
		}
		a.list = append(slices.Clone(a.list), b.list...)
		a.keys = append(slices.Clone(a.keys), b.keys...)
		return a
	}
	values := slices.Clone(a.values)
	for _, value := range b.values {
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	if len(values) > maxAlternatives {
		values = []string{unknown}
	}
	return variable{values: values}
}

// homeOf finds the home of whom the command runs for.
func homeOf(env []string) string {
	for _, entry := range slices.Backward(env) {
		for _, name := range []string{"HOME=", "USERPROFILE="} {
			if home, ok := strings.CutPrefix(entry, name); ok && home != "" {
				return cleaned(home)
			}
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		return home
	}
	return "/root"
}
