package cursorcli

import (
	"context"
	"fmt"
	"io"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
)

// checks look at the settings, and at the directories that they and the flags
// name.
func (p *program) checks(ctx context.Context, a *app.App) []app.Check {
	v, err := openService(ctx, &p.options, p.settings, false, io.Discard)
	if err != nil {
		return []app.Check{{Name: "settings", Status: app.Broken, Detail: err.Error(), Next: "Correct the flags."}}
	}
	all := v.checkSettings()
	var roots []string
	for _, dir := range v.at.dirs {
		roots = append(roots, dir.name)
	}
	all = append(all, a.CheckRoots(roots, v.at.readOnly)...)
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

// checkSettings is a check for each problem with the settings, or one that there
// are none.
func (v *service) checkSettings() []app.Check {
	var all []app.Check
	for _, problem := range v.loaded.Problems() {
		all = append(all, app.Check{
			Name: "settings", Status: app.Warning, Detail: problem.Error(),
			Next: fmt.Sprintf("Correct it; \"cursorcli config\" shows what is in force, and docs/configuration.md what is allowed in %s.", settingsFile),
		})
	}
	if len(all) == 0 {
		all = append(all, app.Check{Name: "settings", Status: app.OK, Detail: v.project.settingsPath() + ", the environment and the flags are understood"})
	}
	return all
}
