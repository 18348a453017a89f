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

// surroundings are what decides about values that the table of settings allows.
type surroundings struct {
	dirs         []place // of the command line; the first is the project
	allowOutside bool    // whether tools may be let out of them
	readOnly     bool
}

// project is the absolute name of the project, without links.
func (at surroundings) project() string { return at.dirs[0].real }

// judge refuses what the surroundings do not allow.
func (s *settings) judge(l *config.Loaded[Config], at surroundings) {
	l.Check(s.enforceProjectRoot, func(c *Config, _ int) error {
		if !c.Security.EnforceProjectRoot && !at.allowOutside {
			return errors.New("true, unless the server was started with -allow-outside-root")
		}
		return nil
	})
	l.Keep(s.allowedDirectories, func(name string, _ int) error { return judgeDirectory(name, l.Config, at) })
	l.Keep(s.blockedPatterns, func(pattern string, layer int) error { return judgePattern(pattern, layer, at) })
	l.Check(s.logFile, func(c *Config, layer int) error { return judgeLogFile(*c, layer, at) })
}

// judgeTools leaves out what names no tool, and returns the tools that are
// allowed. A lone * stands for the tools that the profile has unless others are
// chosen.
func (s *settings) judgeTools(l *config.Loaded[Config], profile string, offered []string) []string {
	matching := func(entry string) []string {
		return slices.DeleteFunc(slices.Clone(offered), func(name string) bool {
			ok, err := path.Match(entry, name)
			return err != nil || !ok || entry == "*" && !usual(profile, name)
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

// judgePattern refuses what is no pattern. Files that are hidden for their secrets
// can be shown by the user alone, not by what a project brings along.
func judgePattern(pattern string, layer int, at surroundings) error {
	if strings.HasPrefix(pattern, "!") && layer <= fromFile {
		return errors.New("a pattern of files to hide; those to show, with ! before them, can be named by the environment and by flags alone")
	}
	if !isPattern(at.project(), pattern) {
		return errors.New("a glob with *, ?, [a-z], {a,b} and **, with slashes, such as *.pem or private/**")
	}
	return nil
}

// judgeLogFile refuses places that tools can write to, and those that a project
// chooses outside of the server's own directory.
func judgeLogFile(c Config, layer int, at surroundings) error {
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

// ownFile is the path, relative to the project, of a file in the server's own
// directory.
func ownFile(project, name string) (string, bool) {
	rel, err := filepath.Rel(project, absolute(project, name))
	rel = filepath.ToSlash(rel)
	return rel, err == nil && strings.HasPrefix(rel, settingsDir+"/")
}

// absolute is a name relative to the project, or below ~, as an absolute one.
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

// writable reports whether a file lies where tools can write.
func writable(c Config, at surroundings, name string) bool {
	for _, dir := range directories(c, at) {
		if within(dir.real, resolved(name)) || within(dir.name, name) {
			return true
		}
	}
	return false
}

// within reports whether a path is a directory or lies in it.
func within(dir, name string) bool {
	rel, err := filepath.Rel(dir, name)
	return err == nil && filepath.IsLocal(rel)
}

// resolved is a path with the links in as much of it as exists followed.
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
