package app

import (
	"flag"
	"slices"
	"strings"
)

// split finds the command in a command line: the first argument that is neither a flag nor
// the value of a flag. Flags before it belong to the command, too. Without a command the
// name is serve.
func (a *App) split(args []string) (name string, rest []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' {
			return arg, slices.Concat(args[:i], args[i+1:])
		}
		takesValue, known := a.readFlag(arg)
		if !known {
			break
		}
		if takesValue {
			i++
		}
	}
	return serveName, args
}

// readFlag reports whether the argument after a flag is its value, and whether any command
// has the flag.
func (a *App) readFlag(arg string) (takesValue, known bool) {
	name, _, whole := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	if name == "h" || name == "help" {
		return false, true
	}
	for _, c := range a.commands() {
		if f := a.flagSet(c).Lookup(name); f != nil {
			return !whole && !isSwitch(f.Value), true
		}
	}
	return false, false
}

// isSwitch reports whether a flag needs no value.
func isSwitch(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}
