package app

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// recordedFlags remembers the program's own flags as they are given to a command that
// hands them on to a server: one that a client will start, or one that is tried
// out.
type recordedFlags struct {
	flags []recordedFlag
}

type recordedFlag struct {
	name, value string
	toggle      bool
	path        bool // the value is a path, relative to the current directory
}

// record makes every flag that is declared so far remembered. That a value is a
// path is known by what its help calls it; the help of one that is relative to
// anything but the current directory says so.
func (g *recordedFlags) record(flags *flag.FlagSet) {
	g.flags = nil
	flags.Usage = func() { // help knows from the values themselves what not to call a default
		flags.VisitAll(func(f *flag.Flag) {
			if r, ok := f.Value.(*recorder); ok {
				f.Value = r.Value
			}
		})
		fmt.Fprintf(flags.Output(), "Usage of %s:\n", flags.Name())
		flags.PrintDefaults()
	}
	flags.VisitAll(func(f *flag.Flag) {
		kind, usage := flag.UnquoteUsage(f)
		path := slices.Contains([]string{"directory", "file", "path"}, kind) && !strings.Contains(usage, "relative to")
		f.Value = &recorder{f.Value, g, f.Name, f.Name == rootFlag || path}
	})
}

// rootFlag names a directory that the server may use, if the program has such.
const rootFlag = "root"

// recorder is a flag's value that is remembered when it is set.
type recorder struct {
	flag.Value
	given *recordedFlags
	name  string
	path  bool
}

// String implements flag.Value, whose zero value must have one too.
func (r *recorder) String() string {
	if r.Value == nil {
		return ""
	}
	return r.Value.String()
}

// Set implements flag.Value.
func (r *recorder) Set(value string) error {
	if err := r.Value.Set(value); err != nil {
		return err
	}
	r.given.flags = append(r.given.flags, recordedFlag{r.name, value, r.IsBoolFlag(), r.path})
	return nil
}

// IsBoolFlag lets a switch be set without a value.
func (r *recorder) IsBoolFlag() bool { return isSwitch(r.Value) }

// rootsAlone reports whether the flags for directories are the only ones that were given.
func (g *recordedFlags) rootsAlone() bool {
	return !slices.ContainsFunc(g.flags, func(f recordedFlag) bool { return f.name != rootFlag })
}

// roots are the directories that were given.
func (g *recordedFlags) roots() []string {
	var dirs []string
	for _, f := range g.flags {
		if f.name == rootFlag {
			dirs = append(dirs, f.value)
		}
	}
	return dirs
}

// args are the flags as a command line, which means the same wherever the program
// is started: paths are absolute.
func (g *recordedFlags) args() ([]string, error) {
	var args []string
	for _, f := range g.flags {
		switch {
		case f.toggle && f.value == "true":
			args = append(args, "-"+f.name)
			continue
		case f.toggle:
			args = append(args, "-"+f.name+"="+f.value)
			continue
		case f.path && f.value != "" && !strings.HasPrefix(f.value, "${"): // which clients put something for
			absolute, err := filepath.Abs(f.value)
			if err != nil {
				return nil, err
			}
			f.value = absolute
		}
		args = append(args, "-"+f.name, f.value)
	}
	return args, nil
}
