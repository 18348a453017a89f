package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/parsecheck"
)

// pack is a package of npm that holds sources.
type pack struct{ name, version, integrity string }

// The packages that tasks and corpora are made of.
var (
	expo        = pack{"expo-modules-core", "58.0.7", "sha512-Xbpl7tj6amAI6yobCZxIBBaIpt9aUWygTKGjwRmPfp+HlXDlV1SutJL+C6Z+buDRiz3NFJs7h8KElJva7iOWzg=="}
	reactNative = pack{"react-native", "0.86.3", "sha512-JR5s3bM9ezud+Mw24GlNXNfthqPIKwrQgPPJcam+L97t2sKjjEavhCzBn+fyqZZRcM5+XlhYxpTxVkK7e1n38Q=="}
	effect      = pack{"effect", "4.1.0", "sha512-lGx2MJJyrXA8RZb2UpQ/0Nkb5Utaimby7oD92+18noBxLPE85IFOvptdzau8dvcxAOwfwHo9iqapbKeFzqQM/Q=="}
	rxjs        = pack{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA=="}
	olderNative = pack{"react-native", "0.76.5", "sha512-op2p2kB+lqMF1D7AdX4+wvaR0OPFbvWYs+VBE7bwsb99Cn9xISrLRLAgFflZedQsa5HvnOGrULhtnmItbIKVVw=="}
	cordova     = pack{"cordova-android", "13.0.0", "sha512-uQG+cSyrB1NMi2aIzihldIupHB9WGpZVvrMMMAAtnyc6tDlEk7gweSSaFsEONyGAnteRYpIvrzg/YwDW08PcUg=="}
)

// npm is a directory of a package, from the registry or from the last time.
func (b *bench) npm(p pack, within string) (fs.FS, error) {
	return b.fetch(func(t testing.TB) fs.FS {
		return os.DirFS(filepath.Join(parsecheck.NPM(t, p.name, p.version, p.integrity), within))
	})
}

// jdk is the source of Java's own library, as Debian has it.
func (b *bench) jdk() (fs.FS, error) {
	return b.fetch(func(t testing.TB) fs.FS {
		z, err := zip.OpenReader(filepath.Join(parsecheck.Debian(t, "openjdk-17-source"), "usr/lib/jvm/openjdk-17/lib/src.zip"))
		if err != nil {
			t.Fatal(err)
		}
		return z // open to the end of the run
	})
}

// fetch calls what was written for tests.
func (b *bench) fetch(get func(t testing.TB) fs.FS) (found fs.FS, err error) {
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(missing)
			if !ok {
				panic(v)
			}
			err = failed.error
		}
	}()
	return get(quest{log: b.stderr}), nil
}

// quest stands for a test in the calls of package parsecheck.
type quest struct {
	testing.TB
	log io.Writer
}

// missing is what ends a quest.
type missing struct{ error }

func (quest) Helper()                      {}
func (q quest) Logf(f string, args ...any) { fmt.Fprintf(q.log, f+"\n", args...) }
func (quest) Fatal(args ...any)            { panic(missing{errors.New(fmt.Sprint(args...))}) }
func (quest) Fatalf(f string, args ...any) { panic(missing{fmt.Errorf(f, args...)}) }
func (quest) Skip(args ...any)             { panic(missing{errors.New(fmt.Sprint(args...))}) }
func (quest) Skipf(f string, args ...any)  { panic(missing{fmt.Errorf(f, args...)}) }
func (quest) TempDir() string              { return os.TempDir() }

// sources are the files of a directory with one of these endings, sorted.
func sources(from fs.FS, within string, endings ...string) ([]string, error) {
	var names []string
	err := fs.WalkDir(from, within, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && slices.Contains(endings, path.Ext(name)) {
			names = append(names, name)
		}
		return err
	})
	slices.Sort(names)
	return names, err
}

// copyFiles copies files into a directory and returns how many bytes they have.
func copyFiles(into string, from fs.FS, names []string) (int64, error) {
	var size int64
	for _, name := range names {
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return 0, err
		}
		to := filepath.Join(into, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return 0, err
		}
		size += int64(len(content))
	}
	return size, nil
}

// thin leaves at most so many of the names, evenly.
func thin(names []string, most int) []string {
	if most == 0 || len(names) <= most {
		return names
	}
	kept := make([]string, most)
	for i := range kept {
		kept[i] = names[i*len(names)/most]
	}
	return kept
}

// short is a name without the directories that say little.
func short(name string) string {
	const most = 44
	if len(name) <= most {
		return name
	}
	rest := name[len(name)-most:]
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		rest = rest[at:]
	}
	return "…" + rest
}
