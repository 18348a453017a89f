// Package notices collects the licenses of the components of a program. [Source] finds the texts, [Document] writes them.
package notices

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/release/internal/gobuild"
)

// Module is a linked module with its license.
type Module struct {
	Path, Version string
	Sum           string // sum in go.sum; empty for the standard library
	ID            string // SPDX identifier of the license, for example "MIT"
	Texts         []Text
}

// Text is a license file.
type Text struct {
	Name    string
	Content []byte
}

// Source finds the directories of modules of a build.
type Source struct {
	dirs map[string]string // by path and version
	root string            // of the main module
	std  string            // root of the Go distribution
}

// Open lists the modules of the module in a directory with the go command.
func Open(ctx context.Context, root string) (*Source, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := &Source{dirs: make(map[string]string), root: root}
	out, err := run(ctx, root, "go", "list", "-mod=readonly", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var m struct{ Path, Version, Dir string }
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("reading what go list says: %w", err)
		}
		s.dirs[m.Path+"@"+m.Version] = m.Dir
	}
	out, err = run(ctx, root, "go", "env", "GOROOT")
	s.std = strings.TrimSpace(string(out))
	return s, err
}

func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &errs
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK="+gobuild.Workspace(dir), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w, %s", name, strings.Join(args, " "), err, bytes.TrimSpace(errs.Bytes()))
	}
	return out, nil
}

// licenceFile matches the names of license files.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([.-].*)?$`)

// Module returns a module with its license. A module without a known license is an error, because it must not be distributed.
func (s *Source) Module(path, version, sum string) (Module, error) {
	m := Module{Path: path, Version: version, Sum: sum}
	dir := s.dirs[path+"@"+version]
	if dir == "" {
		return m, fmt.Errorf("%s %s: its source is not there", path, version)
	}
	var err error
	if m.Texts, err = texts(dir); err != nil {
		return m, err
	}
	return m, m.identify()
}

// Std returns the standard library as a module.
func (s *Source) Std(version string) (Module, error) {
	m := Module{Path: "std", Version: version}
	content, err := os.ReadFile(filepath.Join(s.std, "LICENSE"))
	if errors.Is(err, fs.ErrNotExist) { // another location in some distributions
		return m, fmt.Errorf("the licence of Go is not in %s: %w", s.std, err)
	}
	if err != nil {
		return m, err
	}
	m.Texts = []Text{{"LICENSE", content}}
	return m, m.identify()
}

// texts returns the license files of a directory.
func texts(dir string) ([]Text, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []Text
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) || !e.Type().IsRegular() || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, Text{e.Name(), content})
	}
	return all, nil
}

// identify sets the identifier of the license.
func (m *Module) identify() error {
	for _, t := range m.Texts {
		if id := Identify(t.Content); id != "" && !slices.Contains(strings.Split(m.ID, " AND "), id) {
			m.ID = strings.TrimPrefix(m.ID+" AND "+id, " AND ")
		}
	}
	if m.ID == "" {
		return fmt.Errorf("%s %s: its licence is none that is known", m.Path, m.Version)
	}
	return nil
}

// Identify returns the SPDX identifier of a license text, or "".
func Identify(text []byte) string {
	flat := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	has := func(parts ...string) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(flat, part) })
	}
	switch {
	case has("apache license", "version 2.0", "terms and conditions"):
		return "Apache-2.0"
	case has("mozilla public license", "2.0"):
		return "MPL-2.0"
	case has("permission to use, copy, modify, and/or distribute"), has("permission to use, copy, modify, and distribute this software for any purpose"):
		return "ISC"
	case has("permission is hereby granted, free of charge", "the software is provided"):
		return "MIT"
	case has("redistribution and use in source and binary forms", "neither the name"), has("redistribution and use in source and binary forms", "may not be used to endorse"):
		return "BSD-3-Clause"
	case has("redistribution and use in source and binary forms"):
		return "BSD-2-Clause"
	case has("this is free and unencumbered software"):
		return "Unlicense"
	}
	return ""
}
