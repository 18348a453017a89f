package app

import (
	"flag"
	"path/filepath"
	"slices"
	"strings"
)

// recordedFlags records the program's own flags of a command line, for a command that
// starts a server with the same flags.
type recordedFlags struct {
	flags []recordedFlag
}

// recordedFlag is one flag of the command line.
type recordedFlag struct {
	name, value string
	// toggle reports a boolean flag.
	toggle bool
	// path reports that the value is a path relative to the current directory.
	path bool
}

// record wraps all flags declared so far, so that their values are recorded when they are
// set. A flag is a path if its help names the value directory, file or path, and does not
// contain "relative to".
func (g *recordedFlags) record(flags *flag.FlagSet) {
	g.flags = nil
	flags.VisitAll(func(f *flag.Flag) {
		kind, usage := flag.UnquoteUsage(f)
		path := slices.Contains([]string{"directory", "file", "path"}, kind) && !strings.Contains(usage, "relative to")
		f.Value = &recorder{f.Value, g, f.Name, f.Name == rootFlag || path}
	})
}

// rootFlag names the directories that a server may use, in programs that have this flag.
const rootFlag = "root"

// recorder is a flag value that records each Set.
type recorder struct {
	flag.Value
	given *recordedFlags
	name  string
	path  bool
}

// String implements flag.Value. Package flag also calls it on the zero value.
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

// IsBoolFlag reports whether the flag needs no value, for package flag.
func (r *recorder) IsBoolFlag() bool { return isSwitch(r.Value) }

// rootsAlone reports whether no flag other than -root was given.
func (g *recordedFlags) rootsAlone() bool {
	return !slices.ContainsFunc(g.flags, func(f recordedFlag) bool { return f.name != rootFlag })
}

// roots returns the values of -root, in order.
func (g *recordedFlags) roots() []string {
	var dirs []string
	for _, f := range g.flags {
		if f.name == rootFlag {
			dirs = append(dirs, f.value)
		}
	}
	return dirs
}

// args returns the recorded flags as a command line with absolute paths, which is valid in
// every directory.
func (g *recordedFlags) args() ([]string, error) { return g.argsWith(nil) }

// argsWith returns args with other values of the flag -root: rename receives each absolute path,
// and returns "" to leave the flag out. A nil rename changes nothing.
func (g *recordedFlags) argsWith(rename func(dir string) string) ([]string, error) {
	var args []string
	for _, f := range g.flags {
		switch {
		case f.toggle && f.value == "true":
			args = append(args, "-"+f.name)
			continue
		case f.toggle:
			args = append(args, "-"+f.name+"="+f.value)
			continue
		case f.path && f.value != "" && !strings.HasPrefix(f.value, "${"): // a variable that the client replaces
			absolute, err := filepath.Abs(f.value)
			if err != nil {
				return nil, err
			}
			f.value = absolute
			if f.name == rootFlag && rename != nil {
				if f.value = rename(absolute); f.value == "" {
					continue
				}
			}
		}
		args = append(args, "-"+f.name, f.value)
	}
	return args, nil
}
