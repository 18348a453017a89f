// Package serverinstall installs language servers into the user's cache, for projects and machines that have none.
//
// A [Recipe] names a pinned version and the client of its ecosystem: npm, go, pip, rustup or gem. An [Installer] runs that client in
// a directory of the cache, with checksums that are part of this package, and then replaces the record of the server. Package
// servercache describes the directory and the record, which language servers are found by.
//
// # Guarantees
//
// The former version stays usable until all files of the new one are complete; an installation that fails, is canceled or killed
// leaves it unchanged. Installations of the same server wait for each other, also in other processes. The end of the context ends
// the client and all of its children. On Linux a former version is removed after the installation, unless it is running; elsewhere the
// next installation removes it.
//
// No file of a project takes part: clients are found on PATH outside of [Installer.Project], and run in the directory of the cache.
// The user's own configuration of a client, for example the address of a registry, is used; it cannot replace a checksum. Variables
// that make a client load or run other code are removed from its environment.
//
// # Limits
//
// Recipes with Unpinned have no checksums. Go modules are compiled, with the toolchain that the go command chooses.
package serverinstall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/lockfile"
	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// Installer installs and removes language servers. The zero value works in the user's cache with the environment of this process.
// Its methods may be called concurrently.
type Installer struct {
	// Dir is the directory of all servers. Default: dougu/language-servers in the user's cache directory.
	Dir string
	// Env is the environment of the clients, whose PATH they are found by. Default: the environment of this process.
	Env []string
	// Project are directories whose programs are never started, for example the project of an agent.
	Project []string
	// Progress receives what is being done, as a short text. Calls are not concurrent, also not those of several methods. It must not
	// call methods of the Installer. Default: nil.
	Progress func(text string)

	reporting sync.Mutex // held during a call of Progress
}

// Result describes an installed server.
type Result struct {
	// Version is the installed version.
	Version string
	// Programs are the absolute paths of its programs by name.
	Programs map[string]string
	// Existing is true if this version was installed before.
	Existing bool
}

// recipeInstaller installs a recipe into the empty directory dir, which the record refers to.
type recipeInstaller func(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error)

// recipeInstallers returns the function of each client.
func recipeInstallers() map[Client]recipeInstaller {
	return map[Client]recipeInstaller{NPM: installNPM, Go: installModule, Pip: installWheels, Rustup: installComponent, Gem: installGem}
}

// lockDir is the directory of the lock files. Its name cannot be that of a server.
const lockDir = ".locks"

// Install installs a recipe. If its version is installed completely, Install changes nothing.
func (i *Installer) Install(ctx context.Context, r Recipe) (_ Result, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("install %s: %w", r.Title(), err)
		}
	}()
	install := recipeInstallers()[r.Client]
	if install == nil {
		return Result{}, fmt.Errorf("there is no client %q", r.Client)
	}
	dir, release, err := i.lock(ctx, r.Name, "preparing the installation of "+r.Name)
	if err != nil {
		return Result{}, err
	}
	defer release()
	if programs, version, ok := servercache.Installed(dir, r.Name); ok && version == r.Version {
		return Result{Version: version, Programs: programs, Existing: true}, nil
	}
	former, err := servercache.Read(dir, r.Name)
	if err != nil {
		former = servercache.Record{} // none, or a damaged one
	}
	server := filepath.Join(dir, r.Name)
	if err := os.MkdirAll(server, 0o700); err != nil {
		return Result{}, explain(err)
	}
	removeVersions(server, former)
	version, err := os.MkdirTemp(server, r.Version+"-")
	if err != nil {
		return Result{}, explain(err)
	}
	i.report("installing " + r.Title() + " with " + string(r.Client))
	record, err := install(ctx, r, newCommands(i), version)
	if err == nil {
		err = checkPrograms(r, record)
	}
	if err == nil {
		record.Servers = r.Servers
		err = servercache.Write(dir, r.Name, record)
	}
	if err != nil {
		return Result{}, errors.Join(explain(err), os.RemoveAll(version))
	}
	if !keepsFormer {
		former = servercache.Record{}
	}
	removeVersions(server, record, former)
	return Result{Version: record.Version, Programs: record.Programs}, nil
}

// Uninstall removes a server and all of its files. The error is fs.ErrNotExist if it is not installed.
func (i *Installer) Uninstall(ctx context.Context, r Recipe) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("uninstall %s: %w", r.Name, err)
		}
	}()
	dir, release, err := i.lock(ctx, r.Name, "preparing the removal of "+r.Name)
	if err != nil {
		return err
	}
	defer release()
	server := filepath.Join(dir, r.Name)
	switch _, err := os.Lstat(server); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("it is not installed in %s: %w", dir, fs.ErrNotExist)
	case err != nil:
		return err
	}
	if r.Client == Rustup {
		if record, err := servercache.Read(dir, r.Name); err == nil {
			if err := removeComponent(ctx, r, newCommands(i), dir, record.Version); err != nil {
				return err
			}
		}
	}
	if err := servercache.Remove(dir, r.Name); err != nil {
		return err
	}
	return os.RemoveAll(server)
}

// Installed returns the installed version of a recipe. ok is false if it is not installed, or not completely.
func (i *Installer) Installed(r Recipe) (_ Result, ok bool) {
	dir, err := i.CacheDir()
	if err != nil {
		return Result{}, false
	}
	programs, version, ok := servercache.Installed(dir, r.Name)
	return Result{Version: version, Programs: programs, Existing: ok}, ok
}

// CacheDir returns the absolute path of Dir, or of its default.
func (i *Installer) CacheDir() (string, error) {
	if i.Dir == "" {
		return servercache.Dir()
	}
	return filepath.Abs(i.Dir)
}

// lock returns the directory of all servers, which it creates, and takes the lock of one server. doing is the text of the progress.
func (i *Installer) lock(ctx context.Context, server, doing string) (dir string, release func(), err error) {
	if dir, err = i.CacheDir(); err != nil {
		return "", nil, err
	}
	real, err := resolveExisting(dir)
	if err != nil {
		return "", nil, err
	}
	if slices.ContainsFunc(realDirs(i.Project), func(project string) bool { return isBelow(real, project) }) {
		return "", nil, fmt.Errorf("the directory %s is in the project; set %s to a directory outside of the project", dir, cacheVariable())
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, explain(err)
	}
	i.report(doing)
	release, err = lockfile.Take(ctx, filepath.Join(dir, lockDir, server+".lock"))
	return dir, release, err
}

// resolveExisting returns a path without links. Its last elements may be missing.
func resolveExisting(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	parent := filepath.Dir(path)
	if !errors.Is(err, fs.ErrNotExist) || parent == path {
		return real, err
	}
	if parent, err = resolveExisting(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// cacheVariable returns the environment variable by which the user's cache directory is moved.
func cacheVariable() string {
	switch runtime.GOOS {
	case "windows":
		return "LocalAppData"
	case "darwin":
		return "HOME"
	}
	return "XDG_CACHE_HOME"
}

func (i *Installer) report(text string) {
	if i.Progress == nil {
		return
	}
	i.reporting.Lock()
	defer i.reporting.Unlock()
	i.Progress(text)
}

// checkPrograms returns an error if a program of the recipe is missing.
func checkPrograms(r Recipe, record servercache.Record) error {
	for _, name := range r.Programs {
		path := record.Programs[name]
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("%s has installed no program %s; repeat the command, or install the server by its own instructions", r.Client, name)
		}
	}
	return nil
}
