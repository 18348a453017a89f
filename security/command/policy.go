package command

import (
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// Policy decides which commands may run. The zero value, and nil, refuse what destroys a system or a home: the guard rail. A
// Policy may be used by many goroutines as long as nobody changes it.
type Policy struct {
	// Strict refuses what cannot be understood as well: a script that does not parse, a command whose name or a script whose
	// text is only known when it runs, a recursive deletion of a place that is not known.
	Strict bool

	// Allowed are the only commands that may run, if there are any; see the package comment for the patterns. Commands of the
	// shell that do nothing by themselves (cd, echo, test, export …) need not be listed. It widens nothing: what the guard rail
	// refuses stays refused.
	Allowed []string

	// Denied are commands that must not run, whatever else allows them.
	Denied []string

	// Dirs are the absolute directories that commands work in. A command is refused whose Dir lies outside of them; in strict
	// mode also one that leaves them by cd or writes outside of them by a redirection. Empty means that Dir alone is the project
	// and that nothing is confined to it.
	Dirs []string
}

// Command is what is to be run: a line for a shell or, with no shell, a program and its arguments.
type Command struct {
	Script string   // for a shell; not together with Args
	Args   []string // the program and its arguments, run with no shell
	Shell  string   // of Script: sh (default), bash, dash, ksh, zsh, cmd or powershell; a path or ".exe" does not matter
	Dir    string   // the absolute working directory; empty means that of this process
	Env    []string // variables that the caller sets for it, "name=value"; they are checked and used to expand the script
	Stdin  string   // what it gets to read, as far as that is known already: a shell or an interpreter would run it
}

// Check refuses a command with a *security.Error whose code is COMMAND_BLOCKED. The message names the simple command that is
// refused and the rule; the next step says what to do instead. INVALID_PARAMS means that there is nothing to check.
func (p *Policy) Check(c Command) error {
	if p == nil {
		p = &Policy{}
	}
	if strings.TrimSpace(c.Script) == "" && (len(c.Args) == 0 || c.Args[0] == "") || c.Script != "" && len(c.Args) > 0 {
		return &security.Error{Code: security.InvalidParams, Message: "there is no command, or both a script and arguments",
			Next: "Give either a script for a shell, or a program and its arguments."}
	}
	r := &reader{policy: p, shell: program(c.Shell), home: comparable(homeOf(c.Env)), env: c.Env}
	r.placed(c.Dir)
	for _, entry := range c.Env {
		if name, value, ok := strings.Cut(entry, "="); ok && !r.done() {
			r.environment(name, cleaned(value))
		}
	}
	if !r.done() {
		r.contained(c)
	}
	if r.refusal != nil {
		return r.refusal
	}
	return nil
}

// contained refuses a command at which the check itself fails: that must not be a way past it, nor end the program.
func (r *reader) contained(c Command) {
	defer func() {
		if fault := recover(); fault != nil {
			r.refusal = nil
			r.refuse(ruleBounds, []string{"the command"}, "it cannot be followed, by a fault in the check: %v", fault)
		}
	}()
	r.check(c)
}

// placed says where the command runs, and refuses a place outside of the directories of the policy.
func (r *reader) placed(dir string) {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	r.dir = comparable(cleaned(dir))
	for _, dir := range r.policy.Dirs {
		r.project = append(r.project, comparable(dir))
	}
	if len(r.project) == 0 {
		r.project = []string{r.dir}
	} else if !slices.ContainsFunc(r.project, func(dir string) bool { return below(r.dir, dir, false) }) {
		r.refuse(ruleOutside, []string{"cd", r.dir}, "the working directory lies outside of the directories for commands")
	}
}

func (r *reader) check(c Command) {
	in := unknown
	switch {
	case len(c.Stdin) > maxScript:
		in = foreign // data of any length is nobody's business, but no shell reads it
	case c.Stdin != "":
		in = cleaned(c.Stdin)
	}
	size := len(c.Script)
	for _, arg := range c.Args {
		size += len(arg)
	}
	if size > maxScript {
		r.tooMuch("it has more than 64 KiB")
		return
	}
	if len(c.Args) > 0 {
		argv := make([]string, len(c.Args))
		for i, arg := range c.Args {
			argv[i] = cleaned(arg)
		}
		r.run(argv, in)
		return
	}
	script := cleaned(c.Script)
	switch r.shell {
	case "cmd", "command":
		r.cmdScript(script)
	case "powershell", "pwsh":
		r.powershell(script)
	case "":
		r.shell = "sh"
		r.script(script, in)
	default:
		if !isShell(r.shell) {
			r.doubt([]string{c.Shell}, "the shell is not known")
		}
		r.inner(script, in, []string{r.shell})
	}
}
