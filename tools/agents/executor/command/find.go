package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Find looks a program up: each name in the directories of PATH, then in further
// places. Directories that are not absolute, or lie in the current one, are left
// out: what a project brings along is not to be run by its name alone. (The home
// directory, and what is above it, is no project.) A single name that is a path is
// taken as it is. The error wraps executor.ErrUnavailable; it is an
// *executor.Refused if a program was found that is not run.
func Find(names []string, places ...string) (string, error) {
	if len(names) == 1 && filepath.Base(names[0]) != names[0] {
		path, err := exec.LookPath(names[0])
		if err != nil {
			if refused := notExecutable(names[0]); refused != nil {
				return "", refused
			}
			return "", fmt.Errorf("%w: %w", executor.ErrUnavailable, err)
		}
		return filepath.Abs(path)
	}
	here := project()
	var refused *executor.Refused // the first program that is not run
	for _, dir := range append(filepath.SplitList(os.Getenv("PATH")), places...) {
		excluded := !filepath.IsAbs(dir) || here != "" && within(here, dir)
		if excluded && refused != nil {
			continue
		}
		for _, name := range names {
			path, err := exec.LookPath(filepath.Join(dir, name))
			if errors.Is(err, exec.ErrDot) {
				err = nil
			}
			switch {
			case err == nil && !excluded:
				return path, nil
			case refused != nil:
			case err == nil:
				refused = ofProject(path)
			case !excluded:
				refused = notExecutable(filepath.Join(dir, name))
			}
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", fmt.Errorf("%w: no program %s is in PATH, nor where it is usually installed", executor.ErrUnavailable, strings.Join(names, " or "))
}

// ofProject is the refusal of a program in the current directory.
func ofProject(path string) *executor.Refused {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return &executor.Refused{
		Path: path, Why: "was found, but lies in the current directory, and a program that a project brings along is not run by its name alone",
		Next: "name it by its path if it can be trusted, or install the program outside of the project",
	}
}

// notExecutable is the refusal of a file that the system does not run; nil if there is no such file.
func notExecutable(path string) *executor.Refused {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if info.IsDir() {
		return &executor.Refused{Path: path, Why: "was found, but is a directory", Next: "name the program in it"}
	}
	return &executor.Refused{Path: path, Why: "was found, but is not executable", Next: "make it executable, or install the program again"}
}

// Advise adds to an error of Find how the program is installed, unless it was found.
func Advise(err error, how string) error {
	if _, found := errors.AsType[*executor.Refused](err); found {
		return err
	}
	return fmt.Errorf("%w; %s, or say where it is", err, how)
}

// Installed looks up the program that was named, by its path or in PATH, or else one
// that has one of its usual names, also where programs of users are installed. See Find.
func Installed(program string, usual ...string) (string, error) {
	if program != "" {
		return Find([]string{program})
	}
	return Find(usual, Places()...)
}

// project is the current directory, unless it holds more than a project.
func project() string {
	here, err := os.Getwd()
	if err != nil || filepath.Dir(here) == here {
		return ""
	}
	if home, err := os.UserHomeDir(); err == nil && within(here, home) {
		return ""
	}
	return here
}

// within reports whether a path is a directory, or lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Places are the directories, beside PATH, in which programs of users are often
// installed: a program that a window system has started may not have them in PATH.
func Places() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin"), "/usr/local/bin", "/opt/homebrew/bin"}
}

// WithKnown is the models that a program lists, and behind them those that are known
// beside them.
func WithKnown(listed, known []executor.Model) []executor.Model {
	for _, m := range known {
		if !slices.ContainsFunc(listed, func(other executor.Model) bool { return other.ID == m.ID }) {
			listed = append(listed, m)
		}
	}
	return listed
}
