package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/tools/source"
)

// corpora reads the source files below directories, by language, up to size bytes for each.
func corpora(dirs string, size int) (map[source.Language][][]byte, error) {
	files, room := map[source.Language][][]byte{}, map[source.Language]int{}
	for _, dir := range filepath.SplitList(dirs) {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			lang, ok := source.LanguageOf(name, nil)
			if !ok {
				return nil
			}
			if info, err := entry.Info(); err != nil || info.Size() < 500 || info.Size() > 500_000 || room[lang]+int(info.Size()) > size {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files[lang] = append(files[lang], text)
			room[lang] += len(text)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files[source.TSX]) == 0 { // it reads the same texts, nearly
		files[source.TSX] = files[source.TypeScript]
	}
	return files, nil
}

// fastest returns the processor time of this thread for all texts, in the fastest of some rounds, after a warm-up.
func fastest(rounds int, texts [][]byte, f func(src []byte) error) (time.Duration, error) {
	best := time.Duration(1<<63 - 1)
	for round := range rounds + 1 {
		before := processorTime()
		for _, text := range texts {
			if err := f(text); err != nil {
				return 0, err
			}
		}
		if spent := processorTime() - before; round > 0 && spent < best {
			best = spent
		}
	}
	return best, nil
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
