package command

import (
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// Policy decides which commands may run. The zero value and nil apply the rules of the package comment alone. Several goroutines
// may use a Policy that is not changed meanwhile.
type Policy struct {
	// Allowed are patterns of the only commands that may run; see the package comment. Empty allows all. Commands of the shell
	// without an effect of their own (cd, echo, test, export …) need not be listed. Allowed lifts no other rule.
	Allowed []string

	// Denied are patterns of commands that must not run, also if Allowed has them.
	Denied []string

	// Dirs are the absolute directories of the project. A command is refused if its Command.Dir is outside of all of them. Empty
	// means that Command.Dir is the project.
	Dirs []string
}

// Command is a line for a shell or, without a shell, a program and its arguments.
type Command struct {
	Script string   // for a shell; not together with Args
	Args   []string // the program and its arguments, run without a shell
	Shell  string   // of Script: sh (default), bash, dash, ksh, zsh, cmd or powershell; with or without directory and ".exe"
	Dir    string   // the absolute working directory; empty means that of this process
	Env    []string // variables that the caller sets for it, "name=value"; HOME or USERPROFILE among them is the home
}

// Limits of a check. A command beyond them is refused.
const (
	maxScript   = 64 << 10 // bytes of a script or of all arguments
	maxSteps    = 100_000  // simple commands, and nodes that are searched for downloads and fork bombs
	maxDepth    = 16       // scripts and commands within each other
	maxWrappers = 32       // programs in front of one command
	maxOpeners  = 4_000    // opening brackets and keywords of a script: each may cost the parser one level of recursion
)

// Check refuses a command with a *security.Error whose code is COMMAND_BLOCKED. The message names the simple command and the
// rule; the next step names the alternative. INVALID_PARAMS means that there is no command.
func (p *Policy) Check(c Command) error {
	if p == nil {
		p = &Policy{}
	}
	if strings.TrimSpace(c.Script) == "" && (len(c.Args) == 0 || c.Args[0] == "") || c.Script != "" && len(c.Args) > 0 {
		return &security.Error{Code: security.InvalidParams, Message: "there is no command, or both a script and arguments",
			Next: "Give either a script for a shell, or a program and its arguments."}
	}
	k := &checker{policy: p, shell: program(c.Shell), home: cleanPath(homeOf(c.Env))}
	k.locate(c.Dir)
	for _, entry := range c.Env {
		if name, _, _ := strings.Cut(entry, "="); !k.done() {
			k.variable(name)
		}
	}
	if !k.done() {
		k.command(c)
	}
	if k.refusal != nil {
		return k.refusal
	}
	return nil
}

// checker checks one Command.
type checker struct {
	policy   *Policy
	shell    string   // of the script
	project  []string // directories
	home     string
	dir      string          // where the next command runs; "" if that is unknown
	assigned map[string]bool // names of the variables that the script has set so far
	by       string          // the command that runs the checked one, such as env; "" for none
	steps    int
	depth    int
	refusal  *security.Error // the first
}

func (k *checker) done() bool { return k.refusal != nil }

// step counts one step of work; false means that the command was refused for too many.
func (k *checker) step() bool {
	if k.steps++; k.steps > maxSteps {
		k.refuse(ruleBounds, []string{"the script"}, "it has too many commands")
	}
	return !k.done()
}

// within runs check one level deeper, for a script or command in the arguments of the command by.
func (k *checker) within(by string, check func()) {
	if k.depth++; k.depth > maxDepth {
		k.refuse(ruleBounds, []string{"the script"}, "its commands are nested too deeply")
		return
	}
	before := k.by
	k.by = by
	check()
	k.by = before
	k.depth--
}

// locate sets the project and the working directory, and refuses a directory outside of Policy.Dirs.
func (k *checker) locate(dir string) {
	if dir == "" {
		dir, _ = os.Getwd()
	}
	k.dir = cleanPath(cleaned(dir))
	for _, dir := range k.policy.Dirs {
		k.project = append(k.project, cleanPath(dir))
	}
	if len(k.project) == 0 {
		k.project = []string{k.dir}
	} else if !slices.ContainsFunc(k.project, func(dir string) bool { return below(k.dir, dir) }) {
		k.refuse(ruleOutside, []string{"cd", k.dir}, "the working directory lies outside of the directories for commands")
	}
}

// homeOf returns the home directory of a command: that of its variables, else that of this process.
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

func (k *checker) command(c Command) {
	size := len(c.Script)
	for _, arg := range c.Args {
		size += len(arg)
	}
	if size > maxScript {
		k.refuse(ruleBounds, []string{"the command"}, "it has more than 64 KiB")
		return
	}
	if len(c.Args) > 0 {
		argv := make([]string, len(c.Args))
		for i, arg := range c.Args {
			argv[i] = cleaned(arg)
		}
		k.simple(argv)
		return
	}
	script := cleaned(c.Script)
	switch {
	case k.shell == "cmd" || k.shell == "powershell" || k.shell == "pwsh":
		k.text(script, "scripts for "+k.shell+" are not parsed; give a program and its arguments instead")
	case k.shell != "" && !isShell(k.shell):
		k.unclear([]string{c.Shell}, "the shell is not known") // refuses only with Policy.Allowed
		fallthrough                                            // without it, the script is checked as one for sh
	default:
		k.script(script)
	}
}
