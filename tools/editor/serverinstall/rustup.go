package serverinstall

import (
	"context"
	"errors"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/internal/servercache"
)

// rustup returns a function that runs rustup in a directory, in which no project selects a toolchain.
func rustup(ctx context.Context, c *commands, dir string) (run func(args ...string) (string, error), err error) {
	program, err := c.lookUp("rustup", "rustup")
	return func(args ...string) (string, error) {
		out, err := c.run(ctx, command{program: program, args: args, dir: dir, removed: []string{"RUSTUP_TOOLCHAIN", "RUSTC_*", "RUSTFLAGS", "CARGO_BUILD_*"}})
		return strings.TrimSpace(string(out)), err
	}, err
}

// installComponent adds a component to the default toolchain of rustup. The version of the record is the name of the toolchain.
func installComponent(ctx context.Context, r Recipe, c *commands, dir string) (servercache.Record, error) {
	run, err := rustup(ctx, c, dir)
	if err != nil {
		return servercache.Record{}, err
	}
	active, err := run("show", "active-toolchain")
	if err != nil {
		return servercache.Record{}, err
	}
	words := strings.Fields(active)
	if len(words) == 0 {
		return servercache.Record{}, errors.New("rustup has no default toolchain; run \"rustup default stable\" and repeat the command")
	}
	toolchain := words[0]
	if _, err := run("component", "add", "--toolchain", toolchain, r.Package); err != nil {
		return servercache.Record{}, err
	}
	record := servercache.Record{Version: toolchain, Programs: map[string]string{}}
	for _, name := range r.Programs {
		if record.Programs[name], err = run("which", "--toolchain", toolchain, name); err != nil {
			return servercache.Record{}, err
		}
	}
	return record, nil
}

// removeComponent removes a component from a toolchain.
func removeComponent(ctx context.Context, r Recipe, c *commands, dir, toolchain string) error {
	run, err := rustup(ctx, c, dir)
	if err != nil {
		return err
	}
	_, err = run("component", "remove", "--toolchain", toolchain, r.Package)
	return err
}
