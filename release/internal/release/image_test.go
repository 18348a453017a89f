package release_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/release/internal/image"
	"github.com/dougu-go/dougu/transport"
)

// The program of an image runs with only the files of the image, as the image's user and as another user.
func TestImage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("images are for Linux")
	}
	chroot, err := exec.LookPath("chroot")
	testrequire.Thing(t, err == nil && os.Getuid() == 0, "the right to change the root directory", "run the test as root")
	dir := t.TempDir()
	command := unpackImage(t, dir)
	must(t, os.Chmod(dir, 0o755))
	for _, id := range []int{image.User, 1234} {
		user := strconv.Itoa(id)
		must(t, os.Chown(filepath.Join(dir, "work"), id, id))
		args := append([]string{"--userspec=" + user + ":" + user, "--groups=", dir}, command...)
		works(t, filepath.Join(dir, "work"), transport.Command{Path: chroot, Args: args, Environ: []string{"HOME=/home/user"}})
	}
	if _, err := os.Stat(filepath.Join(dir, "etc/ssl/certs/ca-certificates.crt")); err != nil {
		t.Error(err)
	}
}

// unpackImage unpacks the image of cursorcli for this machine into a directory and returns its command.
func unpackImage(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(made, "cursorcli_"+version+"_image.tar"))
	must(t, err)
	blobs := make(map[string][]byte)
	for archive := tar.NewReader(bytes.NewReader(content)); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		must(t, err)
		blobs["sha256:"+filepath.Base(h.Name)], err = io.ReadAll(archive)
		must(t, err)
	}
	read := func(digest string, v any) {
		t.Helper()
		must(t, json.Unmarshal(blobs[digest], v))
	}
	type descriptor struct{ Digest string }
	var index struct{ Manifests []descriptor }
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	var config struct {
		Architecture string
		Config       struct {
			Entrypoint, Cmd []string
			Labels          map[string]string
		}
	}
	read("sha256:index.json", &index)
	read(index.Manifests[0].Digest, &index)
	read(index.Manifests[0].Digest, &manifest)
	read(manifest.Config.Digest, &config)
	if config.Architecture != runtime.GOARCH || config.Config.Labels["io.modelcontextprotocol.server.name"] != "io.github.dougu-go/cursorcli" ||
		!strings.HasPrefix(config.Config.Entrypoint[0], "/") {
		t.Errorf("%+v", config)
	}
	for _, layer := range manifest.Layers {
		z, err := gzip.NewReader(bytes.NewReader(blobs[layer.Digest]))
		must(t, err)
		untar(t, dir, z)
	}
	return append(config.Config.Entrypoint, config.Config.Cmd...)
}
