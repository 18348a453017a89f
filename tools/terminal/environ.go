package terminal

import (
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// quiet are set for a command without a terminal, unless they are set already or
// by the call: nobody could answer a pager or a question for a password.
func quiet() []string {
	return []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
}

// environ is what a command gets, and what of it the call has said.
func (t *Terminal) environ(given map[string]string, pty bool) (env, said []string, err error) {
	defaults := quiet()
	if pty {
		defaults = []string{"TERM=xterm-256color"}
	}
	env = slices.Clone(t.base)
	for _, variable := range defaults {
		name, _, _ := strings.Cut(variable, "=")
		known := slices.ContainsFunc(env, func(v string) bool { n, _, _ := strings.Cut(v, "="); return environ.SameName(n, name) })
		if !known || name == "TERM" {
			env = append(env, variable) // the last one counts
		}
	}
	env = append(env, t.options.Sandbox.Environ()...)
	for name, value := range given {
		switch err := environ.Check(name, value); {
		case errors.Is(err, environ.ErrOwn):
			return nil, nil, invalid("Leave it out.", "variables that begin with %s are those of this server, such as %s", environ.OwnPrefix, process.Variable)
		case err != nil:
			return nil, nil, invalid("Give names without =, and values without zero bytes.", "the variable %s cannot be set", quote(name))
		}
		said = append(said, name+"="+value)
	}
	slices.Sort(said)
	return append(env, said...), said, nil
}
