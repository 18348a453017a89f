package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// instructions is the part of the server's instructions that is common to the profiles; strictInstructions
// replaces it in the profile of the specification, and jointInstructions in the joint profiles.
const (
	instructions = "Paths are relative to the project's root. Long answers are cut: they say so, and how to continue. " + hashInstruction
	// jointInstructions are shorter, because the instructions of other tool sets follow them.
	jointInstructions  = "Paths are relative to the project's root. " + hashInstruction
	hashInstruction    = "read_file gives a sha256 that write_file takes as expectedSha256, so that no other change is overwritten."
	strictInstructions = "Paths are relative to the project's root, or absolute and inside of it."
)

// service is the server with the tools that its flags and settings select.
type service struct {
	options  *options
	settings *settings
	stderr   io.Writer
	// allowed are the names of the listed tools; nil until the first install.
	allowed atomic.Pointer[[]string]
	// serves is false for a command other than serve: nothing is created or followed then.
	serves bool
	// at are the directories and the machine, on which the validation of settings depends.
	at surroundings

	project  *project
	logging  *logging
	prices   *telemetry.Prices
	recorder *telemetry.Recorder
	server   *app.Server
	// seen survives changes of the settings.
	seen *tools.Ledger

	// persistent are the tool sets that keep the settings of the start.
	persistent persistent

	// mu serializes changes of the settings. It guards loaded, the settings in force, and installed,
	// the sets that follow the settings; both are nil before the first apply.
	mu        sync.Mutex
	loaded    *config.Loaded[Config]
	installed *tools.Installation

	// following is nil if the settings file is not followed.
	following *app.Follower[Config]
}

// newService returns a service that has opened nothing yet.
func newService(o *options, s *settings, serves bool, stderr io.Writer) *service {
	return &service{stderr: stderr, options: o, settings: s, serves: serves, recorder: telemetry.NewRecorder(), seen: new(tools.Ledger), logging: newLogging(stderr)}
}

// openService opens the files and tool sets and applies the settings. With serves it may
// create files, and it follows the settings file. The caller closes the service.
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
	if serves {
		v.generate()
	}
	l, err := v.options.values.Load()
	if err != nil {
		return nil, err
	}
	if err := v.openPersistent(ctx, l.Config); err != nil {
		return nil, err
	}
	general := instructions
	switch {
	case o.profile == profileStrict:
		general = strictInstructions
	case isJoint(o.profile):
		general = jointInstructions
	}
	allInstructions := strings.Join(append([]string{general}, v.persistent.instructions...), " ")
	v.server = v.options.start.NewServer(identity(l.Config), &mcp.ServerOptions{Instructions: allInstructions, Log: v.logging.log, Extensions: v.persistent.extensions})
	if err := v.apply(l); err != nil {
		return nil, err
	}
	if serves {
		v.logging.log.Info("server starting", slog.String("name", l.Config.Server.Name), slog.String("version", l.Config.Server.Version))
	}
	v.options.values.Report(v.logging.log, l, nil)
	if serves {
		for _, p := range v.options.values.ProjectSettings(l) {
			p.Warn(v.logging.log, programName)
		}
		v.following = v.options.values.Follow(ctx, v.logging.log, v.apply)
	}
	return v, nil
}

// openFiles opens the project and the files that flags name.
func (v *service) openFiles() (err error) {
	o := v.options
	if err := checkProfile(o.profile); err != nil {
		return err
	}
	if o.symbols && !v.startsPrograms() {
		return fmt.Errorf("the profile %s has no tools for symbols; leave -symbols out, or choose %s, %s, %s or %s", o.profile, profileEditor, profileCoding, profileBeside, profileAll)
	}
	dirs := o.directories()
	v.at = o.surroundings()
	if i := slices.IndexFunc(v.at.dirs, func(d directory) bool { return slices.Contains(fileSystems(d), d.real) }); i >= 0 && !o.allowOutside {
		return fmt.Errorf("%s is a whole file system: name the directory of a project with -root, or give -allow-outside-root as well", v.at.dirs[i].name)
	}
	if v.project, err = openProject(dirs[0]); err != nil {
		return fmt.Errorf("opening the project %s: %w", dirs[0], err)
	}
	switch {
	case o.pricesFile != "":
		v.prices, err = telemetry.ReadPrices(o.pricesFile)
	case o.profile == profileStrict: // estimatedCost of the specification is always a cost
		v.prices, err = telemetry.ListPrices()
	}
	return err
}

// generate creates the settings file if it is missing and -read-only is not set. It makes none in the home directory, in
// the root of a file system and in a directory between them.
func (v *service) generate() {
	if _, err := v.project.read(); !errors.Is(err, fs.ErrNotExist) || v.options.readOnly || !projectfile.Accepts(v.project.dir()) {
		return
	}
	if failed := v.project.generate(v.settings.Template().Indented()); failed != nil {
		v.logging.log.Warn("the file of settings cannot be made; it is not needed", slog.String("file", v.project.settingsPath()), slog.Any("error", failed))
	}
}

// apply puts settings in force. On an error the former settings stay in force completely.
func (v *service) apply(l *config.Loaded[Config]) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.loaded != nil && len(l.Differences(v.loaded)) == 0 {
		// The same values: keep the tools. New tool sets would begin with new counters for their
		// limits, and would not count the calls that are running.
		v.loaded = l
		return nil
	}
	if err := v.install(l); err != nil {
		return err
	}
	v.server.SetInfo(identity(l.Config))
	if v.serves {
		v.logging.apply(l.Config, v.project.dir())
	} else {
		v.logging.useStderr(levelOf(l.Config), l.Origin(v.settings.logLevel).Layer > fromFile)
	}
	if v.loaded != nil {
		v.noteChange(l.Differences(v.loaded))
	}
	v.loaded = l
	return nil
}

// install replaces the tools that follow the settings, and selects among the tools of the persistent
// sets. Running calls finish with the former tools.
func (v *service) install(l *config.Loaded[Config]) error {
	shown := make(map[string]any) // the settings that the tool get_project_info returns
	sets, err := v.sets(l, shown)
	if err != nil {
		return err
	}
	names, persistent := offered(v.options.profile, sets), offered(v.options.profile, v.persistent.sets)
	allowed := v.settings.selectTools(l, v.options.profile, slices.Concat(names, persistent))
	maps.Copy(shown, l.Document().Map())
	v.allowed.Store(&allowed)
	profile, err := v.toolProfile(l.Config, allowed)
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
		// The new sets are registered already. The profile was valid for them, so no error is expected here.
		return v.persistent.install(v.server.Server, profile, intersection(allowed, persistent))
	}
	return errors.Join(err, closeSets(sets))
}

// intersection returns the names that are in others, too. It is never nil, because a nil
// Profile.Allow means all tools.
func intersection(names, others []string) []string {
	both := []string{}
	for _, name := range names {
		if slices.Contains(others, name) {
			both = append(both, name)
		}
	}
	return both
}

// close ends the service. It waits for running calls.
func (v *service) close(ctx context.Context) error {
	if v.serves && v.installed != nil {
		v.logging.log.Info("server shutting down")
	}
	if v.following != nil {
		v.following.Stop()
	}
	var failed []error
	if v.installed != nil {
		failed = append(failed, v.installed.Close(ctx))
	}
	failed = append(failed, v.persistent.close(ctx))
	if v.project != nil {
		failed = append(failed, v.project.close())
	}
	return errors.Join(append(failed, v.logging.close())...)
}
