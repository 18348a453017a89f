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

// Program is the part of a run that depends on the agent program: its command line, its
// output format and its failures. It may be used concurrently.
type Program interface {
	// Command returns the command line of a run. scratch creates a directory for files of
	// the run and returns the same one at each call; the Runner, or Reap, removes it after
	// the run. Run returns the error of Command.
	Command(ctx context.Context, s executor.Spec, scratch func() (string, error)) (Call, error)
	// Decoder returns a Decoder for the output of one run.
	Decoder() Decoder
	// Failure classifies a failure by the last output of the program. It returns an error
	// of package executor, or nil if the failure is unknown.
	Failure(words string) error
}

// Call is the command line and the environment of a program.
type Call struct {
	// Path is the path of the program.
	Path string
	// Args are the arguments without the program's name. They must not contain secrets:
	// other users of the machine can read them.
	Args []string
	// Env are additional variables, as NAME=value; the last value of a name counts.
	Env []string
	// Dir is the absolute path of the working directory.
	Dir string
	// Input is written to standard input, which is then closed. It is ignored for a
	// Dialogue.
	Input string
}

// Decoder parses the standard output of one run. It is not used concurrently.
type Decoder interface {
	// Decode reports the events of a line, and returns false if the line is not an event.
	// The line has no line end, is not empty, and is valid only during the call. In a line
	// longer than 256 KiB, long strings are shortened.
	Decode(line []byte, tell func(executor.Event)) bool
}

// Dialogue is a Decoder for a program that exchanges messages with its client. Lines are
// not shortened; a line longer than Options.MaxLine ends the run. Methods are not called
// concurrently and must not block for long.
type Dialogue interface {
	Decoder
	// Begin is called before the program starts. say sends a line, which includes its line
	// end. It does not wait and may be called later, too. A line is lost if the program
	// does not read it, or if it is sent after the agent's end.
	Begin(say func(line []byte))
	// Cancel asks the program to stop its work. The process is ended by force, unless the program
	// reports its end soon afterwards.
	Cancel()
	// Close releases the resources of the dialogue. It is the last call.
	Close()
}

// Check returns an error if a run has no prompt, or if its working directory is not an
// absolute path.
func Check(s executor.Spec) error {
	if !filepath.IsAbs(s.Dir) {
		return fmt.Errorf("the working directory %q is not an absolute path", s.Dir)
	}
	if strings.TrimSpace(s.Prompt) == "" {
		return errors.New("the prompt is empty")
	}
	return nil
}

// Failures map words of failure messages to causes. The first entry that matches counts.
type Failures []struct {
	// Words is a part of the program's message, in lower case.
	Words string
	// Cause is one of the errors of package executor.
	Cause error
}

// Cause returns the cause of the first entry whose Words occur in words, in any letter
// case, or nil. It serves as Program.Failure.
func (all Failures) Cause(words string) error {
	words = strings.ToLower(words)
	for _, f := range all {
		if strings.Contains(words, f.Words) {
			return f.Cause
		}
	}
	return nil
}

// Find looks up a program: each name in the directories of PATH, and then in places. It
// skips relative directories and directories inside the current one, because a program of a
// project must not run by its name alone. The home directory and its parents do not count
// as a project.
//
// A single name that is a path is used directly. The error wraps executor.ErrUnavailable.
// It is an *executor.Refused if a program was found but must not run.
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
	var refused *executor.Refused // the first program that must not run
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
				refused = refuseProjectFile(path)
			case !excluded:
				refused = notExecutable(filepath.Join(dir, name))
			}
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", fmt.Errorf("%w: the program %s was not found in PATH or in the usual installation directories", executor.ErrUnavailable, strings.Join(names, " or "))
}

// refuseProjectFile returns the error for a program in the current directory.
func refuseProjectFile(path string) *executor.Refused {
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return &executor.Refused{
		Path: path, Why: "was found, but is in the current directory, and programs of a project are not run by name",
		Next: "set its path in the settings if you trust it, or install the program outside of the project",
	}
}

// notExecutable returns the error for a file that the system cannot execute, or nil if the
// file does not exist.
func notExecutable(path string) *executor.Refused {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	if info.IsDir() {
		return &executor.Refused{Path: path, Why: "was found, but is a directory", Next: "set the path of the program in it"}
	}
	return &executor.Refused{Path: path, Why: "was found, but is not executable", Next: "make it executable, or install the program again"}
}

// Advise adds an installation hint to an error of Find, unless a program was found and
// refused.
func Advise(err error, how string) error {
	if _, found := errors.AsType[*executor.Refused](err); found {
		return err
	}
	return fmt.Errorf("%w; %s, or set its path in the settings", err, how)
}

// Installed looks up program, a path or a name, or if it is empty the usual names in PATH
// and in Places. See Find.
func Installed(program string, usual ...string) (string, error) {
	if program != "" {
		return Find([]string{program})
	}
	return Find(usual, Places()...)
}

// project returns the current directory; empty if it is a root directory or contains the
// home directory.
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

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Places returns directories outside PATH in which users often install programs. A server
// that a desktop environment has started may not have them in PATH.
func Places() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	return []string{filepath.Join(home, ".local", "bin"), filepath.Join(home, "bin"), "/usr/local/bin", "/opt/homebrew/bin"}
}

// WithKnown returns the listed models, followed by the known models that are not listed.
func WithKnown(listed, known []executor.Model) []executor.Model {
	for _, m := range known {
		if !slices.ContainsFunc(listed, func(other executor.Model) bool { return other.ID == m.ID }) {
			listed = append(listed, m)
		}
	}
	return listed
}
