package release

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/release/internal/catalog"
	"github.com/dougu-go/dougu/release/internal/gobuild"
	"github.com/dougu-go/dougu/release/internal/image"
	"github.com/dougu-go/dougu/release/internal/pack"
	"github.com/dougu-go/dougu/release/internal/parallel"
)

// imageKind is the suffix of image files.
const imageKind = "_image.tar"

// images writes the container images, each for all processors on Linux.
func (m *maker) images(context.Context) error {
	linux := slices.DeleteFunc(slices.Clone(m.Targets), func(t gobuild.Target) bool { return t.OS != "linux" })
	programs := slices.DeleteFunc(slices.Clone(m.Programs), func(p catalog.Program) bool { return !p.Contained })
	if len(linux) == 0 || len(programs) == 0 {
		return nil
	}
	certificates, err := image.Certificates()
	if err != nil {
		return err
	}
	if err := parallel.Each(len(programs), atOnce, func(i int) error {
		p := programs[i]
		made, err := m.image(p, linux)
		if err != nil {
			return err
		}
		return m.create(p.Name+"_"+m.Version+imageKind, func(w io.Writer) error { return made.Write(w, certificates) })
	}); err != nil {
		return err
	}
	m.printProgress("images")
	return nil
}

func (m *maker) image(p catalog.Program, targets []gobuild.Target) (image.Image, error) {
	place := map[string]string{"directory": "/work", "file": "/work/mcp.json"}[p.Setting.Kind]
	made := image.Image{
		Name: p.Image(), Version: m.Version, Time: m.Time, Command: []string{"/usr/local/bin/" + p.Name}, Args: []string{p.Setting.Flag, place},
		Labels: map[string]string{
			"org.opencontainers.image.title": p.Title, "org.opencontainers.image.description": p.About, "org.opencontainers.image.version": m.Version,
			"org.opencontainers.image.source": catalog.Repository, "org.opencontainers.image.licenses": catalog.License,
			"org.opencontainers.image.created": m.Time.UTC().Format("2006-01-02T15:04:05Z07:00"),
			// The MCP registry checks this label to assign the image to the server.
			"io.modelcontextprotocol.server.name": p.Server(),
		},
	}
	for _, t := range targets {
		binary, err := os.ReadFile(filepath.Join(m.binaries(t), p.Name))
		if err != nil {
			return made, err
		}
		made.Programs = append(made.Programs, image.Program{Arch: t.Arch, Files: []pack.File{
			{Name: "usr/", Mode: 0o755}, {Name: "usr/local/", Mode: 0o755}, {Name: "usr/local/bin/", Mode: 0o755}, pack.Executable("usr/local/bin/"+p.Name, binary),
		}})
	}
	return made, nil
}
