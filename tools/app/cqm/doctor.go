package cqm

import (
	"context"
	"log/slog"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
)

// checks look at the project, the settings, the plugins and the index.
func (p *program) checks(ctx context.Context, a *app.App) []app.Check {
	all := a.CheckRoots([]string{p.Project()}, true)
	s, err := searchservice.Open(ctx, p.Options, searchservice.Purpose{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return append(all, app.Check{Name: "settings", Status: app.Broken, Detail: app.Explain(err), Next: "Correct the files of settings, the environment or the flags; \"cqm config\" shows them."})
	}
	l := s.Loaded()
	settings := app.Check{Name: "settings", Status: app.OK, Detail: "defaults; there is no " + l.Files[len(l.Files)-1]}
	if len(l.Found) > 0 {
		settings.Detail = l.Found[len(l.Found)-1] + " is understood"
	}
	all = append(all, settings)
	for _, warning := range l.Warnings {
		all = append(all, app.Check{Name: "plugins", Status: app.Warning, Detail: warning, Next: "Without it, the tools that need it return an error."})
	}
	if err := s.Unkept(); err != nil {
		all = append(all, app.Check{
			Name: "index", Status: app.Warning, Detail: "in memory alone: " + err.Error(),
			Next: "Make the cache directory writable, or name another directory with -index-path; until then each start reads the project again.",
		})
	}
	if s.Kept() != "" {
		all = append(all, app.CheckState("index", s.Kept()))
	}
	if err := s.Close(ctx); err != nil {
		all = append(all, app.Check{Name: "ending", Status: app.Warning, Detail: err.Error()})
	}
	return all
}
