package serverinstall

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// installGem installs a gem with its dependencies into the directory, and makes a script for each program that selects it.
func installGem(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error) {
	gem, err := c.lookUp("Ruby with RubyGems", "gem")
	if err != nil {
		return servercache.Record{}, err
	}
	ruby, err := c.lookUp("Ruby", "ruby")
	if err != nil {
		return servercache.Record{}, err
	}
	run := func(args ...string) (string, error) {
		out, err := c.run(ctx, command{program: gem, args: args, dir: dir, removed: []string{"RUBYOPT", "RUBYLIB", "GEM_HOME", "GEM_PATH", "BUNDLE_*", "BUNDLER_*"}})
		return strings.TrimSpace(string(out)), err
	}
	gems := filepath.Join(dir, "gems")
	if _, err := run("install", r.Package, "--version", r.Version, "--install-dir", gems, "--bindir", filepath.Join(gems, "bin"), "--no-document", "--no-user-install", "--env-shebang"); err != nil {
		return servercache.Record{}, err
	}
	path, err := run("environment", "gempath")
	if err != nil {
		return servercache.Record{}, err
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		return servercache.Record{}, err
	}
	record := servercache.Record{Version: r.Version, Programs: map[string]string{}}
	for _, name := range r.Programs {
		file := filepath.Join(bin, scriptName(name))
		text := gemScript(runtime.GOOS, ruby, filepath.Join(gems, "bin", name), gems+string(filepath.ListSeparator)+path)
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			return servercache.Record{}, err
		}
		record.Programs[name] = file
	}
	return record, nil
}

// gemScript returns a script of the operating system that starts a program of a gem with a GEM_PATH.
func gemScript(goos, ruby, program, path string) string {
	if goos == "windows" {
		percent := strings.NewReplacer("%", "%%")
		return "@echo off\r\nset \"GEM_PATH=" + percent.Replace(path) + "\"\r\n\"" + percent.Replace(ruby) + "\" \"" + percent.Replace(program) + "\" %*\r\n"
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	return "#!/bin/sh\nGEM_PATH=" + quote(path) + " exec " + quote(ruby) + " " + quote(program) + " \"$@\"\n"
}
