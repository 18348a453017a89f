package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
)

// Settings reads the settings of a program from its files, the environment and the flags. A
// later source overrides an earlier one. C is a struct with a field for each key of the
// Table.
//
// As App.Settings it gives the program a flag for each key, the commands config, trust and
// untrust, and checks of doctor. The App loads the settings before Build, which reads them
// with Config, and applies a changed file while the program serves.
//
// Config may be called concurrently. Set the fields before the first call of a method.
type Settings[C any] struct {
	// Table has the keys, with their defaults, bounds and meanings.
	Table *config.Table[C]
	// Program is the name of the program, under which the approvals of the user are kept.
	Program string
	// Decode reads the files. Default: config.JSON.
	Decode config.Decode
	// UserFile is a file in the user's directory for settings, for example
	// "notes/config.json". All of its values are accepted. Default: none.
	UserFile string
	// ProjectFile is a file in the directory of the project. Its values can only restrict
	// the other sources, or need the approval of the user, see config.Layer.OfProject. A
	// link out of the project is not followed. Default: none.
	ProjectFile string
	// Project returns the directory of the project. Default: the current directory.
	Project func() string
	// NamedFile returns a file that the user has named, for example by a flag. It replaces
	// UserFile and ProjectFile, and all of its values are accepted. With Strict it must
	// exist. Default: none.
	NamedFile func() string
	// Environ returns the environment. Default: os.Environ.
	Environ func() []string
	// IgnoreUnknownVariables ignores environment variables that are not settings. A table
	// without a prefix needs it: otherwise every variable of the environment is reported as
	// a misspelt setting.
	IgnoreUnknownVariables bool
	// Strict makes every problem an error at the start, for settings that forbid something.
	// Default: problems are logged, and the default value of the key is used.
	Strict bool
	// Check validates settings that depend on more than one key or on the environment,
	// after each load. See config.Loaded.Check. Default: none.
	Check func(*config.Loaded[C])
	// Changed applies changed settings while the program serves. After an error the former
	// settings stay in force. Default: Config returns the new values, and nothing else
	// happens.
	Changed func(context.Context, *config.Loaded[C]) error
	// Inspect returns the settings for the command config and doctor, for a program that loads and follows its settings itself,
	// with Load and Follow. Default: Load; the App loads and follows them.
	Inspect func(context.Context) (*config.Loaded[C], error)

	// given are the values of the flags; nil if Flags was not called.
	given   *config.Flags[C]
	current atomic.Pointer[appliedSettings[C]]
}

// appliedSettings are the settings in force, with the result of Read from which they come.
// Follow compares the file with that result, so that a change between Load and Follow is
// applied.
type appliedSettings[C any] struct {
	*config.Loaded[C]
	data    []byte
	reading error
}

// MaskSecrets is a Mask for config.Options that hides secrets: values of keys like
// "github.token", and texts that look like a secret.
func MaskSecrets(name, value string) string {
	redactor := redact.New(redact.Options{})
	if redactor.SecretKey(name[strings.LastIndexByte(name, '.')+1:]) {
		return "[redacted]"
	}
	return redactor.Redact(value)
}

// Flags declares a flag for each key. An App calls it for its Settings.
func (s *Settings[C]) Flags(flags *flag.FlagSet) { s.given = s.Table.Flags(flags) }

// Config returns the settings in force: the result of the last Load or change, or else the defaults.
func (s *Settings[C]) Config() C {
	if l := s.current.Load(); l != nil {
		return l.Config
	}
	return s.Table.Defaults()
}

// loaded returns the settings of the last Load or change, nil before the first.
func (s *Settings[C]) loaded() *config.Loaded[C] {
	if l := s.current.Load(); l != nil {
		return l.Loaded
	}
	return nil
}

// Load reads all sources and puts them in force. With Strict the problems are the error.
func (s *Settings[C]) Load() (*config.Loaded[C], error) {
	data, err := s.Read()
	l, _ := s.LoadFile(data, err)
	s.current.Store(&appliedSettings[C]{l, data, err})
	if s.Strict {
		return l, l.Refusal()
	}
	return l, nil
}

// Read reads the file that is followed: NamedFile, or else ProjectFile. The error is
// fs.ErrNotExist if there is no file.
func (s *Settings[C]) Read() ([]byte, error) {
	switch {
	case s.named() != "":
		return config.ReadFile(s.named())
	case s.ProjectFile == "":
		return nil, fs.ErrNotExist
	}
	root, err := rootfs.Open(s.project())
	if err != nil {
		return nil, err
	}
	data, err := config.Read(func() (io.ReadCloser, error) { return root.OpenRegular(s.ProjectFile) })
	return data, errors.Join(err, root.Close())
}

// LoadFile builds settings from all sources, with data and reading as the result of Read.
// It does not put them in force. usable reports whether the file exists and was parsed.
func (s *Settings[C]) LoadFile(data []byte, reading error) (l *config.Loaded[C], usable bool) {
	var layers []config.Layer[C]
	decode := s.Decode
	if decode == nil {
		decode = config.JSON
	}
	usable = !errors.Is(reading, fs.ErrNotExist)
	if file := s.userFile(); file != "" && s.named() == "" {
		data, err := config.ReadFile(file)
		layers = append(layers, s.Table.File(file, data, err, decode))
	}
	if path := s.Path(); path != "" {
		if !usable && s.named() != "" && s.Strict {
			reading = errors.New("it does not exist; name another one, or omit the flag")
		}
		file := s.Table.File(path, data, reading, decode)
		if s.named() == "" {
			file = file.OfProject(s.approvals())
		}
		usable = usable && !file.Unusable()
		layers = append(layers, file)
	}
	layers = append(layers, s.Table.Environment(s.variables()))
	if s.given != nil {
		layers = append(layers, s.given.Layer())
	}
	l = s.Table.Load(layers...)
	if s.Check != nil {
		s.Check(l)
	}
	return l, usable
}

// Path returns the name of the file that is followed, or "" without one.
func (s *Settings[C]) Path() string {
	switch {
	case s.named() != "":
		return s.named()
	case s.ProjectFile == "":
		return ""
	}
	return filepath.Join(s.project(), filepath.FromSlash(s.ProjectFile))
}

func (s *Settings[C]) named() string {
	if s.NamedFile == nil {
		return ""
	}
	return s.NamedFile()
}

func (s *Settings[C]) project() string {
	if s.Project == nil {
		return "."
	}
	return s.Project()
}

func (s *Settings[C]) environ() []string {
	if s.Environ == nil {
		return os.Environ()
	}
	return s.Environ()
}

// variables returns the environment variables that the table reads.
func (s *Settings[C]) variables() []string {
	if !s.IgnoreUnknownVariables {
		return s.environ()
	}
	var known []string
	for _, k := range s.Table.Keys() {
		known = append(known, s.Table.Variable(k))
	}
	return slices.DeleteFunc(slices.Clone(s.environ()), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(known, name)
	})
}

func (s *Settings[C]) variable(name string) string { return config.Lookup(s.environ(), name) }

// userFile returns the path of UserFile, or "" without one.
func (s *Settings[C]) userFile() string {
	home := trust.ConfigHome(s.variable)
	if s.UserFile == "" || home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(s.UserFile))
}

// approvals returns the store of the user's approvals for the program.
func (s *Settings[C]) approvals() *trust.Store { return trust.New(s.Program, s.variable) }

// ProjectSettings returns the settings in the file of the project that need approval, for
// App.Trust and ProjectSettings.Warn. It returns nil without a ProjectFile, or with a
// NamedFile.
func (s *Settings[C]) ProjectSettings(l *config.Loaded[C]) []ProjectSettings {
	if s.ProjectFile == "" || s.named() != "" {
		return nil
	}
	return []ProjectSettings{{Store: s.approvals(), File: s.Path(), Requests: l.Requests()}}
}

// Follower applies changes of a file of settings until it is stopped. See Settings.Follow.
type Follower[C any] struct {
	settings *Settings[C]
	log      *slog.Logger
	apply    func(*config.Loaded[C]) error
	stop     context.CancelFunc
	group    group.Group
	// mu serializes changes.
	mu sync.Mutex
}

// Follow applies the file of Path whenever it changes, until Stop is called or the context
// ends.
//
// The former settings stay in force if the file is missing, unreadable or contains a
// forbidden value, because an unreadable rule must not grant rights. Calls of apply are
// serialized; after its error the former settings stay, too.
func (s *Settings[C]) Follow(ctx context.Context, log *slog.Logger, apply func(*config.Loaded[C]) error) *Follower[C] {
	ctx, stop := context.WithCancel(ctx)
	f := &Follower[C]{settings: s, log: log, apply: apply, stop: stop}
	path := s.Path()
	if path == "" {
		return f
	}
	begin := s.current.Load()
	if begin == nil {
		data, err := s.Read()
		begin = &appliedSettings[C]{data: data, reading: err}
	}
	w := config.Watcher{Path: path, Read: s.Read, Changed: f.Reload, Log: log}
	f.group.OnPanic = func(value any, stack []byte) {
		log.Error("panic while following changes of the settings; restarting", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	f.group.Keep(ctx, func() { w.Run(ctx, begin.data, begin.reading) })
	return f
}

// Reload applies data and reading, a result of Settings.Read, like a change of the file.
func (f *Follower[C]) Reload(data []byte, reading error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, before := f.settings, f.settings.loaded()
	l, usable := s.LoadFile(data, reading)
	if !usable || l.Refused() || s.Strict && l.Refusal() != nil {
		s.Report(f.log, l, before)
		f.log.Error("the settings file cannot be used; the settings stay unchanged", slog.String("file", s.Path()))
		return
	}
	if err := f.apply(l); err != nil {
		s.Report(f.log, l, before)
		f.log.Error("the new settings cannot be applied; the old ones stay", slog.Any("error", err))
		return
	}
	s.current.Store(&appliedSettings[C]{l, data, reading})
	s.Report(f.log, l, before)
	for _, p := range s.ProjectSettings(l) {
		p.Warn(f.log, s.Program)
	}
	f.log.Info("settings applied", slog.Any("changed", l.Differences(before)))
}

// Stop ends following and waits for a change that is being applied.
func (f *Follower[C]) Stop() {
	f.stop()
	f.group.Wait()
}

// Report logs the problems of l that before does not have. before may be nil.
func (s *Settings[C]) Report(log *slog.Logger, l, before *config.Loaded[C]) {
	known := make(map[string]bool)
	if before != nil {
		for _, p := range before.Problems() {
			known[p.Error()] = true
		}
	}
	for _, p := range l.Problems() {
		if !known[p.Error()] {
			level := slog.LevelWarn
			if p.Unusable {
				level = slog.LevelError
			}
			log.Log(context.Background(), level, "problem with the settings", slog.String("problem", p.Error()))
		}
	}
}

// AnySettings is the interface of App.Settings. *Settings implements it.
type AnySettings interface {
	Flags(*flag.FlagSet)
	begin(Start) error
	follow(context.Context, Start) (end func())
	command() Command
	Checks(ctx context.Context, program string) []Check
	requests() []ProjectSettings
	bringsProject() bool
}

// begin loads the settings, before Build.
func (s *Settings[C]) begin(start Start) error {
	if s.Inspect != nil {
		return nil
	}
	l, err := s.Load()
	if err != nil {
		return fmt.Errorf("the settings are wrong:\n%w", err)
	}
	s.Report(start.Log, l, nil)
	if start.Serves() {
		for _, p := range s.ProjectSettings(l) {
			p.Warn(start.Log, s.Program)
		}
	}
	return nil
}

// follow starts following the file after Build, if the command serves. The returned
// function stops it and waits.
func (s *Settings[C]) follow(ctx context.Context, start Start) (end func()) {
	if s.Inspect != nil || !start.Serves() {
		return func() {}
	}
	return s.Follow(ctx, start.Log, func(l *config.Loaded[C]) error {
		if s.Changed == nil {
			return nil
		}
		return s.Changed(ctx, l)
	}).Stop
}

// inspect returns the settings for the command config and for doctor.
func (s *Settings[C]) inspect(ctx context.Context) (*config.Loaded[C], error) {
	if s.Inspect != nil {
		return s.Inspect(ctx)
	}
	l, _ := s.Load()
	return l, nil
}

// command returns the command config.
func (s *Settings[C]) command() Command {
	var schema, asJSON bool
	return Command{
		Name:    "config",
		Summary: "show the settings with their sources and problems",
		Flags: func(flags *flag.FlagSet) {
			flags.BoolVar(&schema, "schema", false, "print the JSON Schema of the file of settings instead")
			flags.BoolVar(&asJSON, "json", false, "print the settings in the format of the file instead")
		},
		Run: func(ctx context.Context, a *App, _ *flag.FlagSet) error {
			if schema {
				_, err := io.WriteString(a.Stdout, s.Table.Schema().Indented())
				return err
			}
			l, err := s.inspect(ctx)
			if err != nil {
				return err
			}
			if asJSON {
				_, err = io.WriteString(a.Stdout, l.Document().Indented())
			} else {
				err = l.Show(a.Stdout)
			}
			if problems := l.Err(); problems != nil {
				err = errors.Join(err, fmt.Errorf("problems with the settings:\n%w", problems))
			}
			return err
		},
	}
}

// Checks returns one check of doctor for each problem, or a single successful check.
// program is the name of the program in the suggested commands.
func (s *Settings[C]) Checks(ctx context.Context, program string) []Check {
	l, err := s.inspect(ctx)
	if err != nil {
		return []Check{{Name: "settings", Status: Broken, Detail: Explain(err), Next: "Correct the flags."}}
	}
	status := Warning
	if s.Strict {
		status = Broken
	}
	var all []Check
	for _, problem := range l.Problems() {
		all = append(all, Check{
			Name: "settings", Status: status, Detail: problem.Error(),
			Next: fmt.Sprintf("Correct it; %q shows the current settings, and %q the allowed values.", program+" config", program+" config -schema"),
		})
	}
	if len(all) == 0 {
		all = append(all, Check{Name: "settings", Status: OK, Detail: s.describeSources()})
	}
	return all
}

// describeSources names the sources of the settings, and the files that do not exist.
func (s *Settings[C]) describeSources() string {
	var found, missing []string
	add := func(path string, reading error) {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		if errors.Is(reading, fs.ErrNotExist) {
			missing = append(missing, path)
		} else {
			found = append(found, path)
		}
	}
	if file := s.userFile(); file != "" && s.named() == "" {
		_, err := config.ReadFile(file)
		add(file, err)
	}
	if path := s.Path(); path != "" {
		_, err := s.Read()
		add(path, err)
	}
	const others = "the environment and the flags are understood"
	none := "there is no " + strings.Join(missing, " and no ")
	switch {
	case len(found) == 0 && len(missing) == 0:
		return others
	case len(found) == 0:
		return none + ", so the defaults apply; " + others
	case len(missing) == 0:
		return strings.Join(found, ", ") + ", " + others
	}
	return strings.Join(found, ", ") + ", " + others + "; " + none
}

func (s *Settings[C]) requests() []ProjectSettings {
	l, _ := s.LoadFile(s.Read())
	return s.ProjectSettings(l)
}

func (s *Settings[C]) bringsProject() bool { return s.ProjectFile != "" }
