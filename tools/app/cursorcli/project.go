package cursorcli

import (
	"io"
	"io/fs"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/tools/config"
)

// project is the first directory that the server was given, where its settings
// are. Links in it that lead elsewhere are not followed.
type project struct{ root *rootfs.Root }

func openProject(dir string) (*project, error) {
	root, err := rootfs.Open(dir)
	if err != nil {
		return nil, err
	}
	return &project{root}, nil
}

func (p *project) close() error { return p.root.Close() }

// dir is the absolute name of the directory, without links.
func (p *project) dir() string { return p.root.RealName() }

// settingsPath is the name of the file with the settings, for people.
func (p *project) settingsPath() string {
	return filepath.Join(p.root.Name(), filepath.FromSlash(settingsFile))
}

// read reads the file with the settings.
func (p *project) read() ([]byte, error) {
	return config.Read(func() (io.ReadCloser, error) { return p.root.OpenRegular(settingsFile) })
}

// generate makes the file with the settings, if there is none.
func (p *project) generate(content string) error {
	place, err := p.root.Place(settingsFile, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Info != nil {
		return fs.ErrExist
	}
	if err := place.MakeParents(0o755, rootfs.Process); err != nil {
		return err
	}
	_, err = place.Replace(rootfs.Replacement{Perm: 0o644, New: true}, rootfs.Content([]byte(content)))
	return err
}
