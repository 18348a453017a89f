package editor

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
)

// openSandbox makes the sandbox that commands, builds, debuggers, language servers and formatters run in.
func (s *service) openSandbox(ctx context.Context, log *slog.Logger, o *options) (err error) {
	c := s.config.Commands
	wanted := commandsandbox.Settings{Mode: sandbox.Mode(c.Sandbox), Network: sandbox.Network(c.Network), Read: c.Read, Write: c.Write, Sockets: c.Sockets}
	if c.Confine {
		wanted.Mode = sandbox.On
	}
	files := commandsandbox.Files{Protected: []string{o.configFile}}
	if path := s.config.LogPath; path != noLog {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.root.Dirs()[0], path)
		}
		files.Hidden = []string{path + "*"} // older files have a longer name
	}
	s.sandbox, err = wanted.Open(ctx, s.root, o.helper, files, log)
	return err
}

// rights says for models that there is no sandbox.
func (s *service) rights() string {
	if s.sandbox.Active() {
		return ""
	}
	return " There is no sandbox: commands, language servers and formatters run with all rights of the user."
}
