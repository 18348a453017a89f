package app

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

// helpName is the command that explains the program, and helpFlags the argument with which it
// lists all flags.
const (
	helpName  = "help"
	helpFlags = "flags"
)

// maxMainFlags is the number of flags that the help shows beside the commands.
const maxMainFlags = 10

// help is the command help: the commands, all flags, or one command.
func (a *App) help(args []string) error {
	switch {
	case len(args) == 0:
		a.usage(a.Stdout)
		return nil
	case len(args) > 1:
		return a.usageError(fmt.Errorf("help takes one command or %q, got %q", helpFlags, args))
	case args[0] == helpFlags:
		return a.printAllFlags()
	}
	c, ok := a.command(args[0])
	if !ok {
		return a.unknownCommand(args[0])
	}
	a.commandHelp(c)
	return nil
}

// usage writes the commands and the main flags.
func (a *App) usage(w io.Writer) {
	columns := outputColumns(w)
	fmt.Fprintf(w, "%s — %s\n\nUsage: %s [COMMAND] [FLAGS] [ARGUMENTS]\n\nCommands:\n", a.Name, a.Summary, a.Name)
	var rows [][2]string
	for _, c := range a.commands() {
		args, _, _ := strings.Cut(c.args, " [FLAGS]")
		rows = append(rows, [2]string{strings.TrimSpace(c.name + " " + args), c.summary})
	}
	rows = append(rows, [2]string{helpName + " [COMMAND]", "explain a command; \"" + a.Name + " help flags\" lists all flags"})
	writeRows(w, rows, columns)
	fmt.Fprint(w, "\nFlags:\n")
	writeRows(w, flagRows(a.mainFlags(a.serveFlagSet())), columns)
	fmt.Fprintf(w, "\n\"%s help flags\" lists all flags, and \"%s COMMAND -help\" those of a command.\n", a.Name, a.Name)
}

// commandHelp writes the usage of one command: its own flags, and the main flags that it
// shares with other commands. The flags of serve, of which there are many, are those of the
// program.
func (a *App) commandHelp(c command) {
	flags := a.flagSet(c)
	fmt.Fprintf(a.Stdout, "Usage: %s\n\n%s.\n", a.usageLine(c), capitalized(c.summary))
	var own, shared []*flag.Flag
	common := a.flagSet(command{name: serveName})
	serves := c.name == serveName || c.name == a.ServeName
	flags.VisitAll(func(f *flag.Flag) {
		if common.Lookup(f.Name) == nil && !serves {
			own = append(own, f)
		}
	})
	for _, f := range a.mainFlags(flags) {
		if serves || common.Lookup(f.Name) != nil {
			shared = append(shared, f)
		}
	}
	columns := outputColumns(a.Stdout)
	if len(own) > 0 {
		fmt.Fprintf(a.Stdout, "\nFlags of %s:\n", c.name)
		writeRows(a.Stdout, flagRows(own), columns)
	}
	if len(shared) > 0 {
		fmt.Fprintf(a.Stdout, "\nFlags of the program:\n")
		writeRows(a.Stdout, flagRows(shared), columns)
	}
	if c.help != nil {
		fmt.Fprintf(a.Stdout, "\n\"%s %s TOOL -help\" shows the arguments of a tool.", a.Name, c.name)
	}
	fmt.Fprintf(a.Stdout, "\n\"%s help flags\" lists all flags.\n", a.Name)
}

// usageLine returns the form of a command line, without the word "Usage".
func (a *App) usageLine(c command) string {
	line := a.Name + " " + strings.TrimSpace(c.name+" "+c.args)
	if !strings.Contains(c.args, "[FLAGS]") {
		line += " [FLAGS]"
	}
	return line
}

// printAllFlags writes every flag of the program: those of serve, and then the flags that
// single commands have.
func (a *App) printAllFlags() error {
	serve := a.serveFlagSet()
	columns := outputColumns(a.Stdout)
	fmt.Fprintf(a.Stdout, "Flags of %s and of %s %s:\n", a.Name, a.Name, serveName)
	writeRows(a.Stdout, flagRows(allFlags(serve)), columns)
	for _, c := range a.commands() {
		own := slices.DeleteFunc(allFlags(a.flagSet(c)), func(f *flag.Flag) bool { return serve.Lookup(f.Name) != nil })
		if len(own) == 0 {
			continue
		}
		fmt.Fprintf(a.Stdout, "\nFlags of %s %s:\n", a.Name, c.name)
		writeRows(a.Stdout, flagRows(own), columns)
	}
	return nil
}

// serveFlagSet returns the flags of the command serve.
func (a *App) serveFlagSet() *flag.FlagSet {
	c, _ := a.command(serveName)
	return a.flagSet(c)
}

// allFlags returns the flags of a set, sorted by name.
func allFlags(flags *flag.FlagSet) []*flag.Flag {
	var all []*flag.Flag
	flags.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// mainFlags returns the flags of App.MainFlags that are in the set, in that order. Without
// MainFlags these are the usual flags of a server, and the program's own flags as far as
// there is room.
func (a *App) mainFlags(flags *flag.FlagSet) []*flag.Flag {
	names := a.MainFlags
	if names == nil {
		names = []string{rootFlag, "config", "profile", "read-only", "http", "no-token", "audit", "log-level"}
		for _, f := range allFlags(a.ownFlags()) {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	var found []*flag.Flag
	for _, name := range names {
		if f := flags.Lookup(name); f != nil && len(found) < maxMainFlags {
			found = append(found, explainAlias(flags, f))
		}
	}
	return found
}

// explainAlias returns a flag that is "the same as" another one with the meaning of that one.
func explainAlias(flags *flag.FlagSet, f *flag.Flag) *flag.Flag {
	name, alias := strings.CutPrefix(f.Usage, "the same as -")
	target := flags.Lookup(name)
	if !alias || target == nil {
		return f
	}
	explained := *target
	explained.Name = f.Name
	return &explained
}

// checkMainFlags returns an error if MainFlags has too many names, or a name of no flag.
func (a *App) checkMainFlags() error {
	if len(a.MainFlags) > maxMainFlags {
		return fmt.Errorf("%d names in MainFlags, of at most %d", len(a.MainFlags), maxMainFlags)
	}
	flags := a.serveFlagSet()
	for _, name := range a.MainFlags {
		if flags.Lookup(name) == nil {
			return fmt.Errorf("there is no flag -%s, which MainFlags names", name)
		}
	}
	return nil
}

// ownFlags returns the flags that the program declares itself.
func (a *App) ownFlags() *flag.FlagSet {
	flags := flag.NewFlagSet(a.Name, flag.ContinueOnError)
	if a.Flags != nil {
		a.Flags(flags)
	}
	if a.Settings != nil {
		a.Settings.Flags(flags)
	}
	return flags
}

// flagRows returns one row for each flag: the flag with the name of its value, and its
// meaning with its default.
func flagRows(flags []*flag.Flag) [][2]string {
	var rows [][2]string
	for _, f := range flags {
		plain := *f
		if r, ok := f.Value.(*recorder); ok {
			plain.Value = r.Value
		}
		value, usage := flag.UnquoteUsage(&plain)
		if !slices.Contains([]string{"", "0", "false", "0s"}, f.DefValue) && !strings.Contains(usage, "(default") {
			usage += " (default " + f.DefValue + ")"
		}
		rows = append(rows, [2]string{strings.TrimSpace("-" + f.Name + " " + value), usage})
	}
	return rows
}

// unknownCommand reports a command that does not exist, below the help.
func (a *App) unknownCommand(name string) error {
	a.usage(a.Stderr)
	fmt.Fprintln(a.Stderr)
	var names []string
	for _, c := range a.commands() {
		names = append(names, c.name)
	}
	return a.usageError(fmt.Errorf("there is no command %q%s", name, didYouMean(name, names, "")))
}
