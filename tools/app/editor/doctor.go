package editor

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/app/internal/editorplugin"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// checks look at the project, the editors and the language servers.
func (o *options) checks(ctx context.Context, a *app.App) []app.Check {
	c, err := o.load()
	if err != nil {
		return []app.Check{{Name: "settings", Status: app.Broken, Detail: err.Error(), Next: "Correct the flags, the environment or the file."}}
	}
	all := a.CheckRoots([]string{c.ProjectRoot}, o.readOnly)
	s, err := openService(ctx, o, app.Start{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, app.Check{Name: "server", Status: app.Broken, Detail: app.Explain(err), Next: "Correct what the message names."})
	}
	for _, e := range s.editors {
		state := e.State()
		check := app.Check{Name: e.Name(), Status: app.OK, Detail: state.Detail}
		if !state.Running {
			check.Status, check.Next = app.Unused, state.Start
		}
		all = append(all, check)
	}
	all = append(all, editorplugin.Checks(ctx, a, version)...)
	all = append(all, s.checkLanguages(ctx)...)
	all = append(all, commandsandbox.Check(s.sandbox)...)
	all = append(all, s.checkDebuggers(ctx)...)
	if err := s.close(ctx); err != nil {
		all = append(all, app.Check{Name: "ending", Status: app.Warning, Detail: err.Error()})
	}
	return all
}

// checkLanguages tells for each language of the project which language servers are installed, and how to get a missing one.
func (s *service) checkLanguages(ctx context.Context) []app.Check {
	languages, err := s.headless.Languages(ctx, false)
	if err != nil {
		return []app.Check{{Name: "languages", Status: app.Warning, Detail: app.Explain(err), Next: "Correct what the message names."}}
	}
	var all []app.Check
	for _, l := range languages {
		files := plural.Count(l.Files, "file")
		var found []string
		for _, server := range l.Servers {
			if server.Availability == headless.Found {
				found = append(found, fmt.Sprintf("%s (%s)", strings.TrimSpace(server.Name+" "+server.Version), server.Program))
			}
		}
		check := app.Check{Name: l.Language, Status: app.OK, Detail: files + ": " + strings.Join(found, ", ")}
		if len(found) == 0 {
			if l.Optional {
				continue
			}
			problem := l.Problem()
			check.Status, check.Detail, check.Next = app.Warning, fmt.Sprintf("only the syntax of %s is checked: %s", files, problem.Reason), problem.Next
		}
		all = append(all, check)
	}
	return all
}

// checkDebuggers looks for the debuggers, where they are asked for.
func (s *service) checkDebuggers(ctx context.Context) []app.Check {
	if s.debugger == nil {
		return []app.Check{{Name: "debuggers", Status: app.Unused, Detail: "debugging is turned off", Next: "To debug, add -debug."}}
	}
	var all []app.Check
	installed := s.debugger.Installed(ctx)
	for _, a := range debug.DefaultAdapters() {
		check := app.Check{Name: a.Name, Status: app.OK, Detail: installed[a.Name]}
		if installed[a.Name] == "" {
			check.Status, check.Detail, check.Next = app.Unused, "it is not installed", a.Install
		}
		all = append(all, check)
	}
	return all
}
