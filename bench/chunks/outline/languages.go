package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// measureLanguages prints a row for each language in the directories: declarations found by the scanners, a digest of them, and
// megabytes per second of processor time in the best round. most limits the bytes of a language.
func measureLanguages(ctx context.Context, out io.Writer, dirs []string, rounds, most int) error {
	texts, size := map[source.Language][][]byte{}, map[source.Language]int{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			lang, ok := source.LanguageOf(name, nil)
			if !ok || size[lang] >= most || !slices.Contains((outline.Parser{}).Languages(), lang) {
				return nil
			}
			src, err := os.ReadFile(name)
			texts[lang] = append(texts[lang], src)
			size[lang] += len(src)
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "| language | files | MB | declarations | calls | unsure | MB/s | MB/s with calls | digest |\n|---|---|---|---|---|---|---|---|---|")
	for _, lang := range slices.Sorted(maps.Keys(texts)) {
		speed := [2]float64{}
		var found tally
		for range max(rounds, 1) {
			for i, calls := range []bool{false, true} {
				begun := processorTime()
				t, err := scanAll(ctx, texts[lang], lang, source.Options{Calls: calls}, nil)
				if err != nil {
					return err
				}
				took := processorTime() - begun
				speed[i] = max(speed[i], float64(size[lang])/math.Max(took.Seconds(), 1e-6)/1e6)
				found = t
			}
		}
		digest := sha256.New()
		if _, err := scanAll(ctx, texts[lang], lang, source.Options{Calls: true}, digest); err != nil {
			return err
		}
		fmt.Fprintf(out, "| %s | %d | %.1f | %d | %d | %d | %.0f | %.0f | %.4x |\n", lang, len(texts[lang]), float64(size[lang])/1e6,
			found.chunks, found.calls, found.unsure, speed[0], speed[1], digest.Sum(nil))
	}
	return nil
}

// tally counts declarations.
type tally struct{ chunks, calls, unsure int }

// scanAll scans texts and writes the results to digest, unless it is nil.
func scanAll(ctx context.Context, texts [][]byte, lang source.Language, o source.Options, digest io.Writer) (t tally, err error) {
	for _, src := range texts {
		found, err := outline.Parser{}.Parse(ctx, src, lang, o)
		if _, doubt := errors.AsType[*source.UnsureError](err); doubt {
			t.unsure++
		} else if err != nil {
			return t, err
		}
		found = cmp.Or(found, &source.File{})
		t.chunks += len(found.Chunks)
		t.calls += len(found.Calls)
		if digest != nil {
			fmt.Fprintf(digest, "%+v\n", *found)
		}
	}
	return t, nil
}

// processorTime returns the user and system time of this process.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
