package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

// indexed is the output of a process that has indexed a tree.
type indexed struct {
	Wall, CPU time.Duration
	Peak      int64 // maximum memory in bytes
	Files     int
	Disk      int64
}

// engine indexes a directory into another one, in a separate process.
type engine struct {
	name, what string
	run        func(ctx context.Context, from, into string) (files int, err error)
}

func engines() []engine {
	return []engine{
		{"ours", "package filesystem into segment: words, trigrams, fingerprints", indexDougu},
		{"bleve, pieces", "bleve of the same pieces", indexBlevePieces},
		{"bleve, files", "bleve of whole files", indexBleveFiles},
	}
}

// ftsEngines returns the variants of FTS5, beside this library's engine.
func ftsEngines() []engine {
	return []engine{
		{"fts5", "FTS5 of the same pieces: trigrams", indexFTS(ftsTrigrams)},
		{"fts5-ranked", "FTS5 of the same pieces: words of package token by field; trigrams of files", indexFTS(ftsTokens)},
	}
}

// index is the function of this program as a separate process: it measures one engine.
func (b *bench) index(ctx context.Context, name, from, into string) error {
	for _, e := range append(engines(), ftsEngines()...) {
		if e.name != name {
			continue
		}
		stop, err := startProfile(b.profile)
		if err != nil {
			return err
		}
		start := time.Now()
		files, err := e.run(ctx, from, into)
		err = errors.Join(err, stop())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		said := indexed{Wall: time.Since(start), CPU: driver.OwnCPU(), Files: files}
		if _, said.Peak, err = driver.Resident(os.Getpid()); err != nil {
			return err
		}
		if said.Disk, err = sizeOf(into); err != nil {
			return err
		}
		return json.NewEncoder(b.stdout).Encode(said)
	}
	return fmt.Errorf("there is no engine %q", name)
}

// startProfile starts a CPU profile. An empty file name makes none.
func startProfile(name string) (stop func() error, err error) {
	if name == "" {
		return func() error { return nil }, nil
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return file.Close()
	}, nil
}

// measure indexes a directory in another process.
func (b *bench) measure(ctx context.Context, e engine, from, into string) (indexed, error) {
	if err := os.RemoveAll(into); err != nil {
		return indexed{}, err
	}
	cmd := exec.CommandContext(ctx, b.program, "-index", e.name, "-from", from, "-into", into)
	cmd.Stderr = b.stderr
	out, err := cmd.Output()
	if err != nil {
		return indexed{}, fmt.Errorf("indexing with %s: %w", e.name, err)
	}
	var said indexed
	if err := json.Unmarshal(out, &said); err != nil {
		return indexed{}, fmt.Errorf("indexing with %s: it says %.200q: %w", e.name, out, err)
	}
	return said, nil
}

// sizeOf returns the total size of the files in a directory, in bytes.
func sizeOf(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
