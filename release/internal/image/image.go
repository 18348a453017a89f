// Package image writes container images as OCI image layouts, without a container engine:
// https://github.com/opencontainers/image-spec, version 1.1. [Image] describes an image of one program for several processors;
// [Image.Write] writes it as a tar archive.
package image

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/dougu-go/dougu/release/internal/pack"
)

// Media types of the specification.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// User is the user and group ID of the program in the container. It is no user of the host.
const User = 65532

// Image is an image of one program for several processors.
type Image struct {
	Name    string // "ghcr.io/dougu-go/cursorcli"
	Version string
	Time    time.Time
	Labels  map[string]string
	// Command is the program to start, and Args are its default arguments.
	Command, Args []string
	// Programs are the processor-specific files of the image.
	Programs []Program
}

// Program is the part of an image for one processor, on Linux.
type Program struct {
	Arch  string
	Files []pack.File
}

// descriptor refers to a blob.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    *platform         `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

type index struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Manifests     []descriptor      `json:"manifests"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        descriptor        `json:"config"`
	Layers        []descriptor      `json:"layers"`
	Annotations   map[string]string `json:"annotations,omitempty"`
}

type config struct {
	Created string `json:"created"`
	platform
	Config struct {
		User       string            `json:"User"`
		Env        []string          `json:"Env"`
		Entrypoint []string          `json:"Entrypoint"`
		Cmd        []string          `json:"Cmd"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []history `json:"history"`
}

type history struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

// layout collects the blobs of a layout.
type layout struct {
	files []pack.File
	known map[string]bool
}

// add adds a blob and returns its descriptor.
func (l *layout) add(mediaType string, content []byte) descriptor {
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	if !l.known[name] {
		l.known[name] = true
		l.files = append(l.files, pack.Text("blobs/sha256/"+name, content))
	}
	return descriptor{MediaType: mediaType, Digest: "sha256:" + name, Size: len(content)}
}

func (l *layout) addJSON(mediaType string, v any) (descriptor, error) {
	content, err := json.Marshal(v)
	return l.add(mediaType, content), err
}

// Write writes the layout as a tar archive (oci-archive).
func (m Image) Write(w io.Writer, certificates []byte) error {
	l := &layout{known: make(map[string]bool)}
	base, err := m.layer(baseFiles(certificates))
	if err != nil {
		return err
	}
	images := index{SchemaVersion: 2, MediaType: typeIndex, Annotations: m.Labels}
	for _, program := range m.Programs {
		own, err := m.layer(program.Files)
		if err != nil {
			return err
		}
		d, err := m.manifest(l, program.Arch, base, own)
		if err != nil {
			return err
		}
		images.Manifests = append(images.Manifests, d)
	}
	all, err := l.addJSON(typeIndex, images)
	if err != nil {
		return err
	}
	all.Annotations = map[string]string{
		"io.containerd.image.name": m.Name + ":" + m.Version, "org.opencontainers.image.ref.name": m.Version,
	}
	top, err := json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{all}})
	if err != nil {
		return err
	}
	files := append(l.files, pack.Text("index.json", top), pack.Text("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)))
	return pack.Tar(w, m.Time, files)
}

// layer is a layer of the file system.
type layer struct {
	compressed []byte
	diffID     string // digest of the uncompressed layer
}

func (m Image) layer(files []pack.File) (layer, error) {
	var archive, compressed bytes.Buffer
	if err := pack.Tar(&archive, m.Time, files); err != nil {
		return layer{}, err
	}
	z := gzip.NewWriter(&compressed)
	if _, err := z.Write(archive.Bytes()); err != nil {
		return layer{}, err
	}
	if err := z.Close(); err != nil {
		return layer{}, err
	}
	return layer{compressed.Bytes(), fmt.Sprintf("sha256:%x", sha256.Sum256(archive.Bytes()))}, nil
}

// manifest adds the image of one processor.
func (m Image) manifest(l *layout, arch string, layers ...layer) (descriptor, error) {
	created := m.Time.UTC().Format(time.RFC3339)
	c := config{Created: created, platform: platform{arch, "linux"}}
	c.Config.User = fmt.Sprintf("%d:%[1]d", User)
	c.Config.Env = []string{"PATH=/usr/local/bin", "HOME=/home/user", "SSL_CERT_FILE=/" + certificateFile}
	c.Config.Entrypoint, c.Config.Cmd, c.Config.WorkingDir, c.Config.Labels = m.Command, m.Args, "/work", m.Labels
	c.RootFS.Type = "layers"
	out := manifest{SchemaVersion: 2, MediaType: typeManifest, Annotations: m.Labels}
	for i, part := range layers {
		c.RootFS.DiffIDs = append(c.RootFS.DiffIDs, part.diffID)
		c.History = append(c.History, history{created, []string{"directories, user and certificates", "the program"}[min(i, 1)]})
		out.Layers = append(out.Layers, l.add(typeLayer, part.compressed))
	}
	var err error
	if out.Config, err = l.addJSON(typeConfig, c); err != nil {
		return descriptor{}, err
	}
	d, err := l.addJSON(typeManifest, out)
	d.Platform = &platform{arch, "linux"}
	return d, err
}

const certificateFile = "etc/ssl/certs/ca-certificates.crt"

// baseFiles returns the files of every image: the user, writable directories and certificates.
func baseFiles(certificates []byte) []pack.File {
	directory := func(name string, mode fs.FileMode, owner int) pack.File {
		return pack.File{Name: name, Mode: mode, Owner: owner}
	}
	return []pack.File{
		directory("etc/", 0o755, 0), directory("etc/ssl/", 0o755, 0), directory("etc/ssl/certs/", 0o755, 0),
		// The container may run as another user.
		directory("home/", 0o755, 0), directory("home/user/", fs.ModeSticky|0o777, User),
		directory("tmp/", fs.ModeSticky|0o777, 0), directory("work/", 0o755, User),
		pack.Text("etc/passwd", fmt.Appendf(nil, "root:x:0:0::/:/none\nuser:x:%d:%[1]d::/home/user:/none\n", User)),
		pack.Text("etc/group", fmt.Appendf(nil, "root:x:0:\nuser:x:%d:\n", User)),
		pack.Text(certificateFile, certificates),
	}
}
