package searchservice

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/internal/trust"
	"github.com/dougu-go/dougu/tools/internal/yamlfile"
	"github.com/dougu-go/dougu/tools/source"
)

// Options are the command line and the environment.
type Options struct {
	// Version is the version of the program.
	Version string
	// Directory is the project. Default: CQM_PROJECT_ROOT, or the current directory.
	Directory string
	// ConfigFile is a settings file with all rights. Default: CQM_CONFIG_PATH, or the files of the
	// user and of the project.
	ConfigFile string
	// Program is the name of the program in messages. Default: cqm.
	Program string
	// Strict makes a disabled plugin an error instead of a warning.
	Strict bool
	// Environ returns the environment, as "NAME=value".
	Environ func() []string
	// Parsers returns parsers that precede the built-in ones. Open calls it, and the Service closes them. Default: nil.
	Parsers func() []source.Parser

	settings *settings
	given    *config.Flags[Config] // nil without flags
}

// NewOptions returns the options for an environment.
func NewOptions(version string, environ func() []string) *Options {
	return &Options{Version: version, Environ: sync.OnceValue(environ), settings: newSettings()}
}

// Flags declares the flags of the settings.
func (o *Options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.ConfigFile, "config", "", "read settings from this YAML `file` alone (default "+Prefix+"CONFIG_PATH, or ~/.config/"+userFile+" and then "+DefaultFile+" in the project)")
	flags.BoolVar(&o.Strict, "strict", false, "end with an error if a plugin lacks a setting, instead of a warning")
	o.given = o.settings.Flags(flags)
}

// Reference writes the documentation of all settings, in Markdown.
func (o *Options) Reference(w io.Writer) error { return o.settings.Reference(w) }

// Template returns a file with all defaults.
func (o *Options) Template() config.Node { return o.settings.Template() }

// Loaded is the merged settings.
type Loaded struct {
	*config.Loaded[Config]
	// Files lists the settings files that were tried, and Found the existing ones.
	Files, Found []string
	// Warnings name the disabled plugins and their missing settings.
	Warnings []string
	// noIssues is the reason why the plugin github is disabled; nil if it is enabled or not
	// selected.
	noIssues error
}

// settingsFile is the path of a settings file.
type settingsFile struct {
	path    string
	project bool // belongs to the project, so it has fewer rights
}

// Load merges defaults, files, environment and flags; a later source wins. The error lists all
// problems. The program must not start after an error, because an invalid setting may be a
// restriction.
func (o *Options) Load() (*Loaded, error) {
	environ := o.Environ()
	sources := o.sources()
	l := new(Loaded)
	var files []config.Layer[Config]
	var expansions []*expansion
	for _, s := range sources {
		x := &expansion{project: s.project, lookup: func(name string) string { return config.HandedOn(environ, name) }}
		read := config.ReadFile
		if s.project {
			read = config.ReadProjectFile
		}
		data, err := read(s.path)
		layer := o.settings.File(s.path, data, o.missing(s, err), func(data []byte) (config.Node, error) {
			n, err := yamlfile.Decode(data)
			if err == nil {
				n, _ = x.node(n, "")
			}
			return n, err
		})
		if s.project {
			layer = layer.OfProject(o.approvals())
		}
		files, expansions = append(files, layer), append(expansions, x)
		l.Files = append(l.Files, s.path)
		if err == nil {
			l.Found = append(l.Found, s.path)
		}
	}
	var used []string
	for _, x := range expansions {
		used = append(used, x.used...)
	}
	overrides := []config.Layer[Config]{o.settings.Environment(environ, used...)}
	if o.given != nil {
		overrides = append(overrides, o.given.Layer())
	}
	l.Loaded = o.settings.Load(slices.Concat(files, overrides)...)
	problems := multierror.Append(nil, l.Refusal())
	for i, x := range expansions {
		problems = multierror.Append(problems, x.problems(sources[i]))
	}
	o.disablePlugins(l, expansions, environ)
	if o.Strict {
		for _, warning := range l.Warnings {
			problems = multierror.Append(problems, errors.New(warning))
		}
	}
	problems = multierror.Append(problems, validate(l.Config))
	return l, problems.ErrorOrNil()
}

// approvals returns the store of the approvals of the user.
func (o *Options) approvals() *trust.Store { return trust.New("cqm", o.variable) }

// variable returns the value of an environment variable.
func (o *Options) variable(name string) string { return config.Lookup(o.Environ(), name) }

// ProjectSettings returns the settings in the file of the project that need approval.
func (o *Options) ProjectSettings(context.Context) ([]app.ProjectSettings, error) {
	l, err := o.Load()
	if err != nil {
		return nil, err
	}
	return []app.ProjectSettings{o.projectSettings(l)}, nil
}

func (o *Options) projectSettings(l *Loaded) app.ProjectSettings {
	return app.ProjectSettings{Store: o.approvals(), File: filepath.Join(o.Project(), DefaultFile), Requests: l.Requests()}
}

// missing returns the error for a file that could not be read. A missing file is an error only if
// it was named. The file of the user counts as missing if its directory is not accessible: it may
// belong to another user.
func (o *Options) missing(s settingsFile, err error) error {
	if _, unreachable := os.Stat(s.path); err != nil && unreachable != nil && !s.project && o.named() == "" {
		return os.ErrNotExist
	}
	if errors.Is(err, os.ErrNotExist) && !s.project && o.named() != "" {
		return fmt.Errorf("it does not exist; name another file, or remove the setting")
	}
	return err
}

// named returns the file in the flag or in CQM_CONFIG_PATH, or "".
func (o *Options) named() string {
	if o.ConfigFile != "" {
		return o.ConfigFile
	}
	return expandHome(config.HandedOn(o.Environ(), Prefix+"CONFIG_PATH"), o.Environ())
}

// Project returns the directory of the project.
func (o *Options) Project() string { return cmp.Or(o.Directory, o.Named(), ".") }

// Named returns the directory in CQM_PROJECT_ROOT, or "".
func (o *Options) Named() string { return config.HandedOn(o.Environ(), Prefix+"PROJECT_ROOT") }

// sources returns the files to read, the one with the lowest precedence first.
func (o *Options) sources() []settingsFile {
	if file := o.named(); file != "" {
		return []settingsFile{{path: file}}
	}
	var all []settingsFile
	if dir := trust.ConfigHome(o.variable); dir != "" {
		all = append(all, settingsFile{path: filepath.Join(dir, filepath.FromSlash(userFile))})
	}
	return append(all, settingsFile{path: filepath.Join(o.Project(), DefaultFile), project: true})
}

// expandHome replaces ~ or $HOME at the beginning. MCP clients do not expand them in the
// environment of a server.
func expandHome(name string, environ []string) string {
	home := config.Lookup(environ, "HOME")
	for _, prefix := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && home != "" {
			return filepath.Join(home, rest)
		}
	}
	return name
}
