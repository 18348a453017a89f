package corpus

import (
	"encoding/json"
	"errors"
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

// debianSource is the source of a Debian package.
type debianSource string

func (d debianSource) open(log io.Writer) (fs.FS, error) { return corpora.DebianSource(log, string(d)) }

// module is a Go module of the module proxy.
type module struct{ path, version, sum string }

// open returns the files of the module cache, which downloads the module if necessary. A module with another checksum is refused.
func (m module) open(log io.Writer) (fs.FS, error) {
	cmd := exec.Command("go", "mod", "download", "-json", m.path+"@"+m.version)
	cmd.Dir, cmd.Stderr = os.TempDir(), log // outside of every module, so that no go.mod is changed
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.Output()
	var downloaded struct{ Dir, Sum, Error string }
	if decodeErr := json.Unmarshal(out, &downloaded); err != nil || decodeErr != nil {
		return nil, corpora.Missing{Err: fmt.Errorf("downloading %s %s: %w %s", m.path, m.version, errors.Join(err, decodeErr), downloaded.Error)}
	}
	if downloaded.Sum != m.sum {
		return nil, fmt.Errorf("%s %s has the checksum %s, want %s", m.path, m.version, downloaded.Sum, m.sum)
	}
	return os.DirFS(downloaded.Dir), nil
}

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
