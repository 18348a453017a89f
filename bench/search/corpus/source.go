package corpus

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
)

// source is the origin of files.
type source interface {
	open(log io.Writer) (fs.FS, error)
}

// pack is an npm package.
type pack corpora.Pack

func npm(name, version, integrity string) source { return pack{name, version, integrity} }

func (p pack) open(log io.Writer) (fs.FS, error) { return corpora.NPM(log, corpora.Pack(p)) }

// debian is a Debian package.
type debian string

func (d debian) open(log io.Writer) (fs.FS, error) { return corpora.Debian(log, string(d)) }

// javaSources are the sources of the Java class library.
type javaSources struct{}

func (javaSources) open(log io.Writer) (fs.FS, error) { return corpora.JDK(log) }

// goroot is the installed Go distribution.
type goroot struct{}

func (g goroot) dir(within string) (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("asking go for GOROOT: %w", err)
	}
	return filepath.EvalSymlinks(filepath.Join(strings.TrimSpace(string(out)), within))
}

func (g goroot) open(io.Writer) (fs.FS, error) {
	dir, err := g.dir("")
	return os.DirFS(dir), err
}
