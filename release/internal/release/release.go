// Package release builds all files of a release from a source directory: archives, bundles, images, their descriptions, and the web
// site. [Make] is the entry point.
package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/notices"
	"github.com/dougu-go/dougu/release/internal/pack"
	"github.com/dougu-go/dougu/release/internal/plugin"
	"github.com/dougu-go/dougu/release/internal/registry"
	"github.com/dougu-go/dougu/release/internal/site"
	"github.com/dougu-go/dougu/tools/editor/vscode/extension"
)

// Options configures Make.
type Options struct {
	Root     string // root of the source
	Out      string // output directory, empty or missing
	Version  string // "1.2.3", without a v
	Time     time.Time
	Targets  []gobuild.Target
	Programs []catalog.Program
	// Verify is the target that is built a second time in another directory, to check that builds are reproducible; nil skips the
	// check.
	Verify *gobuild.Target
	Log    io.Writer
}

// maker builds one release. Each step of Make is a method: programs (programs.go) builds archives and
// bundles, images the container images, and verify the second build.
type maker struct {
	Options
	work    string // directory of intermediate files
	sources *notices.Source
	start   time.Time
}

// Make builds a release. On an error the output directory is incomplete.
func Make(ctx context.Context, o Options) (err error) {
	if entries, err := os.ReadDir(o.Out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; remove it, or name another directory", o.Out)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	m := &maker{Options: o, work: work, start: time.Now()}
	for _, dir := range []string{o.Out, filepath.Join(o.Out, "registry")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if m.sources, err = notices.Open(ctx, o.Root); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{m.programs, m.images, m.writePlugins, m.writeExtension, m.writeRegistry, m.writeSite, m.sums, m.verify} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	m.printProgress("done")
	return nil
}

// printProgress reports progress.
func (m *maker) printProgress(format string, args ...any) {
	fmt.Fprintf(m.Log, "%6.1fs %s\n", time.Since(m.start).Seconds(), fmt.Sprintf(format, args...))
}

// names returns the names of the programs.
func (m *maker) names() []string {
	var names []string
	for _, p := range m.Programs {
		names = append(names, p.Name)
	}
	return names
}

// binaries returns the directory of the programs for a target.
func (m *maker) binaries(t gobuild.Target) string { return filepath.Join(m.work, t.OS+"-"+t.Arch) }

// file returns a file name for a program and target, for example "cursorcli_1.2.3_linux_amd64.tar.gz".
func (m *maker) file(p catalog.Program, t gobuild.Target, kind string) string {
	return strings.Join([]string{p.Name, m.Version, t.OS, t.Arch}, "_") + kind
}

// create writes a file of the release. It writes nothing if write fails.
func (m *maker) create(name string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(m.Out, name), content.Bytes(), 0o644)
}

// writePlugins writes the marketplace of plugins for Claude Code.
func (m *maker) writePlugins(context.Context) error {
	files, err := plugin.Files(m.Programs, m.Version)
	if err != nil {
		return err
	}
	m.printProgress("plugins")
	return m.create("dougu_"+m.Version+"_claude-code.zip", func(w io.Writer) error { return pack.Zip(w, m.Time, files) })
}

// writeExtension writes the extension of VS Code.
func (m *maker) writeExtension(context.Context) error {
	m.printProgress("extension of VS Code")
	return m.create("dougu_"+m.Version+"_vscode.vsix", func(w io.Writer) error { return extension.Write(w, m.Version) })
}

// writeRegistry writes the files for the MCP registry.
func (m *maker) writeRegistry(context.Context) error {
	for _, p := range m.Programs {
		var bundles []registry.Bundle
		for _, t := range m.Targets {
			name := m.file(p, t, bundleKind)
			sum, err := fileSum(filepath.Join(m.Out, name))
			if err != nil {
				return err
			}
			bundles = append(bundles, registry.Bundle{File: name, SHA256: sum})
		}
		text, err := registry.File(p, m.Version, bundles)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		if err := os.WriteFile(filepath.Join(m.Out, "registry", p.Name+".server.json"), text, 0o644); err != nil {
			return err
		}
	}
	m.printProgress("registry")
	return nil
}

// writeSite writes the documentation as a web site.
func (m *maker) writeSite(context.Context) error {
	pages, err := site.Build(os.DirFS(m.Root), site.Options{Version: m.Version, Repository: catalog.Repository})
	if err != nil {
		return err
	}
	if err := pages.Write(filepath.Join(m.Out, "site")); err != nil {
		return err
	}
	m.printProgress("site of %d files", len(pages))
	return nil
}

// sums writes the checksums to SHA256SUMS. It includes the files of the output directory with a dot in
// their name, and the files of its directory registry, but not the web site.
func (m *maker) sums(context.Context) error {
	var lines []string
	for _, pattern := range []string{"*.*", "registry/*"} {
		files, err := filepath.Glob(filepath.Join(m.Out, pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			sum, err := fileSum(file)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(m.Out, file)
			if err != nil {
				return err
			}
			lines = append(lines, sum+"  "+filepath.ToSlash(name)+"\n")
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(m.Out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}

// fileSum returns the SHA-256 of a file in hexadecimal digits.
func fileSum(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
