package editorplugin

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
)

// arguments is the text of the help for the arguments of the commands.
const arguments = "[EDITOR…]"

// options are the flags of a command.
type options struct {
	yes, dryRun bool
	output      string // file for the extension, instead of an installation
}

// Commands returns the commands install-extension and uninstall-extension for a program of this version.
func Commands(version string) []app.Command {
	var install, uninstall options
	names := strings.Join(Names(), ", ")
	return []app.Command{
		{
			Name: "install-extension", Args: arguments, Anywhere: true,
			Summary: "install the extension of VS Code or the plugin of Neovim in these editors (" + names + "), or in all that are found",
			Flags: func(flags *flag.FlagSet) {
				install.flags(flags)
				flags.StringVar(&install.output, "output", "", "write the extension of VS Code to this .vsix `file`, for another machine, and install nothing")
			},
			Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
				if install.output != "" {
					return install.writeOutput(a, version, flags.Args())
				}
				return install.run(ctx, a, flags.Args(), installing(version))
			},
		},
		{
			Name: "uninstall-extension", Args: arguments, Anywhere: true,
			Summary: "remove the extension of VS Code or the plugin of Neovim from these editors, or from all that have it",
			Flags:   uninstall.flags,
			Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
				return uninstall.run(ctx, a, flags.Args(), uninstalling())
			},
		},
	}
}

// flags declares the flags of both commands.
func (o *options) flags(flags *flag.FlagSet) {
	*o = options{}
	flags.BoolVar(&o.yes, "yes", false, "do it without asking, for scripts")
	flags.BoolVar(&o.dryRun, "dry-run", false, "only show the steps")
}

// writeOutput writes the extension to the file of -output.
func (o *options) writeOutput(a *app.App, version string, names []string) error {
	if len(names) > 0 {
		return app.UsageErrorf("-output installs nothing, got the editors %q", names)
	}
	if o.dryRun {
		fmt.Fprintf(a.Stdout, "would write version %s to %s\n", version, o.output)
		return nil
	}
	if err := writeExtension(o.output, version); err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s has version %s. In VS Code, the command \"Extensions: Install from VSIX…\" installs it.\n", o.output, version)
	return nil
}

// action is an installation or its reverse.
type action struct {
	question string
	// plan returns the step for an editor with this version of the extension, or the reason why nothing is to be done.
	plan func(e Editor, version string) (step, nothing string)
	do   func(ctx context.Context, e Editor) error
	done func(e Editor) string // the result as sentences
}

func installing(version string) action {
	return action{
		question: "Install version " + version + "?",
		plan: func(e Editor, before string) (step, nothing string) {
			switch before {
			case version:
				return "", "version " + version + " is installed"
			case "":
				return e.Steps(version), ""
			}
			return e.Steps(version) + " (replaces version " + before + ")", ""
		},
		do:   func(ctx context.Context, e Editor) error { return e.Install(ctx, version) },
		done: func(e Editor) string { return "version " + version + " is installed. " + e.Reload() },
	}
}

func uninstalling() action {
	return action{
		question: "Remove it?",
		plan: func(e Editor, before string) (step, nothing string) {
			if before == "" {
				return "", "it is not installed"
			}
			return "remove version " + before + ", by " + e.Where(), ""
		},
		do:   func(ctx context.Context, e Editor) error { return e.Uninstall(ctx) },
		done: func(Editor) string { return "it is removed." },
	}
}

// run shows the steps for the named editors, asks, and takes the steps. A failure in one editor does not keep it from the others.
func (o *options) run(ctx context.Context, a *app.App, names []string, act action) error {
	editors, failed, err := selectEditors(a, names)
	if err != nil {
		return err
	}
	fail := func(e Editor, err error) {
		failed = append(failed, fmt.Errorf("%s: %w", e.Title(), err))
	}
	var todo []Editor
	for _, e := range editors {
		a.Progress("asking " + e.Title() + " for its extensions")
		before, err := e.Version(ctx)
		if err != nil {
			fail(e, err)
			continue
		}
		step, nothing := act.plan(e, before)
		if nothing != "" {
			fmt.Fprintf(a.Stdout, "%s: %s\n", e.Title(), nothing)
			continue
		}
		fmt.Fprintf(a.Stdout, "%s: %s\n", e.Title(), step)
		todo = append(todo, e)
	}
	switch {
	case len(todo) == 0:
		return errors.Join(failed...)
	case o.dryRun:
		fmt.Fprintln(a.Stdout, "Nothing was done: these are the steps without -dry-run.")
		return errors.Join(failed...)
	case !o.yes:
		if err := a.Confirm(act.question); err != nil {
			return errors.Join(append(failed, fmt.Errorf("nothing was done: %w", err))...)
		}
	}
	for _, e := range todo {
		a.Progress("waiting for " + e.Title())
		if err := act.do(ctx, e); err != nil {
			fail(e, err)
			continue
		}
		fmt.Fprintf(a.Stdout, "%s: %s\n", e.Title(), act.done(e))
	}
	return errors.Join(failed...)
}

// manualAdvice is the advice for an editor that was not found, after the name of the program.
const manualAdvice = "install-extension -output dougu.vsix writes a file for its command \"Extensions: Install from VSIX…\""

// selectEditors returns the editors with these names, or all that were found. missing has an error for each named editor that cannot
// be used.
func selectEditors(a *app.App, names []string) (chosen []Editor, missing []error, err error) {
	for _, name := range names {
		if _, ok := productOf(name); !ok {
			return nil, nil, app.UsageErrorf("there is no editor %.100q; the editors are %s", name, strings.Join(Names(), ", "))
		}
	}
	found, skipped := Machine{Environment: a.Machine(), Project: a.ProjectDirs()}.Find()
	if len(names) == 0 {
		for _, s := range skipped {
			fmt.Fprintf(a.Stderr, "%s is not used: %s. %s\n", s.Program, s.Reason, s.Next)
		}
		if len(found) == 0 && len(skipped) > 0 {
			return nil, nil, fmt.Errorf("none of the editors that were found can be used; %s %s", a.Name, manualAdvice)
		}
		if len(found) == 0 {
			return nil, nil, fmt.Errorf("no editor was found in PATH or in the usual places; the editors are %s; %s %s", strings.Join(Names(), ", "), a.Name, manualAdvice)
		}
		return found, nil, nil
	}
	for _, p := range catalogue {
		if !slices.Contains(names, p.name) {
			continue
		}
		if i := slices.IndexFunc(found, func(e Editor) bool { return e.Name() == p.name }); i >= 0 {
			chosen = append(chosen, found[i])
			continue
		}
		if i := slices.IndexFunc(skipped, func(s Skipped) bool { return s.Name == p.name }); i >= 0 {
			missing = append(missing, fmt.Errorf("%s is not used: %s. %s", skipped[i].Program, skipped[i].Reason, skipped[i].Next))
			continue
		}
		err := fmt.Errorf("%s was not found: its program %s is neither in PATH nor in the usual places; add its directory to PATH", p.title, p.command)
		if p.name != neovimName {
			err = fmt.Errorf("%w, or use a file: %s %s", err, a.Name, manualAdvice)
		}
		missing = append(missing, err)
	}
	return chosen, missing, nil
}
