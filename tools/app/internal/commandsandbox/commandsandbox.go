// Package commandsandbox opens the sandbox in which programs run the commands, builds and debuggers of a project.
package commandsandbox

import (
	"context"
	"flag"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
)

// Settings are the user's choices. The zero value is a sandbox where the system has one, with the network of the machine.
type Settings struct {
	Mode    sandbox.Mode
	Network sandbox.Network
	// Read, Write and Sockets are absolute paths, as in sandbox.Options.
	Read, Write, Sockets []string
}

// Flags declares a flag for each setting.
func (s *Settings) Flags(flags *flag.FlagSet) {
	flags.StringVar((*string)(&s.Mode), "commands-sandbox", string(sandbox.Auto), "`mode` of the sandbox for commands, in which they can change the project alone: auto for one where the system has it, on to refuse to start without, or off; Linux alone")
	app.Choices(flags, "commands-sandbox", string(sandbox.Auto), string(sandbox.On), string(sandbox.Off))
	flags.StringVar((*string)(&s.Network), "commands-network", string(sandbox.NetworkOn), "`network` of commands in the sandbox: on for that of the machine, loopback for one of each command's own, or off")
	app.Choices(flags, "commands-network", string(sandbox.NetworkOn), string(sandbox.NetworkLoopback), string(sandbox.NetworkOff))
	flags.Var((*app.List)(&s.Read), "commands-read", "another `path`, absolute, that commands in the sandbox can read; may be given several times")
	flags.Var((*app.List)(&s.Write), "commands-write", "another `path`, absolute, that commands in the sandbox can change, such as a shared cache; may be given several times")
	flags.Var((*app.List)(&s.Sockets), "commands-socket", "a Unix `socket`, absolute, that commands in the sandbox can connect to, such as that of an ssh agent; may be given several times")
}

// Files are files of the program itself, by paths that are absolute or relative to the working directory. Empty names are left out.
type Files struct {
	// Hidden do not exist for commands, even if they lie in the project. A name may end in a wildcard.
	Hidden []string
	// Protected can be read by commands, and not changed.
	Protected []string
}

// Open makes the sandbox for the directories of root, and logs its guarantees. A root that is a whole file system has no sandbox.
func (s Settings) Open(ctx context.Context, root *security.Root, helper sandbox.Helper, files Files, log *slog.Logger) (*sandbox.Sandbox, error) {
	o := sandbox.Options{
		Mode: s.Mode, Network: s.Network, Read: s.Read, Write: s.Write, Sockets: s.Sockets,
		Helper: helper, Dirs: root.Dirs(), ReadOnly: root.ReadOnly(), Protected: sandbox.DefaultProtected(),
	}
	if dir, ok := root.ProjectCacheDir("sandbox"); ok {
		o.StateDir = dir
	}
	if slices.ContainsFunc(o.Dirs, func(dir string) bool { return dir == filepath.Dir(dir) }) {
		log.WarnContext(ctx, "commands run without a sandbox, since the server may use a whole file system")
		o.Mode = sandbox.Off
	}
	for _, name := range files.Hidden {
		if path, err := filepath.Abs(name); err == nil && name != "" {
			o.Hidden = append(o.Hidden, path)
		}
	}
	for _, name := range files.Protected {
		path, err := filepath.Abs(name)
		if err != nil || name == "" {
			continue
		}
		for _, dir := range o.Dirs {
			if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
				o.Protected = append(o.Protected, rel)
			}
		}
	}
	made, err := sandbox.New(ctx, o)
	if err != nil {
		return nil, err
	}
	status := made.Status()
	level := slog.LevelInfo
	if status.Kind == sandbox.None && o.Mode != sandbox.Off {
		level = slog.LevelWarn
	}
	log.Log(ctx, level, "commands", slog.String("sandbox", string(status.Kind)), slog.String("reason", status.Reason), slog.Any("holds", status.Holds), slog.Any("lacks", status.Lacks))
	if status.Unkept != "" {
		log.WarnContext(ctx, "the caches of commands end with this server", slog.String("error", status.Unkept))
	}
	return made, nil
}

// Check tells doctor of the sandbox. It may be nil: then there is no check, since no commands are offered.
func Check(s *sandbox.Sandbox) []app.Check {
	if s == nil {
		return nil
	}
	check := app.Check{Name: "sandbox", Status: app.OK, Detail: s.Status().String() + "; so do builds, debuggers, language servers and formatters"}
	switch {
	case !s.Active():
		check.Status = app.Unused
	case s.Status().Unkept != "":
		check.Status, check.Next = app.Warning, "Make the cache directory writable; until then caches of commands end with each server."
	}
	return []app.Check{check}
}
