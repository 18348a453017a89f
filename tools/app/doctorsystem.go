package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// shortTimeout limits a single external command or file event.
const shortTimeout = 10 * time.Second

func (a *App) checkProgram() Check {
	c := Check{Name: "program", Status: OK}
	path, err := a.executable()
	if err != nil {
		c.Status, c.Detail = Warning, fmt.Sprintf("%s %s; its executable cannot be found: %v", a.Name, a.Version, err)
		return c
	}
	c.Detail = fmt.Sprintf("%s %s, %s", a.Name, a.Version, path)
	if l := a.findLaunch(); l.temporary && a.Executable == "" {
		c.Status = Warning
		c.Detail = fmt.Sprintf("%s %s, built by \"go run\" for this run only", a.Name, a.Version)
		c.Next = l.permanent()
	}
	return c
}

func (a *App) executable() (string, error) {
	if a.Executable != "" {
		return a.Executable, nil
	}
	return os.Executable()
}

// CheckRoots checks directories that a server may use, and warns of a directory that is
// too wide for a project: the user's home, a directory above it, or a whole file system. With readOnly it does not test writing.
func (a *App) CheckRoots(dirs []string, readOnly bool) []Check {
	var all []Check
	for _, dir := range dirs {
		c := CheckDirectory("directory", dir, !readOnly)
		if absolute, err := filepath.Abs(dir); err == nil && c.Status == OK && a.place().TooWide(absolute) {
			c.Status = Warning
			c.Detail += ", and it holds more than a project"
			c.Next = fmt.Sprintf("Name the directory of a project with -%s.", rootFlag)
		}
		all = append(all, c)
	}
	return all
}

// CheckDirectory checks that a directory exists and is readable. With writable it also
// creates and removes a temporary file. name becomes Check.Name.
func CheckDirectory(name, dir string, writable bool) Check {
	c := Check{Name: name, Status: OK, Detail: dir}
	absolute, err := filepath.Abs(dir)
	if err == nil {
		c.Detail = absolute
		_, err = os.ReadDir(absolute)
	}
	if err != nil {
		c.Status, c.Detail = Broken, fmt.Sprintf("%s: %v", c.Detail, reason(err))
		c.Next = "Make the directory, or name another one."
		return c
	}
	if !writable {
		c.Detail += ", read-only"
		return c
	}
	f, err := os.CreateTemp(absolute, ".dougu-doctor-*")
	if err != nil {
		c.Status, c.Detail = Broken, fmt.Sprintf("%s cannot be written to: %v", absolute, reason(err))
		c.Next = "Change its permissions, or start the server read-only."
		return c
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		c.Status, c.Detail = Warning, fmt.Sprintf("%s: the test file cannot be removed: %v", absolute, err)
		c.Next = "Remove that file."
	}
	return c
}

// CheckState checks a state directory of a program and creates it if it is missing. A
// failure is a Warning, because programs work without state.
func CheckState(name, dir string) Check {
	c := Check{Name: name}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.Detail = fmt.Sprintf("%s: %v", dir, reason(err))
	} else if c = CheckDirectory(name, dir, true); c.Status == OK {
		return c
	}
	c.Status, c.Next = Warning, "Make the directory writable; until then nothing is kept there between starts."
	return c
}

// reason removes the path from an error whose message already contains it.
func reason(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

func checkGit(ctx context.Context) Check {
	c := Check{Name: "git", Status: OK}
	ctx, cancel := context.WithTimeout(ctx, shortTimeout)
	defer cancel()
	path, err := exec.LookPath("git")
	if err != nil {
		c.Status, c.Detail, c.Next = Unused, "not found in PATH", "Install git so that tools can show the history of a repository."
		return c
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		c.Status, c.Detail, c.Next = Warning, fmt.Sprintf("%s does not work: %v", path, err), "Install it again."
		return c
	}
	c.Detail = strings.TrimSpace(string(out)) + ", " + path
	return c
}

// checkWatching checks that the operating system reports changes of files.
func checkWatching(ctx context.Context) Check {
	c := Check{Name: "watching files", Status: OK, Detail: "works"}
	ctx, cancel := context.WithTimeout(ctx, shortTimeout)
	defer cancel()
	if err := watchOnce(ctx); err != nil {
		c.Status, c.Detail = Warning, err.Error()
		c.Next = "Changes to settings are seen at the next start. On Linux, raising fs.inotify.max_user_watches and max_user_instances may help."
	}
	return c
}

// watchOnce changes a temporary file and waits for the event.
func watchOnce(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "dougu-doctor-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	if err := watcher.Add(dir); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		return err
	}
	select {
	case <-watcher.Events:
		return nil
	case err := <-watcher.Errors:
		return err
	case <-ctx.Done():
		return errors.New("the change of a file was not reported")
	}
}
