package cursorcli

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/tools/config"
)

// project is the first directory of the server, which contains the settings file. Links
// that lead out of it are not followed.
type project struct{ root *rootfs.Root }

func openProject(dir string) (*project, error) {
	root, err := rootfs.Open(dir)
	if err != nil {
		return nil, err
	}
	return &project{root}, nil
}

func (p *project) close() error { return p.root.Close() }

// dir returns the absolute path of the directory, without links.
func (p *project) dir() string { return p.root.RealName() }

// settingsPath returns the path of the settings file, for messages.
func (p *project) settingsPath() string {
	return filepath.Join(p.root.Name(), filepath.FromSlash(settingsFile))
}

// read reads the settings file.
func (p *project) read() ([]byte, error) {
	return config.Read(func() (io.ReadCloser, error) { return p.root.OpenRegular(settingsFile) })
}

// generate creates the settings file, and a .gitignore beside it unless there is one. If the settings file exists, the error
// is fs.ErrExist.
func (p *project) generate(content string) error {
	if err := p.create(settingsFile, content); err != nil {
		return err
	}
	err := p.create(settingsDir+"/"+projectfile.Gitignore, projectfile.GitignoreContent(path.Base(settingsFile), "logs/"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// create creates a file and the directory that holds it. If the file exists, the error is fs.ErrExist.
func (p *project) create(name, content string) error {
	place, err := p.root.Place(name, false)
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
