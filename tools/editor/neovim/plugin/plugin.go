// Package plugin holds the plugin of Neovim that announces a running Neovim to package neovim, and installs it.
//
// The plugin is needed where servers do not find Neovim by themselves, see package neovim. Its files are Lua for Neovim 0.7 or later: the
// directory plugin loads them after the start of Neovim, lua/dougu is require('dougu'), and doc is the help. [Install] copies them to
// a directory of 'packpath', which Neovim loads, or which plugin managers can name.
package plugin

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed plugin/dougu.lua lua/dougu/*.lua doc/dougu.txt
var files embed.FS

// versionFile has the version of the plugin, as a Lua module.
const versionFile = "lua/dougu/version.lua"

// semantic matches the version in versionFile.
var semantic = regexp.MustCompile(`^return '(\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?)'\n$`)

// ErrForeign means that a directory has files that are not of the plugin.
var ErrForeign = errors.New("the directory has other files than those of the plugin")

// Version returns the version of the plugin in a directory. The error wraps fs.ErrNotExist if there is no plugin.
func Version(dir string) (string, error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(versionFile)))
	if err != nil {
		return "", fmt.Errorf("reading the version of the plugin of Neovim: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 200))
	if err != nil {
		return "", fmt.Errorf("reading the version of the plugin of Neovim: %w", err)
	}
	found := semantic.FindSubmatch(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if found == nil {
		return "", fmt.Errorf("reading the version of the plugin of Neovim: %s has none", f.Name())
	}
	return string(found[1]), nil
}

// Install writes the plugin to a directory, with the version of the program that it belongs to. It replaces an older plugin as a whole.
// The error wraps ErrForeign if the directory has other files.
func Install(dir, version string) error {
	fail := func(err error) error { return fmt.Errorf("installing the plugin of Neovim in %s: %w", dir, err) }
	line := fmt.Sprintf("return '%s'\n", version)
	if !semantic.MatchString(line) {
		return fail(fmt.Errorf("%.100q is not a version such as 1.2.3", version))
	}
	if err := check(dir); err != nil {
		return fail(err)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return fail(err)
	}
	// Neovim loads no directory whose name begins with a dot.
	draft, err := os.MkdirTemp(parent, ".dougu-")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(draft)
	if err := os.Chmod(draft, 0o755); err != nil {
		return fail(err)
	}
	for _, name := range names() {
		text, err := files.ReadFile(name)
		if err != nil {
			return fail(err)
		}
		if name == versionFile {
			text = []byte(line)
		}
		file := filepath.Join(draft, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fail(err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fail(err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fail(err)
	}
	if err := os.Rename(draft, dir); err != nil {
		return fail(err)
	}
	return nil
}

// Remove removes the plugin from a directory, and directories above it that are empty then, up to three. The error wraps ErrForeign if
// the directory has other files, and fs.ErrNotExist if there is no plugin.
func Remove(dir string) error {
	fail := func(err error) error { return fmt.Errorf("removing the plugin of Neovim from %s: %w", dir, err) }
	if _, err := os.Lstat(dir); err != nil {
		return fail(err)
	}
	if err := check(dir); err != nil {
		return fail(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fail(err)
	}
	for parent, n := filepath.Dir(dir), 0; n < 3 && os.Remove(parent) == nil; n++ { // it removes only an empty directory
		parent = filepath.Dir(parent)
	}
	return nil
}

// names returns the names of the files of the plugin, with slashes.
func names() []string {
	var all []string
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, name)
		}
		return err
	})
	return all
}

// check returns an error unless the directory is missing, or has only files of the plugin and an index of its help.
func check(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("it is a link or a file: %w", ErrForeign)
	}
	known := append(names(), "doc/tags")
	return fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		isDirectoryOf := func(file string) bool { return strings.HasPrefix(file, path.Clean(name)+"/") }
		if entry.IsDir() && (name == "." || slices.ContainsFunc(known, isDirectoryOf)) || entry.Type().IsRegular() && slices.Contains(known, name) {
			return nil
		}
		return fmt.Errorf("%s: %w", name, ErrForeign)
	})
}
