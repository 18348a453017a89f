package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// line is the content of the files of a tree.
const line = "The quick brown fox jumps over the lazy dog; 0123456789.\n"

// makeTree creates a directory with n files of several kinds, a hundred in each subdirectory. One in fifty is a .rs file.
func makeTree(dir string, n, size int) error {
	content := []byte(strings.Repeat(line, size/len(line)+1)[:size])
	extensions := []string{"go", "ts", "md", "json", "py"}
	for i := range n {
		within := filepath.Join(dir, fmt.Sprintf("pkg%03d", i/1000), fmt.Sprintf("part%02d", i/100%10))
		if i%100 == 0 {
			if err := os.MkdirAll(within, 0o755); err != nil {
				return err
			}
		}
		extension := extensions[i%len(extensions)]
		if i%50 == 7 {
			extension = "rs"
		}
		if err := os.WriteFile(filepath.Join(within, fmt.Sprintf("file%05d.%s", i, extension)), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// makeHuge creates a sparse file with text at its beginning and end.
func makeHuge(name string, size int64) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	part := strings.Repeat(line, 4096)
	for _, at := range []int64{0, size - int64(len(part))} {
		if _, err := f.WriteAt([]byte(part), at); err != nil {
			return err
		}
	}
	return f.Close()
}
