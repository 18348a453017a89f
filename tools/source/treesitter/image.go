package treesitter

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// imageFile is the file in which the memory of a grammar with compiled queries is kept for later processes. The compilation of the
// queries of a large grammar takes a second. The zero value keeps nothing.
type imageFile struct{ path string }

// imageVersion changes if the meaning of a stored image does.
const imageVersion = "1"

// newImageFile returns the file for a module and its queries in the cache directory dir, or the zero value without one.
func newImageFile(dir string, module []byte, split [queries]query) imageFile {
	if dir == "" {
		return imageFile{}
	}
	key := sha256.New()
	key.Write([]byte(imageVersion))
	digest := sha256.Sum256(module)
	key.Write(digest[:])
	for _, q := range split {
		digest := sha256.Sum256([]byte(q.text))
		key.Write(digest[:])
	}
	return imageFile{filepath.Join(dir, "queries-"+hex.EncodeToString(key.Sum(nil)[:16]))}
}

// imageName matches the names of stored images and of drafts that a killed process has left.
var imageName = regexp.MustCompile(`^(?:queries-[0-9a-f]{32}|\.queries-[0-9]+)$`)

const (
	// imageLifetime is the time after the last use in which an image is kept. Images of other versions are never read again.
	imageLifetime = 30 * 24 * time.Hour
	// imageUseInterval is the least time between two records of the use of an image.
	imageUseInterval = 24 * time.Hour
)

// markUsed records the use of an image as the modification time of its file.
func (f imageFile) markUsed() {
	now := time.Now()
	if info, err := os.Lstat(f.path); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > imageUseInterval {
		_ = os.Chtimes(f.path, now, now)
	}
}

// removeUnused deletes the images in the directory that were not used within imageLifetime. A file that another process has open can
// stay.
func (f imageFile) removeUnused() {
	dir := filepath.Dir(f.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !imageName.MatchString(e.Name()) || e.Name() == filepath.Base(f.path) {
			continue
		}
		// Info does not follow a symbolic link.
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > imageLifetime {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// read returns the image, or nil if the file is absent or damaged. A larger image than limit bytes counts as damaged.
func (f imageFile) read(limit int) []byte {
	if f.path == "" {
		return nil
	}
	packed, err := os.ReadFile(f.path)
	if err != nil || len(packed) < sha256.Size {
		return nil
	}
	image, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed[sha256.Size:])), int64(limit)+1))
	if digest := sha256.Sum256(image); err != nil || len(image) > limit || !bytes.Equal(digest[:], packed[:sha256.Size]) {
		return nil
	}
	f.markUsed()
	return image
}

// write stores an image: all of it, or nothing. It deletes images that are not used any more. An error costs later processes time only, so write returns none.
func (f imageFile) write(image []byte) {
	if f.path == "" {
		return
	}
	var packed bytes.Buffer
	digest := sha256.Sum256(image)
	packed.Write(digest[:])
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return
	}
	if _, err := w.Write(image); err != nil || w.Close() != nil {
		return
	}
	draft, err := os.CreateTemp(filepath.Dir(f.path), ".queries-*")
	if err != nil {
		return
	}
	_, err = draft.Write(packed.Bytes())
	if closed := draft.Close(); err == nil && closed == nil && os.Rename(draft.Name(), f.path) == nil {
		f.removeUnused()
		return
	}
	_ = os.Remove(draft.Name()) // an incomplete draft
}
