package terminal

import (
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// nonInteractiveEnv returns variables that disable pagers and password prompts for a command without a terminal. Variables of this process
// and of the call have precedence.
func nonInteractiveEnv() []string {
	return []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
}

// environ returns the environment of a command, and the variables that the call set.
func (t *Terminal) environ(given map[string]string, pty bool) (env, said []string, err error) {
	defaults := nonInteractiveEnv()
	if pty {
		defaults = []string{"TERM=xterm-256color"}
	}
	env = slices.Clone(t.base)
	for _, variable := range defaults {
		name, _, _ := strings.Cut(variable, "=")
		known := slices.ContainsFunc(env, func(v string) bool { n, _, _ := strings.Cut(v, "="); return environ.SameName(n, name) })
		if !known || name == "TERM" {
			env = append(env, variable) // the last value is effective
		}
	}
	env = append(env, t.options.Sandbox.Environ()...)
	for name, value := range given {
		switch err := environ.Check(name, value); {
		case errors.Is(err, environ.ErrOwn):
			return nil, nil, invalid("Leave it out.", "variables that begin with %s belong to this server, such as %s", environ.OwnPrefix, process.Variable)
		case err != nil:
			return nil, nil, invalid("Give names without =, and values without zero bytes.", "the variable %s cannot be set", quote(name))
		}
		said = append(said, name+"="+value)
	}
	slices.Sort(said)
	return append(env, said...), said, nil
}
