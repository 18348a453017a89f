package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/dougu-go/dougu/examples/internal/commandsandbox"
	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/tools/debug"
)

// checks look at the project, the editors and the language servers.
func (o *options) checks(ctx context.Context, a *cli.App) []cli.Check {
	c, err := o.load()
	if err != nil {
		return []cli.Check{{Name: "settings", Status: cli.Broken, Detail: err.Error(), Next: "Correct the flags, the environment or the file."}}
	}
	all := a.CheckRoots([]string{c.ProjectRoot}, o.readOnly)
	s, err := openService(ctx, o, purpose{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, cli.Check{Name: "server", Status: cli.Broken, Detail: cli.Explain(err), Next: "Correct what the message names."})
	}
	for _, e := range s.editors {
		state := e.State()
		check := cli.Check{Name: e.Name(), Status: cli.OK, Detail: state.Detail}
		if !state.Running {
			check.Status, check.Next = cli.Unused, state.Start
		}
		all = append(all, check)
	}
	all = append(all, s.checkLanguages(ctx)...)
	all = append(all, commandsandbox.Check(s.sandbox)...)
	all = append(all, s.checkDebuggers(ctx)...)
	if err := s.close(ctx); err != nil {
		all = append(all, cli.Check{Name: "ending", Status: cli.Warning, Detail: err.Error()})
	}
	return all
}

// checkLanguages tells for each language of the project which language server looks at its files, and how to get a missing one.
func (s *service) checkLanguages(ctx context.Context) []cli.Check {
	languages, err := s.headless.Languages(ctx)
	if err != nil {
		return []cli.Check{{Name: "languages", Status: cli.Warning, Detail: cli.Explain(err), Next: "Correct what the message names."}}
	}
	var all []cli.Check
	for _, l := range languages {
		files := fmt.Sprintf("%d files", l.Files)
		if l.Files == 1 {
			files = "1 file"
		}
		check := cli.Check{Name: l.Language, Status: cli.OK, Detail: fmt.Sprintf("%s: %s", files, strings.Join(l.Servers, ", "))}
		if len(l.Servers) == 0 {
			check.Status, check.Detail, check.Next = cli.Warning, fmt.Sprintf("of %s only the syntax is checked: %s", files, l.Missing), l.Next
		}
		all = append(all, check)
	}
	return all
}

// checkDebuggers looks for the debuggers, where they are asked for.
func (s *service) checkDebuggers(ctx context.Context) []cli.Check {
	if s.debugger == nil {
		return []cli.Check{{Name: "debuggers", Status: cli.Unused, Detail: "debugging is turned off", Next: "To debug, add -debug."}}
	}
	var all []cli.Check
	installed := s.debugger.Installed(ctx)
	for _, a := range debug.DefaultAdapters() {
		check := cli.Check{Name: a.Name, Status: cli.OK, Detail: installed[a.Name]}
		if installed[a.Name] == "" {
			check.Status, check.Detail, check.Next = cli.Unused, "it is not installed", a.Install
		}
		all = append(all, check)
	}
	return all
}
