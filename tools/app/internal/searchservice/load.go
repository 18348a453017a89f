package searchservice

import (
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
)

// Options are what the command line and the environment say.
type Options struct {
	// Version is that of the program.
	Version string
	// Directory is the project; empty: what the environment says, or the current
	// directory.
	Directory string
	// ConfigFile is a file of settings that is believed in everything; empty: what the
	// environment says, or the files of the user and of the project.
	ConfigFile string
	// Program is the name of the program, for advice; empty: cqm.
	Program string
	// Strict makes a plugin that cannot be used an error.
	Strict bool
	// Environ is the environment.
	Environ func() []string

	settings *settings
	given    *config.Flags[Config] // nil: the command line has none
}

// NewOptions are those of an environment.
func NewOptions(version string, environ func() []string) *Options {
	return &Options{Version: version, Environ: sync.OnceValue(environ), settings: newSettings()}
}

// Flags declares the flags of the settings.
func (o *Options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.ConfigFile, "config", "", "read settings from this YAML `file` alone (default "+Prefix+"CONFIG_PATH, or ~/.config/"+userFile+" and then "+DefaultFile+" in the project)")
	flags.BoolVar(&o.Strict, "strict", false, "end with an error where a plugin lacks something, instead of a warning")
	o.given = o.settings.Flags(flags)
}

// Reference writes what can be set, in Markdown.
func (o *Options) Reference(w io.Writer) error { return o.settings.Reference(w) }

// Template is a file with all defaults.
func (o *Options) Template() config.Node { return o.settings.Template() }

// Loaded is what the settings say.
type Loaded struct {
	*config.Loaded[Config]
	// Files are those that were looked for, and Found those of them that exist.
	Files, Found []string
	// Warnings say which plugins are not used, and what they lack.
	Warnings []string
	// noIssues is why the plugin github is not used; nil if it is used, or not enabled.
	noIssues error
}

// settingsFile is a file of settings.
type settingsFile struct {
	path    string
	project bool // and not the user's: it is believed less
}

// Load reads the settings: defaults, then the files, the environment and the flags.
// Every problem is told at once; then there is no server, since a setting that is
// wrong may be one that forbids something.
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
	said := []config.Layer[Config]{o.settings.Environment(environ, used...)}
	if o.given != nil {
		said = append(said, o.given.Layer())
	}
	l.Loaded = o.settings.Load(slices.Concat(files, said)...)
	problems := multierror.Append(nil, l.Refusal())
	for i, x := range expansions {
		problems = multierror.Append(problems, x.problems(sources[i]))
	}
	o.judgePlugins(l, expansions, environ)
	if o.Strict {
		for _, warning := range l.Warnings {
			problems = multierror.Append(problems, errors.New(warning))
		}
	}
	problems = multierror.Append(problems, judge(l.Config))
	return l, problems.ErrorOrNil()
}

// approvals is the store of the user's approvals.
func (o *Options) approvals() *trust.Store { return trust.New("cqm", o.variable) }

// variable is the value of an environment variable.
func (o *Options) variable(name string) string { return config.Lookup(o.Environ(), name) }

// ProjectSettings are the settings that the file of the project asks for.
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

// missing makes a file that was named, and is not there, a problem. The user's own file is
// not there either if its directory cannot be entered: it is then that of another user.
func (o *Options) missing(s settingsFile, err error) error {
	if _, unreachable := os.Stat(s.path); err != nil && unreachable != nil && !s.project && o.named() == "" {
		return os.ErrNotExist
	}
	if errors.Is(err, os.ErrNotExist) && !s.project && o.named() != "" {
		return fmt.Errorf("it does not exist; name another one, or leave it out")
	}
	return err
}

// named is the file that somebody has named.
func (o *Options) named() string {
	if o.ConfigFile != "" {
		return o.ConfigFile
	}
	return expandHome(config.HandedOn(o.Environ(), Prefix+"CONFIG_PATH"), o.Environ())
}

// Project is the directory of the project.
func (o *Options) Project() string {
	for _, dir := range []string{o.Directory, config.HandedOn(o.Environ(), Prefix+"PROJECT_ROOT")} {
		if dir != "" {
			return dir
		}
	}
	return "."
}

// sources are the files, the weakest first.
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

// expandHome replaces a ~ or $HOME at the beginning, which a client does not.
func expandHome(name string, environ []string) string {
	home := config.Lookup(environ, "HOME")
	for _, prefix := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && home != "" {
			return filepath.Join(home, rest)
		}
	}
	return name
}
