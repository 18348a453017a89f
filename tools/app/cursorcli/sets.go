package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/editor/neovim"
	"github.com/dougu-go/dougu/tools/editor/vscode"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// working is the tool set for files and editors, together with its Root.
type working struct {
	// Editor also notifies the server when its tools change.
	*editor.Editor
	files *fs.Files
	root  *security.Root
}

// Features implements tools.Set.
func (w working) Features() mcp.Features {
	return mcp.Features{Tools: append(w.files.Features().Tools, w.Editor.Features().Tools...)}
}

// Close implements tools.Set.
func (w working) Close(ctx context.Context) error {
	return errors.Join(w.files.Close(ctx), w.Editor.Close(ctx), w.root.Close())
}

// sets makes the tool sets that follow the settings. told receives the settings that
// get_project_info returns; the caller may fill it until the tools are installed.
func (v *service) sets(l *config.Loaded[Config], told map[string]any) ([]tools.Set, error) {
	if err := v.checkStatsFile(l); err != nil {
		return nil, err
	}
	c := l.Config
	env := tools.Env{Log: v.logging.log, Seen: v.seen, Limits: v.limits(c), Audit: v.options.start.Audit}
	measuring, err := telemetry.New(env, telemetry.Options{
		Server: identity(c), Recorder: v.recorder, Model: telemetry.ModelInfo{Name: v.options.model},
		OnlyKnownModel: v.options.profile != profileStrict, Environment: v.options.variable, Prices: v.prices, StatsFile: v.options.statsFile,
	})
	if err != nil {
		return nil, err
	}
	working, err := v.working(c, env, told)
	if err != nil {
		return nil, errors.Join(err, measuring.Close(context.Background()))
	}
	return []tools.Set{working, measuring}, nil
}

// limits returns the limits of files and answers. The tools of the specification cannot continue a long answer, so that
// theirs have up to 10 MB.
func (v *service) limits(c Config) tools.Limits {
	l := tools.Limits{MaxFile: c.Tools.FileOperations.MaxFileSize}
	if v.options.profile == profileStrict {
		l.Answer = tools.Limits{}.WithDefaults().MaxAnswer
	}
	return l
}

func (v *service) working(c Config, env tools.Env, told map[string]any) (tools.Set, error) {
	root, err := v.openRoot(c)
	if err != nil {
		return nil, err
	}
	env.Root = root
	files, err := fs.New(env, fs.Options{
		AllowDestructive: c.Security.AllowDestructiveOperations,
		Project:          fs.Project{Settings: told, Toolsets: []string{"fs", "editor", "telemetry"}},
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	code, err := v.editor(env)
	if err != nil {
		return nil, errors.Join(err, files.Close(context.Background()), root.Close())
	}
	return working{code, files, root}, nil
}

// openRoot opens the directories that tools may use.
func (v *service) openRoot(c Config) (*security.Root, error) {
	var dirs []string
	for _, dir := range directories(c, v.at) {
		dirs = append(dirs, dir.name)
	}
	return security.OpenRoot(security.RootOptions{
		Dirs: dirs, ReadOnly: v.options.readOnly, RemovedInState: true, Audit: v.options.start.Audit, Logger: v.logging.log,
		Blocked: append(security.DefaultBlocked(), c.Tools.FileOperations.BlockedPatterns...),
	})
}

// editor makes the tools for running editors, and in some profiles for language servers
// without an editor.
func (v *service) editor(env tools.Env) (*editor.Editor, error) {
	adapters, err := v.additionalEditors(env)
	if err != nil {
		return nil, err
	}
	adapters = append(adapters,
		vscode.New(vscode.Options{Root: env.Root.Dirs()[0], Dirs: env.Root.Dirs()[1:], Name: "cursorcli", Version: version, Log: env.Log}),
		neovim.New(neovim.Options{Root: env.Root.Dirs()[0], Dirs: env.Root.Dirs()[1:], Log: env.Log}),
	)
	if v.startsPrograms() {
		adapters = append(adapters, headless.New(env.Root, headless.Options{
			InstallCommand: serverinstaller.InstallCommand(programName),
			Sandbox:        v.persistent.sandbox, MaxMemory: v.options.maxServerMemory(), MemoryFlag: "-language-server-memory", Log: env.Log,
		}))
	}
	var shared []*security.Root
	if v.persistent.root != nil {
		shared = append(shared, v.persistent.root)
	}
	return editor.New(context.Background(), env, editor.Options{
		Adapters: adapters, Shared: shared, Syntax: v.persistent.syntax, Parsers: v.persistent.parsers,
		OnlyCovered: slices.Contains([]string{profileCoding, profileBeside, profileAll}, v.options.profile),
	})
}

// additionalEditors opens the adapters in Options, in the order of their names.
func (v *service) additionalEditors(env tools.Env) (all []adapter.Adapter, err error) {
	for _, name := range slices.Sorted(maps.Keys(v.options.adapters)) {
		a, err := v.options.adapters[name](env.Root, env.Log)
		if err == nil && a == nil {
			err = errors.New("the adapter is nil")
		}
		if err != nil {
			err = fmt.Errorf("opening the editor %s: %w", name, err)
			for _, opened := range all {
				err = errors.Join(err, opened.Close(context.Background()))
			}
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// checkStatsFile refuses a statistics file that tools could write to.
func (v *service) checkStatsFile(l *config.Loaded[Config]) error {
	if v.options.statsFile == "" || v.at.readOnly {
		return nil
	}
	name, err := filepath.Abs(v.options.statsFile)
	if err != nil {
		return fmt.Errorf("finding the file of statistics: %w", err)
	}
	if _, own := ownFile(v.at.project(), name); !own && writable(l.Config, v.at, name) {
		return fmt.Errorf("tools could write to the statistics in %s: name a file outside of their directories, or one in %s/", name, settingsDir)
	}
	return nil
}

func closeSets(sets []tools.Set) error {
	var failed []error
	for _, set := range sets {
		failed = append(failed, set.Close(context.Background()))
	}
	return errors.Join(failed...)
}
