// Package serverinstaller is the commands install-server and uninstall-server of programs with language servers. They install
// recipes of package serverinstall into the user's cache, after a question on the terminal.
package serverinstaller

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/editor/serverinstall"
)

const (
	installName   = "install-server"
	uninstallName = "uninstall-server"
)

// InstallCommand returns a function that returns the command line of a program that installs a language server, for advice. It is
// empty for a server without a recipe. See headless.Options.
func InstallCommand(program string) func(server string) string {
	return func(server string) string {
		for _, r := range serverinstall.Recipes() {
			if slices.Contains(r.Servers, server) {
				return program + " " + installName + " " + server
			}
		}
		return ""
	}
}

// Commands returns the commands.
func Commands() []app.Command {
	var yes, unpinned bool
	return []app.Command{{
		Name: installName, Args: "[LANGUAGE | SERVER…]", Anywhere: true,
		Summary: "install language servers into your cache, after a question; without arguments, list those that can be installed",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&yes, "yes", false, "install without a question, for scripts")
			flags.BoolVar(&unpinned, "unpinned", false, "with -yes, also install servers without known checksums")
		},
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			if flags.NArg() == 0 {
				return list(a.Stdout, newInstaller(a))
			}
			recipes, err := find(flags.Args())
			if err != nil {
				return fmt.Errorf("%w; \"%s %s\" lists all", err, a.Name, installName)
			}
			return install(ctx, a, newInstaller(a), recipes, consent{yes, unpinned})
		},
	}, {
		Name: uninstallName, Args: "LANGUAGE | SERVER…", Anywhere: true,
		Summary: "remove language servers that " + installName + " has installed",
		Run: func(ctx context.Context, a *app.App, flags *flag.FlagSet) error {
			if flags.NArg() == 0 {
				return app.UsageErrorf("name a language or a server; \"%s %s\" lists them", a.Name, installName)
			}
			return uninstall(ctx, a, newInstaller(a), flags.Args())
		},
	}}
}

// newInstaller returns an Installer that starts no program of the project.
func newInstaller(a *app.App) *serverinstall.Installer {
	i := &serverinstall.Installer{Progress: a.Progress}
	for _, dir := range append(a.ProjectDirs(), ".") {
		// In the home directory the programs of the user are no programs of a project.
		if projectfile.Accepts(dir) {
			i.Project = append(i.Project, dir)
		}
	}
	return i
}

// find returns the recipes with the names, each one once.
func find(names []string) ([]serverinstall.Recipe, error) {
	var recipes []serverinstall.Recipe
	for _, name := range names {
		r, err := serverinstall.Find(name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(recipes, func(known serverinstall.Recipe) bool { return known.Name == r.Name }) {
			recipes = append(recipes, r)
		}
	}
	return recipes, nil
}

// list prints the recipes and the installed versions.
func list(w io.Writer, i *serverinstall.Installer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SERVER\tLANGUAGES\tWITH\tVERSION\tINSTALLED")
	for _, r := range serverinstall.Recipes() {
		state := ""
		if installed, ok := i.Installed(r); ok {
			state = installed.Version
		}
		client := string(r.Client)
		if r.Unpinned {
			client += ", not pinned"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", strings.Join(r.Servers, ", "), strings.Join(r.Languages, ", "), client, r.Version, state)
	}
	return table.Flush()
}

// consent is the consent of the command line.
type consent struct{ yes, unpinned bool }

// install asks, and installs the recipes. An error of one recipe does not keep the others from being installed.
func install(ctx context.Context, a *app.App, i *serverinstall.Installer, recipes []serverinstall.Recipe, c consent) error {
	recipes = slices.DeleteFunc(recipes, func(r serverinstall.Recipe) bool {
		installed, ok := i.Installed(r)
		if ok = ok && installed.Version == r.Version; ok {
			fmt.Fprintf(a.Stdout, "%s is installed already.\n", r.Title())
		}
		return ok
	})
	if len(recipes) == 0 {
		return nil
	}
	if err := ask(a, i, recipes, c); err != nil {
		return err
	}
	var failed []error
	for _, r := range recipes {
		result, err := i.Install(ctx, r)
		a.Progress("")
		if err != nil {
			if failed = append(failed, err); ctx.Err() != nil {
				break
			}
			continue
		}
		fmt.Fprintf(a.Stdout, "%s %s is installed: %s\n", r.Name, result.Version, result.Programs[r.Programs[0]])
	}
	return errors.Join(failed...)
}

// ask shows the packages and their checks, and asks for consent.
func ask(a *app.App, i *serverinstall.Installer, recipes []serverinstall.Recipe, c consent) error {
	unpinned := slices.IndexFunc(recipes, func(r serverinstall.Recipe) bool { return r.Unpinned })
	if unpinned >= 0 && c.yes && !c.unpinned {
		return fmt.Errorf("%s has no known checksums; add -unpinned to install it without a question", recipes[unpinned].Name)
	}
	var checks []string
	for _, r := range recipes {
		fmt.Fprintf(a.Stderr, "%s (%s): %s, with %s\n", r.Name, strings.Join(r.Languages, ", "), strings.TrimSpace(r.Package+" "+r.Version), r.Client)
		if check := r.Check(); !slices.Contains(checks, check) {
			checks = append(checks, check)
		}
	}
	for _, check := range checks {
		fmt.Fprintf(a.Stderr, "  %s\n", check)
	}
	if c.yes {
		return nil
	}
	dir, err := i.CacheDir()
	if err != nil {
		return err
	}
	if err := a.Confirm("Install into " + dir + "?"); err != nil {
		return fmt.Errorf("nothing was installed: %w", err)
	}
	return nil
}

// uninstall removes servers.
func uninstall(ctx context.Context, a *app.App, i *serverinstall.Installer, names []string) error {
	recipes, err := find(names)
	if err != nil {
		return err
	}
	for _, r := range recipes {
		err := i.Uninstall(ctx, r)
		a.Progress("")
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("%s is not installed by this program", r.Name)
		case err != nil:
			return err
		}
		fmt.Fprintf(a.Stdout, "%s is removed.\n", strings.Join(r.Servers, ", "))
	}
	return nil
}
