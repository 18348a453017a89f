package cursorcli

import (
	"context"
	"errors"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/app/internal/serverlist"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// serversCommand lists the language servers that the code tools would use in the directories of the command line.
func (p *program) serversCommand() app.Command {
	return serverlist.Command(func(context.Context) (*headless.Headless, func(context.Context) error, error) {
		var dirs []string
		for _, dir := range p.options.surroundings().dirs {
			dirs = append(dirs, dir.name)
		}
		root, err := security.OpenRoot(security.RootOptions{Dirs: dirs, ReadOnly: true})
		if err != nil {
			return nil, nil, err
		}
		h := headless.New(root, headless.Options{InstallCommand: serverinstaller.InstallCommand(programName)})
		return h, func(ctx context.Context) error { return errors.Join(h.Close(ctx), root.Close()) }, nil
	})
}
