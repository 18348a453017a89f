package cursorcli

import (
	"context"
	"io"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/config"
)

// inspection is a snapshot of a service that was opened for the command config or doctor,
// and closed again.
type inspection struct {
	at      surroundings
	loaded  *config.Loaded[Config]
	sandbox []app.Check
}

// inspect opens a service without serving and returns its settings, including the check of
// tool names. It keeps the inspection for checks.
func (p *program) inspect(ctx context.Context) (*config.Loaded[Config], error) {
	p.inspected = nil
	v, err := openService(ctx, &p.options, p.settings, false, io.Discard)
	if err != nil {
		return nil, err
	}
	p.inspected = &inspection{at: v.at, loaded: v.loaded, sandbox: commandsandbox.Check(v.persistent.sandbox)}
	return v.loaded, v.close(ctx)
}

// checks returns the checks of directories, state and sandbox, from the last inspection.
// Without an inspection it returns nil; the App reports the error.
func (p *program) checks(a *app.App) []app.Check {
	i := p.inspected
	if i == nil {
		return nil
	}
	var roots []string
	for _, dir := range i.at.dirs {
		roots = append(roots, dir.name)
	}
	all := a.CheckRoots(roots, i.at.readOnly)
	for _, dir := range directories(i.loaded.Config, i.at)[len(roots):] {
		all = append(all, app.CheckDirectory("allowed directory", dir.name, !i.at.readOnly))
	}
	if dir, ok := security.DefaultStateDir(); ok && !i.at.readOnly {
		all = append(all, app.CheckState("lock files", dir))
	}
	return append(all, i.sandbox...)
}
