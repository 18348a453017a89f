package corpus

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"slices"
)

// MaxFile is the size limit of searched files, in bytes.
const MaxFile = 1 << 20

// Files returns the searched files of a directory, as sorted slash-separated relative paths. They are regular files up to MaxFile,
// outside hidden directories.
func Files(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name != dir && entry.Name()[0] == '.' {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		info, err := entry.Info()
		if err != nil || info.Size() == 0 || info.Size() > MaxFile {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		names = append(names, filepath.ToSlash(relative))
		return err
	})
	slices.Sort(names)
	return names, err
}

// IsText reports whether content begins like a text.
func IsText(content []byte) bool {
	return !bytes.Contains(content[:min(len(content), 8<<10)], []byte{0})
}
