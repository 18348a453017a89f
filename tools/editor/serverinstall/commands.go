package serverinstall

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

const (
	// stopGrace is the time that a client has to end after the context, before it is killed.
	stopGrace = 3 * time.Second
	// maxOutput is the number of bytes that are kept of the output of a client.
	maxOutput = 1 << 20
	// maxReport is the number of bytes of a client's messages in an error.
	maxReport = 1500
	// maxProgress is the length of a line of progress, in bytes.
	maxProgress = 200
)

// commands runs the clients of an Installer.
type commands struct {
	env      []string // without PATH
	path     []string // directories outside of the project
	projects []string
	progress func(string)
}

// newCommands returns the commands of an Installer, whose PATH has no directory of the project.
func newCommands(i *Installer) *commands {
	c := &commands{projects: realDirs(i.Project), progress: i.report}
	env := i.Env
	if env == nil {
		env = os.Environ()
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.EqualFold(name, "PATH") {
			c.env = append(c.env, entry)
			continue
		}
		for _, dir := range filepath.SplitList(value) {
			if real, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && !c.inProject(real) {
				c.path = append(c.path, dir)
			}
		}
	}
	return c
}

// realDirs returns directories without links. A directory that does not exist is left out.
func realDirs(dirs []string) []string {
	var real []string
	for _, dir := range dirs {
		abs, err := filepath.Abs(dir)
		if err != nil {
			continue
		}
		if at, err := filepath.EvalSymlinks(abs); err == nil {
			real = append(real, at)
		}
	}
	return real
}

// inProject reports whether a path without links is in a directory of the project.
func (c *commands) inProject(path string) bool {
	return slices.ContainsFunc(c.projects, func(dir string) bool { return isBelow(path, dir) })
}

// lookUp returns the path of the first of several programs that is on PATH and is no link into the project. need says which
// software brings the program.
func (c *commands) lookUp(need string, programs ...string) (string, error) {
	for _, program := range programs {
		for _, dir := range c.path {
			found, err := exec.LookPath(filepath.Join(dir, program))
			if err != nil {
				continue
			}
			if real, err := filepath.EvalSymlinks(found); err == nil && !c.inProject(real) {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not on PATH; install %s and repeat the command", programs[0], need)
}

// command is one run of a client.
type command struct {
	program string
	args    []string
	dir     string
	env     []string // added to the environment
	// removed are patterns of variables that the client must not have; a final * stands for any characters. kept are exceptions.
	removed, kept []string
}

// run runs a client to its end, and returns its standard output. Lines of its messages become the text of the progress. An error has
// the last messages.
func (c *commands) run(ctx context.Context, command command) ([]byte, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(command.program), ".exe"), ".cmd")
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	cmd := exec.Command(command.program, command.args...)
	cmd.Dir, cmd.Env = command.dir, c.environment(command)
	out := &output{progress: func(line string) { c.progress(name + ": " + line) }}
	child, err := process.Capture(cmd, process.CaptureOptions{Output: out.write})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	stopped := false
	select {
	case <-child.Ended():
	case <-ctx.Done():
		stopped = true
		err = child.Stop(process.Terminate, stopGrace)
	}
	err = errors.Join(err, child.Close())
	stdout, messages := out.end()
	switch {
	case stopped:
		return nil, errors.Join(fmt.Errorf("%s: %w", name, context.Cause(ctx)), err)
	case child.Exit().Code != 0:
		return stdout, explain(fmt.Errorf("%s %s has ended with %s: %s", name, command.args[0], child.Exit(), messages))
	}
	return stdout, err
}

// environment returns the environment of a client.
func (c *commands) environment(command command) []string {
	matches := func(patterns []string, name string) bool {
		return slices.ContainsFunc(patterns, func(pattern string) bool {
			prefix, isPrefix := strings.CutSuffix(pattern, "*")
			// Clients accept their variables in any case on Windows, and npm does everywhere.
			return strings.EqualFold(name, pattern) || isPrefix && len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
		})
	}
	env := slices.DeleteFunc(slices.Clone(c.env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return matches(command.removed, name) && !matches(command.kept, name)
	})
	env = append(env, "PATH="+strings.Join(c.path, string(filepath.ListSeparator)), "NoDefaultCurrentDirectoryInExePath=1")
	return append(env, command.env...)
}

// output collects the output of a client.
type output struct {
	progress func(line string)

	mu     sync.Mutex
	stdout bytes.Buffer
	line   [2][]byte // the last line of each stream, which has not ended
	last   []string  // messages of both streams
}

// control matches escape sequences of terminals, and other control characters.
var control = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]`)

// isDetail reports whether a message is no reason of a failure, for example the requests that npm reports.
func isDetail(line string) bool {
	return strings.HasPrefix(line, "npm http ") || strings.HasPrefix(line, "npm error A complete log of this run")
}

func (o *output) write(s process.Stream, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if room := maxOutput - o.stdout.Len(); s == process.Stdout && room > 0 {
		o.stdout.Write(p[:min(len(p), room)])
	}
	rest := append(o.line[s], p...)
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			break
		}
		o.add(string(line))
		rest = after
	}
	o.line[s] = slices.Clone(rest[:min(len(rest), maxProgress*10)])
}

// add records a line of messages.
func (o *output) add(line string) {
	line = strings.TrimSpace(control.ReplaceAllString(line, ""))
	if line == "" {
		return
	}
	o.progress(line[:min(len(line), maxProgress)])
	if isDetail(line) {
		return
	}
	if o.last = append(o.last, line); len(o.last) > 20 {
		o.last = o.last[1:]
	}
}

// end returns the standard output and the last messages.
func (o *output) end() (stdout []byte, messages string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.line {
		o.add(string(o.line[i]))
		o.line[i] = nil
	}
	messages = strings.Join(o.last, "\n")
	if len(messages) > maxReport {
		messages = "…" + messages[len(messages)-maxReport:]
	}
	return o.stdout.Bytes(), strings.ToValidUTF8(messages, "")
}

// explain adds the next step to an error of a full disk.
func explain(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if errors.Is(err, syscall.ENOSPC) || strings.Contains(text, "ENOSPC") || strings.Contains(text, "no space left on device") || strings.Contains(text, "No space left on device") {
		return fmt.Errorf("the disk of the user's cache directory is full; free some space and repeat the command: %w", err)
	}
	return err
}
