package headless_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// plantedErrors are small projects with one error, for servers of the catalogue that have no test of their own. sprung is a file that
// code of the project would make.
var plantedErrors = []struct {
	server, files, path, want string
	trust                     bool
}{
	{server: "basedpyright", path: "a.py", files: "-- a.py --\nx: int = 'text'\n", want: "reportAssignmentType"},
	{server: "bash-language-server", path: "a.sh", files: "-- a.sh --\n#!/bin/bash\nif true; then\n  echo \"$x\"\n", want: "Couldn't find 'fi'"},
	{server: "yaml-language-server", path: "a.yaml", files: "-- a.yaml --\na: 1\na: 2\n", want: "unique"},
	{server: "json", path: "a.json", files: "-- a.json --\n{\"$schema\": \"./s.json\", \"n\": \"x\"}\n-- s.json --\n{\"properties\": {\"n\": {\"type\": \"number\"}}}\n", want: "Incorrect type"},
	{server: "css", path: "a.css", files: "-- a.css --\na { color: red\n", want: "expected"},
	{server: "html", path: "a.html", files: "-- a.html --\n<style>a { color: }</style>\n", want: "property value expected"},
	{server: "svelte", path: "A.svelte", files: "-- tsconfig.json --\n{}\n-- svelte.config.js --\nrequire('fs').writeFileSync(__dirname + '/sprung', '')\n" +
		"-- A.svelte --\n<script lang=\"ts\">\n  let n: number = 'text';\n</script>\n<p>{n}</p>\n", want: "not assignable"},
	{server: "vue", path: "A.vue", trust: true, files: "-- tsconfig.json --\n{\"compilerOptions\": {\"strict\": true}}\n-- A.vue --\n<script setup lang=\"ts\">\nconst n: number = 'text'\n</script>\n<template>{{ n }}</template>\n", want: "not assignable"},
	{server: "dockerfile", path: "Dockerfile", files: "-- Dockerfile --\nFROM scratch\nRUNN x\n", want: "Unknown instruction"},
	{server: "prisma", path: "schema.prisma", trust: true, files: "-- schema.prisma --\nmodel User {\n  id Int @idd\n}\n", want: "Attribute not known"},
	{server: "intelephense", path: "a.php", files: "-- a.php --\n<?php\nfunction f(): int { return 1; }\ng();\n", want: "Undefined function"},
}

// TestCatalogue_PlantedErrors checks that the servers of the catalogue find an error in a small project.
func TestCatalogue_PlantedErrors(t *testing.T) {
	dir := os.Getenv("DOUGU_LSP_NODE")
	search := append([]string{filepath.Join(dir, "node_modules", ".bin")}, filepath.SplitList(os.Getenv("PATH"))...)
	for _, tc := range plantedErrors {
		t.Run(tc.server, func(t *testing.T) {
			t.Parallel()
			all := headless.DefaultServers()
			i := slices.IndexFunc(all, func(s headless.Server) bool { return s.Name == tc.server })
			s := all[i]
			s.Fallback = false
			found := slices.ContainsFunc(search, func(dir string) bool {
				_, err := exec.LookPath(filepath.Join(dir, s.Command))
				return err == nil && filepath.IsAbs(dir)
			})
			testrequire.Deep(t, found, s.Command, "run npm ci --prefix internal/test/e2e/programs --ignore-scripts, and set DOUGU_LSP_NODE to that directory")
			if !s.Tested || s.RunsProject != tc.trust {
				t.Errorf("tested %v, runs the project %v", s.Tested, s.RunsProject)
			}
			p := open(t, tc.files, headless.Options{Servers: []headless.Server{s}, Formatters: []headless.Formatter{}, Search: search, TrustProject: tc.trust})
			d, err := p.Diagnose(long(t), []string{p.path(tc.path)})
			lines := strings.Join(p.show(d.Items), "\n")
			if c := p.checkOf(d, tc.path); err != nil || c.State == adapter.Unchecked || !strings.Contains(lines, tc.want) {
				t.Errorf("%+v, %q, %v\n%s", c, d.Notes, err, lines)
			}
			if _, err := os.Stat(p.path("sprung")); err == nil {
				t.Error("code of the project was run")
			}
		})
	}
}

// A trusted project's own server is used without another one on the machine.
func TestCatalogue_ServerOfProject(t *testing.T) {
	modules := filepath.Join(os.Getenv("DOUGU_LSP_NODE"), "node_modules")
	_, err := os.Stat(filepath.Join(modules, ".bin", "yaml-language-server"))
	testrequire.Deep(t, err == nil && filepath.IsAbs(modules), "yaml-language-server", "run npm ci --prefix internal/test/e2e/programs --ignore-scripts, and set DOUGU_LSP_NODE to that directory")
	for _, trust := range []bool{false, true} {
		p := open(t, "-- a.yaml --\na: 1\na: 2\n", headless.Options{Formatters: []headless.Formatter{}, Search: []string{t.TempDir()}, TrustProject: trust})
		if err := os.Symlink(modules, p.path("node_modules")); err != nil {
			t.Fatal(err)
		}
		d, err := p.Diagnose(long(t), []string{p.path("a.yaml")})
		if c := p.checkOf(d, "a.yaml"); err != nil || trust != (len(d.Items) > 0) || !trust && !strings.Contains(c.Reason, "only in the project") {
			t.Errorf("trusted %v: %+v, %v", trust, d, err)
		}
	}
}
