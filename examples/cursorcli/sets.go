package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/config"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// files are the tools for files together with the Root that they work on.
type files struct {
	*fs.Files
	root *security.Root
}

// Close implements tools.Set.
func (f files) Close(ctx context.Context) error {
	return errors.Join(f.Files.Close(ctx), f.root.Close())
}

// sets makes the tools as the settings have them. told is what they tell a model
// of the settings, and may still be filled before they are used.
func (v *service) sets(l *config.Loaded[Config], told map[string]any) ([]tools.Set, error) {
	if err := v.checkStatsFile(l); err != nil {
		return nil, err
	}
	c := l.Config
	env := tools.Env{Limits: tools.Limits{MaxFile: c.Tools.FileOperations.MaxFileSize}, Log: v.logging.log, Audit: v.audit}
	measuring, err := telemetry.New(env, telemetry.Options{
		Server: identity(c), Recorder: v.recorder, Model: telemetry.ModelInfo{Name: v.options.model},
		Environment: v.options.variable, Prices: v.prices, StatsFile: v.options.statsFile,
	})
	if err != nil {
		return nil, err
	}
	working, err := v.files(l.Config, env, told)
	if err != nil {
		return nil, errors.Join(err, measuring.Close(context.Background()))
	}
	return []tools.Set{working, measuring}, nil
}

// checkStatsFile refuses a file that tools could write to.
func (v *service) checkStatsFile(l *config.Loaded[Config]) error {
	if v.options.statsFile == "" || v.at.readOnly {
		return nil
	}
	name, err := filepath.Abs(v.options.statsFile)
	if err != nil {
		return fmt.Errorf("finding the file of statistics: %w", err)
	}
	if _, own := ownFile(v.at.project(), name); !own && writable(l.Config, v.at, name) {
		return fmt.Errorf("tools could write to the statistics in %s: name a file outside of their directories, or one in %s/", name, settingsDir)
	}
	return nil
}

func (v *service) files(c Config, env tools.Env, told map[string]any) (tools.Set, error) {
	var dirs []string
	for _, dir := range directories(c, v.at) {
		dirs = append(dirs, dir.name)
	}
	root, err := security.OpenRoot(security.RootOptions{
		Dirs: dirs, ReadOnly: v.options.readOnly, Audit: v.audit, Logger: v.logging.log,
		Blocked: append(security.DefaultBlocked(), c.Tools.FileOperations.BlockedPatterns...),
	})
	if err != nil {
		return nil, err
	}
	env.Root = root
	set, err := fs.New(env, fs.Options{
		AllowDestructive: c.Security.AllowDestructiveOperations,
		Project:          fs.Project{Settings: told, Toolsets: []string{"fs", "telemetry"}},
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return files{set, root}, nil
}

func closeSets(sets []tools.Set) error {
	var failed []error
	for _, set := range sets {
		failed = append(failed, set.Close(context.Background()))
	}
	return errors.Join(failed...)
}
