package image_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/release/internal/image"
	"github.com/dougu-go/dougu/release/internal/pack"
)

func sample() image.Image {
	program := func(text string) []pack.File { return []pack.File{pack.Executable("prog", []byte(text))} }
	return image.Image{
		Name: "example.com/prog", Version: "1.2.3", Time: time.Unix(1_700_000_000, 0), Labels: map[string]string{"a": "b"},
		Command: []string{"/prog"}, Args: []string{"-root", "/work"},
		Programs: []image.Program{{Arch: "amd64", Files: program("one")}, {Arch: "arm64", Files: program("two")}},
	}
}

// entries returns the files of a tar archive.
func entries(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if all[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

type descriptor struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ Architecture, OS string }
	Annotations       map[string]string
}

// layout reads an OCI layout. Every blob must match its digest and size.
type layout struct {
	t     *testing.T
	files map[string][]byte
	used  map[string]bool
}

func (l *layout) blob(d descriptor, mediaType string) []byte {
	l.t.Helper()
	name := "blobs/" + strings.Replace(d.Digest, ":", "/", 1)
	content, ok := l.files[name]
	if l.used[name] = true; !ok || d.MediaType != mediaType || d.Size != len(content) || d.Digest != fmt.Sprintf("sha256:%x", sha256.Sum256(content)) {
		l.t.Fatalf("%+v is not so, or no %s", d, mediaType)
	}
	return content
}

func (l *layout) read(content []byte, v any) {
	l.t.Helper()
	if err := json.Unmarshal(content, v); err != nil {
		l.t.Fatal(err)
	}
}

func TestWrite_Layout(t *testing.T) {
	var one, other bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &other} {
		if err := sample().Write(out, []byte("certificates")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), other.Bytes()) {
		t.Error("it is another one each time")
	}
	l := &layout{t, entries(t, &one), map[string]bool{"index.json": true, "oci-layout": true}}
	var version struct{ ImageLayoutVersion string }
	l.read(l.files["oci-layout"], &version)
	var top, images struct {
		SchemaVersion int
		Manifests     []descriptor
	}
	l.read(l.files["index.json"], &top)
	const index = "application/vnd.oci.image.index.v1+json"
	if version.ImageLayoutVersion != "1.0.0" || top.SchemaVersion != 2 || len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "1.2.3" {
		t.Fatalf("%+v, %+v", version, top)
	}
	l.read(l.blob(top.Manifests[0], index), &images)
	for i, want := range []struct{ arch, program string }{{"amd64", "one"}, {"arm64", "two"}} {
		if p := images.Manifests[i].Platform; p.Architecture != want.arch || p.OS != "linux" {
			t.Errorf("%+v", p)
		}
		l.check(images.Manifests[i], want.arch, want.program)
	}
	for name := range l.files {
		if !l.used[name] && !strings.HasSuffix(name, "/") {
			t.Errorf("nothing leads to %s", name)
		}
	}
}

// check checks the image for one processor.
func (l *layout) check(d descriptor, arch, program string) {
	var manifest struct {
		Config descriptor
		Layers []descriptor
	}
	l.read(l.blob(d, "application/vnd.oci.image.manifest.v1+json"), &manifest)
	var config struct {
		Architecture, OS string
		Created          time.Time
		Config           struct {
			User, WorkingDir     string
			Entrypoint, Cmd, Env []string
			Labels               map[string]string
		}
		RootFS struct {
			Type    string
			DiffIDs []string `json:"diff_ids"`
		}
	}
	l.read(l.blob(manifest.Config, "application/vnd.oci.image.config.v1+json"), &config)
	c := config.Config
	if config.Architecture != arch || config.OS != "linux" || config.RootFS.Type != "layers" || c.User != "65532:65532" || c.WorkingDir != "/work" ||
		!slices.Equal(c.Entrypoint, []string{"/prog"}) || !slices.Equal(c.Cmd, []string{"-root", "/work"}) || c.Labels["a"] != "b" || config.Created.Unix() != 1_700_000_000 {
		l.t.Errorf("%+v", config)
	}
	all := make(map[string][]byte)
	for i, layer := range manifest.Layers {
		z, err := gzip.NewReader(bytes.NewReader(l.blob(layer, "application/vnd.oci.image.layer.v1.tar+gzip")))
		if err != nil {
			l.t.Fatal(err)
		}
		content, err := io.ReadAll(z)
		if err != nil || config.RootFS.DiffIDs[i] != fmt.Sprintf("sha256:%x", sha256.Sum256(content)) {
			l.t.Errorf("layer %d is not what its identifier says: %v", i, err)
		}
		for name, file := range entries(l.t, bytes.NewReader(content)) {
			all[name] = file
		}
	}
	if string(all["prog"]) != program || string(all["etc/ssl/certs/ca-certificates.crt"]) != "certificates" || !strings.Contains(string(all["etc/passwd"]), ":65532:65532:") {
		l.t.Errorf("it has %q", all)
	}
}

func TestCertificates(t *testing.T) {
	text, err := image.Certificates()
	if err != nil {
		t.Fatal(err)
	}
	if pool := x509.NewCertPool(); !pool.AppendCertsFromPEM(text) || bytes.Count(text, []byte("BEGIN CERTIFICATE")) < 50 {
		t.Errorf("%d bytes are no certificates", len(text))
	}
}
