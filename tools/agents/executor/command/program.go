package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
)

// Program is what differs between agent programs. It may be used concurrently.
type Program interface {
	// Command makes the call of a run. scratch makes a directory for files that belong to the run, the same one each time; it is removed when the run
	// is over, or by Reap. The error is that of Run.
	Command(ctx context.Context, s executor.Spec, scratch func() (string, error)) (Call, error)
	// Decoder reads the output of one run.
	Decoder() Decoder
	// Failure says what a failure is, as far as the last words of the program tell: one of the errors of package executor, or nil.
	Failure(words string) error
}

// Call is how a program is called.
type Call struct {
	// Path is the program, Args its arguments without its name. No secret belongs
	// into them: other users of the machine can read them.
	Path string
	Args []string
	// Env are further variables, as NAME=value; later ones win.
	Env []string
	// Dir is the absolute path of the working directory.
	Dir string
	// Input is written to its standard input, which is closed then. A program with a Dialogue has none.
	Input string
}

// Decoder reads what a program prints on its standard output. It serves one run and is not used concurrently.
type Decoder interface {
	// Decode tells what a line says; false means that it is no event at all.
	// The line has no line end, is not empty, and is valid only during the call. Of a line longer than 256 KB long strings are shortened.
	Decode(line []byte, tell func(executor.Event)) bool
}

// Dialogue is a Decoder for a program that is talked with: what it prints are messages, of which some want an answer. Its lines are never shortened:
// one that is longer than Options.MaxLine ends the run. Its methods are not called concurrently, and must not block for long.
type Dialogue interface {
	Decoder
	// Begin is called before the program runs. say gives it a line to read, with its line end, now or
	// later, and does not wait. What is said after the agent has told its end, and what it does not read, is lost.
	Begin(say func(line []byte))
	// Cancel asks the program to end what it does. If it tells its end soon, it is spared what ends it otherwise.
	Cancel()
	// Close releases what the dialogue holds. Nothing else is called afterwards.
	Close()
}

// Check reports what a run lacks that every program needs: a prompt, and a working
// directory that is an absolute path.
func Check(s executor.Spec) error {
	if !filepath.IsAbs(s.Dir) {
		return fmt.Errorf("the working directory %q is not an absolute path", s.Dir)
	}
	if strings.TrimSpace(s.Prompt) == "" {
		return errors.New("there is no prompt")
	}
	return nil
}

// Failures are the ways in which a program is known to fail. The first that fits counts.
type Failures []struct {
	// Words are what it says then, in lower case.
	Words string
	// Cause is one of the errors of package executor.
	Cause error
}

// Cause is what the last words of a program mean, whatever their case; nil if they are
// none of the known ones. It serves as Program.Failure.
func (all Failures) Cause(words string) error {
	words = strings.ToLower(words)
	for _, f := range all {
		if strings.Contains(words, f.Words) {
			return f.Cause
		}
	}
	return nil
}

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
