package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed all:web/dist
var dist embed.FS

// assets are the files of the page, kept in memory plain and compressed.
type assets struct{ files map[string]*asset }

// asset is one file of the page.
type asset struct {
	kind        string // media type
	etag        string // entity tag, with quotes
	plain       []byte
	gzipped     []byte // nil if compression saves too little
	isImmutable bool   // the file name changes with the content
}

func newAssets() (*assets, error) {
	a := &assets{make(map[string]*asset)}
	err := fs.WalkDir(dist, "web/dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := newAsset(name, content)
		a.files[strings.TrimPrefix(name, "web/dist")] = f
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the page: %w", err)
	}
	if a.files["/index.html"] == nil {
		return nil, fmt.Errorf("reading the page: it has no index.html")
	}
	return a, nil
}

func newAsset(name string, content []byte) (*asset, error) {
	sum := sha256.Sum256(content)
	f := &asset{kind: mediaType(name), etag: `"` + hex.EncodeToString(sum[:8]) + `"`, plain: content, isImmutable: strings.Contains(name, "/assets/")}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if packed.Len() < len(content)*9/10 {
		f.gzipped = packed.Bytes()
	}
	return f, nil
}

// mediaType returns the media type of a file. Types of the page are fixed, because systems
// configure them differently.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	case ".webmanifest":
		return "application/manifest+json"
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// ServeHTTP serves a file, and the page for every path without an extension.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
		return
	}
	f := a.files[r.URL.Path]
	if f == nil && path.Ext(r.URL.Path) == "" {
		f = a.files["/index.html"]
	}
	if f == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.etag)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if f.isImmutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Header.Get("If-None-Match") == f.etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if f.gzipped != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = f.gzipped
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

func acceptsGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if name == "gzip" {
			q := strings.TrimSpace(quality)
			return !strings.HasPrefix(q, "q=0") || strings.Trim(q, "q=0.") != ""
		}
	}
	return false
}
