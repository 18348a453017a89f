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

// completeName is a hidden command that the completion scripts call.
const completeName = "__complete"

// Placeholders in place of candidates: the shell completes files and directories itself.
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

// completion is the command completion: it prints the completion script of a shell.
func (a *App) completion(_ context.Context, flags *flag.FlagSet) error {
	script, ok := scripts()[flags.Arg(0)]
	if !ok || flags.NArg() != 1 {
		return a.usageError(fmt.Errorf("completion needs the name of a shell: %s", strings.Join(slices.Sorted(maps.Keys(scripts())), ", ")))
	}
	_, err := fmt.Fprint(a.Stdout, strings.ReplaceAll(script, "PROGRAM", a.Name))
	return err
}

// complete prints the candidates for the last word, one a line: the text, then optionally a
// tab and a description.
func (a *App) complete(words []string) {
	if len(words) == 0 {
		words = []string{""}
	}
	// PowerShell passes an empty word as two quotes.
	if last := len(words) - 1; words[last] == `""` {
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
	if name == helpName {
		return filterPrefix(append(a.commandNames(), helpFlags+"\tlist all flags"), word)
	}
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
	case strings.HasPrefix(word, "-") && (c.passesOn || !slices.Contains(before, "--")):
		return a.flagCandidates(flags, word)
	case !explicit && !slices.Contains(before, "--"):
		return filterPrefix(a.commandNames(), word)
	}
	return filterPrefix(a.operands(c), word)
}

// command returns the command with a name, and whether it exists.
func (a *App) command(name string) (command, bool) {
	all := a.commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		return command{}, false
	}
	return all[i], true
}

func (a *App) commandNames() []string {
	names := []string{helpName + "\tshow the commands"}
	for _, c := range a.commands() {
		names = append(names, c.name+"\t"+c.summary)
	}
	return names
}

// flagCandidates returns the flags that begin with word, or the values of a flag if word
// contains "=". Candidates have as many dashes as word.
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

// findFlag returns the flag that an argument names, or nil.
func findFlag(flags *flag.FlagSet, arg string) *flag.Flag {
	if !strings.HasPrefix(arg, "-") {
		return nil
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
	return flags.Lookup(name)
}

// flagValues returns the possible values of a flag, or a placeholder for files or
// directories. It returns nil if the values are unknown.
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

// operands returns candidates for the arguments of a command that are not flags.
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

// filterPrefix returns the candidates that begin with word. Placeholders are always kept.
func filterPrefix(all []string, word string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(c string) bool { return !strings.HasPrefix(c, ":") && !strings.HasPrefix(c, word) })
}

// firstClause returns a flag's help up to the first semicolon or default.
func firstClause(usage string) string {
	usage, _, _ = strings.Cut(usage, "; ")
	usage, _, _ = strings.Cut(usage, " (default")
	return usage
}

// choice is a flag value with a list of suggestions for shells.
type choice struct {
	flag.Value
	values []string
}

// String implements flag.Value. Package flag also calls it on the zero value.
func (c *choice) String() string {
	if c.Value == nil {
		return ""
	}
	return c.Value.String()
}

// Choices returns the values that a shell suggests.
func (c *choice) Choices() []string { return c.values }

// Choices sets the values that shells suggest for a declared flag. It does not restrict the
// values that the flag accepts. It panics if the flag is not declared.
func Choices(flags *flag.FlagSet, name string, values ...string) {
	f := flags.Lookup(name)
	f.Value = &choice{f.Value, values}
}
