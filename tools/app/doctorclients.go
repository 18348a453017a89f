package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/clientconfig"
)

// checkClients checks the configuration files of all known clients: they must be readable,
// and their entries must start this program.
func (a *App) checkClients(ctx context.Context) []Check {
	project, err := a.options.doctor.projectDir()
	if err != nil {
		return []Check{{Name: "clients", Status: Broken, Detail: err.Error(), Next: "Start the program in a directory that exists."}}
	}
	var all []Check
	found, seen := false, map[string]bool{}
	for _, client := range clientconfig.All() {
		checks, entered := a.checkScopes(ctx, client, project, seen)
		all = append(all, checks...)
		found = found || entered
	}
	if !found {
		all = append(all, Check{
			Name: "clients", Status: Warning, Detail: "none starts this program",
			Next: fmt.Sprintf("\"%s install\" lists the clients that can start it.", a.Name),
		})
	}
	return all
}

// checkScopes checks the files of one client, and adds them to seen. Files in seen are not
// checked again. A client that is neither installed nor has a file has no checks. entered
// reports whether a file has an entry for this program.
func (a *App) checkScopes(ctx context.Context, client clientconfig.Client, project string, seen map[string]bool) (all []Check, entered bool) {
	absent := !client.Installed(a.environment())
	for _, scope := range client.Scopes() {
		at, err := client.Locate(a.environment(), scope, project)
		if err != nil {
			all = append(all, Check{Name: client.Title, Status: Warning, Detail: "its configuration cannot be found", Next: err.Error() + "."})
			absent = false
			continue
		}
		if seen[at.File] {
			continue // two editions of a client read it
		}
		checks, has := a.checkClient(ctx, at)
		all = append(all, checks...)
		entered = entered || has
		if len(checks) > 1 || checks[0].Detail != noFile(at) {
			absent, seen[at.File] = false, true
		}
	}
	if absent {
		return nil, false
	}
	return all, entered
}

// noFile is the detail of a check of a file that does not exist.
func noFile(at clientconfig.Location) string { return at.File + ": no file" }

// checkClient checks one configuration file. entered reports whether it has an entry for
// this program.
func (a *App) checkClient(ctx context.Context, at clientconfig.Location) (checks []Check, entered bool) {
	c := Check{Name: at.Client.Title, Status: Unused, Detail: noFile(at)}
	content, err := clientconfig.Read(at.File)
	if errors.Is(err, fs.ErrNotExist) {
		return []Check{c}, false
	}
	var entries []clientconfig.Entry
	if err == nil {
		if entries, err = at.Client.Entries(content); err != nil {
			err = fmt.Errorf("%s: %w", at.File, err)
		}
	}
	if err != nil {
		c.Status, c.Detail, c.Next = Broken, err.Error(), "Correct the file; the client may not be able to read it either."
		return []Check{c}, false
	}
	starts := a.entryMatcher()
	for _, e := range entries {
		if own := starts(e); own || e.Name == a.Name {
			checks = append(checks, a.checkEntry(ctx, at, e, own))
		}
	}
	if len(checks) == 0 {
		c.Detail = fmt.Sprintf("%s: %d other servers", at.File, len(entries))
		checks = append(checks, c)
	} else {
		entered = true
	}
	if line := at.Client.NonstandardLine(content); line > 0 {
		checks = append(checks, Check{
			Name: at.Client.Title, Status: Warning, Detail: fmt.Sprintf("%s:%d: a comment, or a comma before a closing bracket", at.File, line),
			Next: fmt.Sprintf("Remove it if %s shows no servers; it may accept only plain JSON.", at.Client.Title),
		})
	}
	return checks, entered
}

// checkEntry checks one entry. own reports whether the entry starts this program; otherwise
// it only has the same name.
func (a *App) checkEntry(ctx context.Context, at clientconfig.Location, e clientconfig.Entry, own bool) Check {
	c := Check{Name: at.Client.Title, Status: OK, Detail: fmt.Sprintf("%s: %q", at.File, e.Name)}
	again := fmt.Sprintf("\"%s install %s%s\" adds this program again.", a.Name, at.Client.Name, scopeFlag(at))
	switch {
	case e.Remote:
		c.Detail += " has a URL, and is not started"
	case !own:
		c.Status, c.Next = Warning, "To keep both, give one of them another name with -name."
		c.Detail += " starts another program"
	case e.Disabled:
		c.Status, c.Next = Warning, fmt.Sprintf("Enable it in %s.", at.Client.Title)
		c.Detail += " is disabled"
	default:
		c.Status, c.Detail = a.checkCommand(ctx, at.Scope, e, c.Detail)
		if c.Status != OK {
			c.Next = again
		}
	}
	if dir := missingRoot(e.Args); c.Status == OK && !e.Remote && dir != "" {
		c.Status, c.Next = Broken, again
		c.Detail += fmt.Sprintf(", in %s, which is not a directory", dir)
	}
	if file := missingConfig(e.Args); c.Status == OK && !e.Remote && file != "" {
		c.Status, c.Next = Broken, again
		c.Detail += fmt.Sprintf(", with %s, which does not exist", file)
	}
	return c
}

func scopeFlag(at clientconfig.Location) string {
	if at.Scope == at.Client.Scopes()[0] {
		return ""
	}
	return map[clientconfig.Scope]string{clientconfig.User: " -user", clientconfig.Project: " -project"}[at.Scope]
}

// checkCommand checks that a command starts this program in this version. A different
// program in a project's file is not run, because the project may have supplied both.
func (a *App) checkCommand(ctx context.Context, scope clientconfig.Scope, e clientconfig.Entry, detail string) (Status, string) {
	path, err := exec.LookPath(e.Command)
	if err != nil {
		return Broken, fmt.Sprintf("%s starts %s, which does not exist or cannot be run", detail, e.Command)
	}
	if mine, err := a.executable(); err == nil && sameFile(mine, path) {
		return OK, detail + " starts this program"
	}
	if len(e.Args) > 0 && e.Args[0] == "run" {
		return OK, detail + " runs this program from source"
	}
	if scope == clientconfig.Project {
		return Warning, fmt.Sprintf("%s starts %s, which is not this program; it was not run, because a file of the project names it", detail, path)
	}
	ctx, cancel := context.WithTimeout(ctx, shortTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		return Broken, fmt.Sprintf("%s starts %s, which does not work: %v", detail, path, err)
	}
	if version := strings.TrimSpace(string(out)); version != a.Name+" "+a.Version {
		return Warning, fmt.Sprintf("%s starts %s, which is %.80q and not %s %s", detail, path, version, a.Name, a.Version)
	}
	return OK, fmt.Sprintf("%s starts %s, of the same version", detail, path)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// missingRoot returns the first -root of a command line that is not a directory, or "".
func missingRoot(args []string) string {
	return firstPath(args, rootFlag, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.IsDir()
	})
}

// missingConfig returns the first -config of a command line that is not a file, or "".
func missingConfig(args []string) string {
	return firstPath(args, "config", func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || info.IsDir()
	})
}

// firstPath returns the first absolute path that a command line gives to a flag and that
// matches, or "". Other paths depend on where the client starts the server, or the client
// replaces them.
func firstPath(args []string, flag string, matches func(path string) bool) string {
	for i, arg := range args {
		name, path, joined := strings.Cut(arg, "=")
		if name != "-"+flag && name != "--"+flag {
			continue
		}
		if !joined && i+1 < len(args) {
			path = args[i+1]
		}
		if filepath.IsAbs(path) && matches(path) {
			return path
		}
	}
	return ""
}
