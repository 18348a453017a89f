package app

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// split finds the command in a command line: the first argument that is neither a flag nor
// the value of a flag. Flags before it belong to the command, too. Without a command the
// name is serve.
func (a *App) split(args []string) (name string, rest []string) {
	known := flagReader{app: a}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' {
			return arg, slices.Concat(args[:i], args[i+1:])
		}
		takesValue, ok := known.read(arg)
		if !ok {
			break
		}
		if takesValue {
			i++
		}
	}
	return serveName, args
}

// words returns the arguments that are neither flags nor values of flags.
func (a *App) words(args []string) []string {
	known := flagReader{app: a}
	var words []string
	for i := 0; i < len(args); i++ {
		if arg := args[i]; len(arg) < 2 || arg[0] != '-' {
			words = append(words, arg)
		} else if takesValue, _ := known.read(arg); takesValue {
			i++
		}
	}
	return words
}

// flagReader reads flags of a command line whose command is not known yet. It makes the flags
// of a command when they are first needed.
type flagReader struct {
	app *App
	// commands are serve and then the other commands; nil before the first flag.
	commands []command
	sets     []*flag.FlagSet // of the first commands
}

// read reports whether the argument after a flag is its value, and whether any command has
// the flag. The flag of serve counts if several commands have one of the name.
func (r *flagReader) read(arg string) (takesValue, known bool) {
	name, _, whole := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	if name == "h" || name == "help" {
		return false, true
	}
	if r.commands == nil {
		serve, _ := r.app.command(serveName)
		r.commands = append([]command{serve}, slices.DeleteFunc(r.app.commands(), func(c command) bool { return c.name == serveName })...)
	}
	for i, c := range r.commands {
		if i == len(r.sets) {
			r.sets = append(r.sets, r.app.flagSet(c))
		}
		if f := r.sets[i].Lookup(name); f != nil {
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

// parse parses the arguments of a command. Flags may stand before and after other arguments;
// "--" ends the flags. flags.Args then returns the other arguments, with the "--" if the
// command passes on the arguments after it. asked reports a flag -h or -help; the other flags
// are then not checked.
func (a *App) parse(c command, flags *flag.FlagSet, args []string) (asked bool, err error) {
	var given, words []string
	unknown, lacking := "", "" // flags without a meaning, and without a value
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			if !c.passesOn {
				i++
			}
			words = append(words, args[i:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			words = append(words, arg)
			continue
		}
		name, _, whole := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := flags.Lookup(name)
		switch {
		case f == nil && (name == "h" || name == "help"):
			asked = true
		case f == nil:
			unknown = cmp.Or(unknown, name)
		case whole || isSwitch(f.Value):
			given = append(given, arg)
		case i+1 == len(args):
			lacking = name
		default:
			i++
			given = append(given, arg, args[i])
		}
	}
	if unknown != "" && !asked {
		return false, a.unknownFlag(c, unknown)
	}
	if lacking != "" && !asked {
		return false, fmt.Errorf("flag needs an argument: -%s", lacking)
	}
	if !c.passesOn || len(words) == 0 {
		given = append(given, "--")
	}
	err = flags.Parse(append(given, words...))
	if err != nil && asked {
		err = flags.Parse(append([]string{"--"}, words...))
	}
	return asked, err
}

// unknownFlag returns an error for a flag that a command does not have.
func (a *App) unknownFlag(c command, name string) error {
	var known, others []string
	for _, other := range a.commands() {
		flags := a.flagSet(other)
		if other.name == c.name {
			for _, f := range allFlags(flags) {
				known = append(known, f.Name)
			}
		} else if flags.Lookup(name) != nil {
			others = append(others, other.name)
		}
	}
	var next string
	switch near := didYouMean(name, known, "-"); {
	case len(others) > 0:
		next = "; it belongs to " + strings.Join(others, ", ")
	case near != "":
		next = near
	case c.args != "":
		next = "; after \"--\" a word may begin with a dash"
	}
	return fmt.Errorf("%s has no flag -%s%s", c.name, name, next)
}

// didYouMean returns the end of an error message with the known name that is nearest to
// name, or "" if none is near.
func didYouMean(name string, known []string, prefix string) string {
	near := nearest.Name(name, known)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", prefix+near)
}
