package app

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// completeName is the command that the scripts ask; people have no use for it.
const completeName = "__complete"

// What stands in the place of candidates where the shell knows them itself.
const (
	anyFile      = ":file"
	anyDirectory = ":directory"
)

var (
	//go:embed completion/bash
	bashScript string
	//go:embed completion/zsh
	zshScript string
	//go:embed completion/fish
	fishScript string
	//go:embed completion/powershell
	powershellScript string
)

func scripts() map[string]string {
	return map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powershellScript}
}

// completion prints what a shell reads to complete the program's command lines.
func (a *App) completion(_ context.Context, flags *flag.FlagSet) error {
	script, ok := scripts()[flags.Arg(0)]
	if !ok || flags.NArg() != 1 {
		fmt.Fprintf(a.Stderr, "%s: completion needs the name of a shell: %s\n", a.Name, strings.Join(slices.Sorted(maps.Keys(scripts())), ", "))
		return errUsage
	}
	_, err := fmt.Fprint(a.Stdout, strings.ReplaceAll(script, "PROGRAM", a.Name))
	return err
}

// complete prints what the last of the words can become, one candidate a line and
// after a tab what it is for.
func (a *App) complete(words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	if last := len(words) - 1; words[last] == `""` { // as PowerShell has it
		words[last] = ""
	}
	for _, c := range a.candidates(words[:len(words)-1], words[len(words)-1]) {
		text, about, _ := strings.Cut(c, "\t")
		if about = strings.Join(strings.Fields(about), " "); about == "" {
			fmt.Fprintln(a.Stdout, text)
		} else {
			fmt.Fprintf(a.Stdout, "%s\t%s\n", text, about)
		}
	}
}

func (a *App) candidates(before []string, word string) []string {
	name, rest := a.split(before)
	explicit := len(rest) < len(before)
	c, ok := a.command(name)
	if !ok {
		return nil
	}
	if i := slices.Index(before, "--"); i >= 0 && name == "install" {
		c, _ = a.command(serveName) // what follows are flags of the server
		before, explicit = before[i+1:], false
	}
	flags := a.flagSet(c)
	if len(before) > 0 {
		if f := findFlag(flags, before[len(before)-1]); f != nil && !isSwitch(f.Value) && !strings.Contains(before[len(before)-1], "=") {
			return filterPrefix(flagValues(f), word)
		}
	}
	switch {
	case strings.HasPrefix(word, "-"):
		return a.flagCandidates(flags, word)
	case !explicit && !slices.Contains(before, "--"):
		return filterPrefix(a.commandNames(), word)
	}
	return filterPrefix(a.operands(c), word)
}

// command is the one of a name.
func (a *App) command(name string) (command, bool) {
	all := a.commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

func (a *App) commandNames() []string {
	names := []string{"help\tshow the commands"}
	for _, c := range a.commands() {
		names = append(names, c.name+"\t"+c.summary)
	}
	return names
}

// flagCandidates are the flags that a word can become, or the values of the one
// that it names already. Flags are written with as many dashes as the word has.
func (a *App) flagCandidates(flags *flag.FlagSet, word string) []string {
	dashes := word[:len(word)-len(strings.TrimLeft(word, "-"))]
	if dashes == "" || len(dashes) > 2 {
		return nil
	}
	if name, value, whole := strings.Cut(word, "="); whole {
		f := findFlag(flags, name)
		if f == nil {
			return nil
		}
		all := filterPrefix(flagValues(f), value)
		for i, v := range all {
			if !strings.HasPrefix(v, ":") {
				all[i] = name + "=" + v
			}
		}
		return all
	}
	var all []string
	flags.VisitAll(func(f *flag.Flag) {
		if text := dashes + f.Name; strings.HasPrefix(text, word) {
			_, usage := flag.UnquoteUsage(f)
			all = append(all, text+"\t"+firstClause(usage))
		}
	})
	return all
}

// findFlag is the flag that an argument names, or nil.
func findFlag(flags *flag.FlagSet, arg string) *flag.Flag {
	if !strings.HasPrefix(arg, "-") {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	return flags.Lookup(name)
}

// flagValues are the values that a flag may have, as far as it is known.
func flagValues(f *flag.Flag) []string {
	value := f.Value
	if r, ok := value.(*recorder); ok {
		value = r.Value
	}
	if c, ok := value.(interface{ Choices() []string }); ok && len(c.Choices()) > 0 {
		return c.Choices()
	}
	kind, _ := flag.UnquoteUsage(f)
	switch {
	case isSwitch(f.Value):
		return []string{"true", "false"}
	case f.Name == "log-level":
		return []string{"debug", "info", "warn", "error"}
	case strings.HasPrefix(kind, "director"):
		return []string{anyDirectory}
	case kind == "file" || kind == "path" || kind == "program":
		return []string{anyFile}
	}
	return nil
}

// operands are what a command can be given beside flags.
func (a *App) operands(c command) []string {
	switch {
	case c.name == "install":
		var names []string
		for _, client := range clientconfig.All() {
			names = append(names, client.Name+"\t"+client.Title)
		}
		return names
	case c.name == "completion":
		return slices.Sorted(maps.Keys(scripts()))
	case strings.Contains(c.args, "FILE"):
		return []string{anyFile}
	case strings.Contains(c.args, "DIRECTORY"):
		return []string{anyDirectory}
	}
	return nil
}

// filterPrefix are the candidates that a word can become.
func filterPrefix(all []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !strings.HasPrefix(c, ":") && !strings.HasPrefix(c, word) })
}

// firstClause is what a usage says before its first pause.
func firstClause(usage string) string {
	usage, _, _ = strings.Cut(usage, "; ")
	usage, _, _ = strings.Cut(usage, " (default")
	return usage
}

// choice is the value of a flag that has some values to choose from.
type choice struct {
	flag.Value
	values []string
}

// String implements flag.Value, whose zero value must have one too.
func (c *choice) String() string {
	if c.Value == nil {
		return ""
	}
	return c.Value.String()
}

// Choices are the values that a shell offers.
func (c *choice) Choices() []string { return c.values }

// Choices says which values of a flag that is declared a shell is to offer. What
// the flag takes is not changed.
func Choices(flags *flag.FlagSet, name string, values ...string) {
	f := flags.Lookup(name)
	f.Value = &choice{f.Value, values}
}
