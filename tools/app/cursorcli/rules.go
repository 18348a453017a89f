package cursorcli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/config"
)

// The layers of the settings, in their order.
const (
	fromFile = iota
	_        // the environment
	_        // flags
)

// surroundings are the values outside of the settings on which the validation of a setting
// depends.
type surroundings struct {
	// dirs are the directories of the command line; the first is the project.
	dirs []directory
	// allowOutside is the flag -allow-outside-root.
	allowOutside bool
	readOnly     bool
}

// project returns the absolute path of the project, without links.
func (at surroundings) project() string { return at.dirs[0].real }

// validate refuses values that the surroundings do not allow.
func (s *settings) validate(l *config.Loaded[Config], at surroundings) {
	l.Check(s.enforceProjectRoot, func(c *Config, _ int) error {
		if !c.Security.EnforceProjectRoot && !at.allowOutside {
			return errors.New("true, unless the server was started with -allow-outside-root")
		}
		return nil
	})
	l.Keep(s.allowedDirectories, func(name string, _ int) error { return validateDirectory(name, l.Config, at) })
	l.Keep(s.blockedPatterns, func(pattern string, layer int) error { return validatePattern(pattern, layer, at) })
	l.Check(s.logFile, func(c *Config, layer int) error { return validateLogFile(*c, layer, at) })
}

// selectTools removes entries of tools.allowedTools that match no tool, and returns the
// allowed tools. The entry * alone means the default tools of the profile.
func (s *settings) selectTools(l *config.Loaded[Config], profile string, offered []string) []string {
	symbols := slices.Contains(offered, "find_symbol")
	matching := func(entry string) []string {
		return slices.DeleteFunc(slices.Clone(offered), func(name string) bool {
			ok, err := path.Match(entry, name)
			return err != nil || !ok || entry == "*" && (!isDefault(profile, name) || symbols && replacedBySymbols(profile, name))
		})
	}
	l.Keep(s.allowedTools, func(entry string, _ int) error {
		if len(matching(entry)) > 0 {
			return nil
		}
		err := fmt.Errorf("the name of a tool of the profile %s, or a pattern such as get_* that matches one", profile)
		if near := nearest.Name(entry, offered); near != "" {
			err = fmt.Errorf("%w; did you mean %q?", err, near)
		}
		return err
	})
	allowed := []string{}
	for _, name := range offered {
		if slices.ContainsFunc(l.Config.Tools.AllowedTools, func(entry string) bool { return slices.Contains(matching(entry), name) }) {
			allowed = append(allowed, name)
		}
	}
	return allowed
}

// validatePattern refuses invalid patterns. A negated pattern, which makes blocked files
// visible, is allowed in variables and flags only, not in the project's file.
func validatePattern(pattern string, layer int, at surroundings) error {
	if strings.HasPrefix(pattern, "!") && layer <= fromFile {
		return errors.New("a pattern of files to hide; those to show, with ! before them, can be named by the environment and by flags alone")
	}
	if !isPattern(at.project(), pattern) {
		return errors.New("a glob with *, ?, [a-z], {a,b} and **, with slashes, such as *.pem or private/**")
	}
	return nil
}

// validateLogFile refuses a log file that tools can write to. The project's file can only
// choose a file in the settings directory.
func validateLogFile(c Config, layer int, at surroundings) error {
	name := c.Logging.LogFile
	_, own := ownFile(at.project(), name)
	switch {
	case own && strings.HasSuffix(name, ".log"):
	case layer <= fromFile:
		return errors.New("a file in " + settingsDir + "/ that ends in .log; others can be named by the environment and by flags alone")
	case own:
		return errors.New("a name that ends in .log, for a file in " + settingsDir + "/")
	case !at.readOnly && writable(c, at, absolute(at.project(), name)):
		return errors.New("a file in " + settingsDir + "/, or one outside of the directories that tools can write to")
	}
	return nil
}

// ownFile returns the path of name relative to the project, and whether it is in the
// settings directory.
func ownFile(project, name string) (string, bool) {
	rel, err := filepath.Rel(project, absolute(project, name))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && strings.HasPrefix(rel, settingsDir+"/")
}

// absolute returns the absolute path of a name that is relative to the project or begins
// with ~.
func absolute(project, name string) string {
	if first, rest, _ := strings.Cut(filepath.ToSlash(name), "/"); first == "~" {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, filepath.FromSlash(rest))
		}
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(project, name)
}

// writable reports whether tools can write to a file.
func writable(c Config, at surroundings, name string) bool {
	for _, dir := range directories(c, at) {
		if within(dir.real, resolved(name)) || within(dir.name, name) {
			return true
		}
	}
	return false
}

// within reports whether name is dir or a path in it.
func within(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// resolved returns a path with all links resolved in its existing part.
func resolved(name string) string {
	rest := ""
	for dir := name; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return name
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
