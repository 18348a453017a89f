package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// instructions tell a model how to use the server as a whole.
const instructions = "Paths are relative to the project's root. Long answers are cut: they say so, and how to go on. " +
	"read_file gives a sha256 that write_file takes as expectedSha256, so that nobody else's change is overwritten."

// service is the server with everything that its settings have made of it.
type service struct {
	options  *options
	settings *settings
	stderr   io.Writer
	allowed  atomic.Pointer[[]string] // the tools that are listed; nil until they are known
	serves   bool                     // and does not only answer a person at the command line
	at       surroundings

	project  *project
	logging  *logging
	prices   *telemetry.Prices
	recorder *telemetry.Recorder
	server   *app.Server
	seen     *tools.Ledger // outlives changes of the settings

	lasting lasting

	mu        sync.Mutex // of a change of the settings
	loaded    *config.Loaded[Config]
	installed *tools.Installation

	unwatch  context.CancelFunc
	watching group.Group
}

// newService is a service that has opened nothing yet.
func newService(o *options, s *settings, serves bool, stderr io.Writer) *service {
	return &service{stderr: stderr, options: o, settings: s, serves: serves, recorder: telemetry.NewRecorder(), seen: new(tools.Ledger), logging: newLogging(stderr), unwatch: func() {}}
}

// openService opens what the flags name, and applies the settings. serves says
// that it may leave files behind, and follows changes.
func openService(ctx context.Context, o *options, s *settings, serves bool, stderr io.Writer) (_ *service, err error) {
	v := newService(o, s, serves, stderr)
	defer func() {
		if err != nil {
			err = errors.Join(err, v.close(context.WithoutCancel(ctx)))
		}
	}()
	if err := v.openFiles(); err != nil {
		return nil, err
	}
	data, reading := v.project.read()
	if serves {
		data, reading = v.generate(data, reading)
	}
	l, _ := v.load(data, reading)
	if err := v.openLasting(ctx, l.Config); err != nil {
		return nil, err
	}
	told := strings.Join(append([]string{instructions}, v.lasting.instructions...), " ")
	v.server = v.options.start.NewServer(identity(l.Config), &mcp.ServerOptions{Instructions: told, Log: v.logging.log, Extensions: v.lasting.extensions})
	if err := v.apply(l); err != nil {
		return nil, err
	}
	if serves {
		v.logging.log.Info("server ready", slog.String("project", v.project.dir()), slog.Int("tools", len(v.server.Tools())))
		v.watch(ctx, data, reading)
	}
	return v, nil
}

// openFiles opens what the flags name.
func (v *service) openFiles() (err error) {
	o := v.options
	if err := checkProfile(o.profile); err != nil {
		return err
	}
	dirs := []string(o.roots)
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	v.at = surroundings{allowOutside: o.allowOutside, readOnly: o.readOnly}
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("finding the directory %s: %w", dir, err)
		}
		v.at.dirs = append(v.at.dirs, newPlace(abs))
	}
	if i := slices.IndexFunc(v.at.dirs, func(d place) bool { return slices.Contains(fileSystems(d), d.real) }); i >= 0 && !o.allowOutside {
		return fmt.Errorf("%s is a whole file system: name the directory of a project with -root, or give -allow-outside-root as well", v.at.dirs[i].name)
	}
	if v.project, err = openProject(dirs[0]); err != nil {
		return fmt.Errorf("opening the project %s: %w", dirs[0], err)
	}
	if o.pricesFile != "" {
		v.prices, err = telemetry.ReadPrices(o.pricesFile)
	}
	return err
}

// generate makes the file of settings if there is none, and returns what is in
// it.
func (v *service) generate(data []byte, err error) ([]byte, error) {
	if !errors.Is(err, fs.ErrNotExist) || v.options.readOnly {
		return data, err
	}
	if failed := v.project.generate(v.settings.Template().Indented()); failed != nil {
		v.logging.log.Warn("the file of settings cannot be made; it is not needed", slog.String("file", v.project.settingsPath()), slog.Any("error", failed))
	}
	return v.project.read()
}

// approvals is the store of the user's approvals for this program.
func (v *service) approvals() *trust.Store {
	return trust.New(programName, v.options.variable)
}

// projectSettings are the settings that the project asks for, with the approvals of the user.
func (v *service) projectSettings(l *config.Loaded[Config]) app.ProjectSettings {
	return app.ProjectSettings{Store: v.approvals(), File: v.project.settingsPath(), Requests: l.Requests()}
}

// load reads all sources of the settings. usable reports whether there is a file and it
// could be read.
func (v *service) load(data []byte, err error) (l *config.Loaded[Config], usable bool) {
	file := v.settings.File(v.project.settingsPath(), data, err, config.JSON)
	l = v.settings.Load(
		file.OfProject(v.approvals()),
		v.settings.Environment(v.options.environ()),
		v.options.settings.Layer(),
	)
	v.settings.judge(l, v.at)
	return l, !file.Unusable() && !errors.Is(err, fs.ErrNotExist)
}

// apply puts settings in force: all of them, or none with an error.
func (v *service) apply(l *config.Loaded[Config]) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.install(l); err != nil {
		return err
	}
	v.server.SetInfo(identity(l.Config))
	if v.serves {
		v.logging.apply(l.Config, v.project.dir())
	} else {
		v.logging.person(levelOf(l.Config), l.Origin(v.settings.logLevel).Layer > fromFile)
	}
	var before []*config.Problem
	if v.loaded != nil {
		before = v.loaded.Problems()
	}
	v.logging.report(l.Problems(), before)
	if v.serves {
		v.projectSettings(l).Warn(v.logging.log, programName)
	}
	v.loaded = l
	return nil
}

// install exchanges the tools. Calls that are running end with the tools that
// they began with.
func (v *service) install(l *config.Loaded[Config]) error {
	told := make(map[string]any)
	sets, err := v.sets(l, told)
	if err != nil {
		return err
	}
	names, others := offered(v.options.profile, sets), offered(v.options.profile, v.lasting.sets)
	allowed := v.settings.judgeTools(l, v.options.profile, slices.Concat(names, others))
	maps.Copy(told, l.Document().Map())
	v.allowed.Store(&allowed)
	profile, err := v.shape(l.Config, allowed)
	profile.Allow = intersection(allowed, names)
	if err == nil && v.installed == nil {
		var installed *tools.Installation
		if installed, err = tools.Install(v.server.Server, "cursorcli", profile, sets...); err == nil {
			v.installed = installed
		}
	} else if err == nil {
		err = v.installed.Update(profile, sets...)
	}
	if err == nil {
		return v.lasting.install(v.server.Server, profile, intersection(allowed, others))
	}
	return errors.Join(err, closeSets(sets))
}

// intersection are the names that are among others. It is never nil, which would
// mean all.
func intersection(names, others []string) []string {
	both := []string{}
	for _, name := range names {
		if slices.Contains(others, name) {
			both = append(both, name)
		}
	}
	return both
}

// watch follows changes of the file.
func (v *service) watch(ctx context.Context, data []byte, err error) {
	ctx, v.unwatch = context.WithCancel(ctx)
	w := config.Watcher{Path: v.project.settingsPath(), Read: v.project.read, Changed: v.reload, Log: v.logging.log}
	v.watching.OnPanic = func(value any, stack []byte) {
		v.logging.log.Error("panic while following changes of the settings; following begins again", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	v.watching.Keep(ctx, func() { w.Run(ctx, data, err) })
}

// reload applies the changed file. All settings stay as they were if the file is gone,
// cannot be read, or has a value that is not allowed: a rule that cannot be read must
// not make room.
func (v *service) reload(data []byte, reading error) {
	l, usable := v.load(data, reading)
	before := v.loaded
	if !usable || l.Refused() {
		v.logging.report(l.Problems(), before.Problems())
		v.logging.log.Error("the file of settings cannot be used; the settings stay as they were", slog.String("file", v.project.settingsPath()))
		return
	}
	if err := v.apply(l); err != nil {
		v.logging.report(l.Problems(), before.Problems())
		v.logging.log.Error("the new settings cannot be applied; the old ones stay", slog.Any("error", err))
		return
	}
	changed := l.Differences(before)
	v.logging.log.Info("settings applied", slog.Any("changed", changed))
	v.noteChange(changed)
}

// close ends everything. It waits for calls that are running.
func (v *service) close(ctx context.Context) error {
	if v.serves && v.installed != nil {
		v.logging.log.Info("server shutting down")
	}
	v.unwatch()
	v.watching.Wait()
	var failed []error
	if v.installed != nil {
		failed = append(failed, v.installed.Close(ctx))
	}
	failed = append(failed, v.lasting.close(ctx))
	if v.project != nil {
		failed = append(failed, v.project.close())
	}
	return errors.Join(append(failed, v.logging.close())...)
}
