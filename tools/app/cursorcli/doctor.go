package cursorcli

import (
	"context"
	"io"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
)

// checks look at the directories that the settings and the flags name, and at the sandbox. An error of the settings is a check of the App.
func (p *program) checks(ctx context.Context, a *app.App) []app.Check {
	v, err := openService(ctx, &p.options, p.settings, false, io.Discard)
	if err != nil {
		return nil
	}
	var roots []string
	for _, dir := range v.at.dirs {
		roots = append(roots, dir.name)
	}
	all := a.CheckRoots(roots, v.at.readOnly)
	for _, dir := range directories(v.loaded.Config, v.at)[len(roots):] {
		all = append(all, app.CheckDirectory("allowed directory", dir.name, !v.at.readOnly))
	}
	if dir, ok := security.DefaultStateDir(); ok && !v.at.readOnly {
		all = append(all, app.CheckState("lock files", dir))
	}
	all = append(all, commandsandbox.Check(v.lasting.sandbox)...)
	if err := v.close(ctx); err != nil {
		all = append(all, app.Check{Name: "ending", Status: app.Warning, Detail: err.Error()})
	}
	return all
}
