package release

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/release/internal/bundle"
	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/notices"
	"github.com/dougu-go/dougu/release/internal/pack"
	"github.com/dougu-go/dougu/release/internal/parallel"
	"github.com/dougu-go/dougu/release/internal/sbom"
)

// Suffixes of a program's files.
const (
	bundleKind = ".mcpb"
	sbomKind   = ".cdx.json"
)

// atOnce is the number of programs packed concurrently. Each is in memory several times.
const atOnce = 2

// programs builds and packs the programs, one target after the other.
func (m *maker) programs(ctx context.Context) error {
	embedded := make([][]notices.Text, len(m.Programs))
	if err := parallel.Each(len(m.Programs), atOnce, func(i int) (err error) {
		embedded[i], err = m.sources.Embedded(ctx, m.Programs[i].Name)
		return err
	}); err != nil {
		return err
	}
	for _, t := range m.Targets {
		build := gobuild.Build{Dir: m.Root, Version: m.Version}
		if err := build.BuildTo(ctx, m.binaries(t), t, m.names()...); err != nil {
			return err
		}
		m.printProgress("%v built", t)
		if t.OS == runtime.GOOS && t.Arch == runtime.GOARCH {
			if err := m.ask(ctx, t); err != nil {
				return err
			}
		}
		if err := parallel.Each(len(m.Programs), atOnce, func(i int) error { return m.pack(m.Programs[i], t, embedded[i]) }); err != nil {
			return err
		}
		m.printProgress("%v packed", t)
	}
	return nil
}

// ask checks the version that the programs print, if they can run on this machine.
func (m *maker) ask(ctx context.Context, t gobuild.Target) error {
	for _, p := range m.Programs {
		out, err := exec.CommandContext(ctx, filepath.Join(m.binaries(t), t.Exe(p.Name)), "-version").Output()
		if want := p.Name + " " + m.Version; err != nil || strings.TrimSpace(string(out)) != want {
			return fmt.Errorf("%s: it says %q and not %q: %w", p.Name, out, want, err)
		}
	}
	return nil
}

// pack writes the archive, the bundle and the bill of materials of one program.
func (m *maker) pack(p catalog.Program, t gobuild.Target, embedded []notices.Text) error {
	binary, err := os.ReadFile(filepath.Join(m.binaries(t), t.Exe(p.Name)))
	if err != nil {
		return err
	}
	modules, module, err := m.linked(binary)
	if err != nil {
		return fmt.Errorf("%s for %v: %w", p.Name, t, err)
	}
	parts, err := sbom.Write(sbom.Subject{
		Name: p.Name, Version: m.Version, License: catalog.License, Module: module, System: t.String(), File: binary, Time: m.Time,
	}, modules)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(filepath.Join(m.Root, "LICENSE"))
	if err != nil {
		return err
	}
	texts := []pack.File{
		pack.Text("LICENSE", license), pack.Text("README.md", readme(p, m.Version)),
		pack.Text("THIRD-PARTY-NOTICES.txt", notices.Document(p.Name+" "+m.Version, modules, embedded)), pack.Text("sbom"+sbomKind, parts),
	}
	program := pack.Executable(t.Exe(p.Name), binary)
	compressed, err := pack.Compress(program)
	if err != nil {
		return err
	}
	if err := m.create(m.file(p, t, sbomKind), func(w io.Writer) error { _, err := w.Write(parts); return err }); err != nil {
		return err
	}
	if err := m.create(m.file(p, t, bundleKind), func(w io.Writer) error {
		return bundle.New(p, m.Version, t).Write(w, m.Time, compressed, texts)
	}); err != nil {
		return err
	}
	if t.OS == "windows" {
		return m.create(m.file(p, t, ".zip"), func(w io.Writer) error { return pack.Zip(w, m.Time, texts, compressed) })
	}
	return m.create(m.file(p, t, ".tar.gz"), func(w io.Writer) error { return pack.TarGz(w, m.Time, append(texts, program)) })
}

// ours is the path of the root module, and a prefix of the other modules of the repository.
const ours = "github.com/dougu-go/dougu"

// linked returns the foreign modules in a program's build information, and the path of its own module.
func (m *maker) linked(binary []byte) (all []notices.Module, main string, err error) {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return nil, "", err
	}
	std, err := m.sources.Std(strings.TrimPrefix(info.GoVersion, "go"))
	if err != nil {
		return nil, "", err
	}
	all = append(all, std)
	for _, d := range info.Deps {
		if d.Path == ours || strings.HasPrefix(d.Path, ours+"/") {
			continue // a module of this repository has the program's license
		}
		if d.Replace != nil {
			return nil, "", fmt.Errorf("%s is replaced", d.Path)
		}
		module, err := m.sources.Module(d.Path, d.Version, d.Sum)
		if err != nil {
			return nil, "", err
		}
		all = append(all, module)
	}
	return all, info.Main.Path, nil
}

// readme returns the text file beside a program.
func readme(p catalog.Program, version string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s %s\n\n%s\n\n", p.Name, version, p.About)
	fmt.Fprintf(&b, "Put the program into a directory of your PATH, then:\n\n    %s install    # finds the clients of this machine\n    %[1]s doctor\n    %[1]s help\n\n", p.Name)
	fmt.Fprintf(&b, "How to check what you have got, shell completion and everything else: %s/blob/main/docs/install.md\n\n", catalog.Repository)
	fmt.Fprintf(&b, "%s. What it is made of is in THIRD-PARTY-NOTICES.txt, and for programs in sbom%s (CycloneDX).\n", catalog.License, sbomKind)
	return b.Bytes()
}
