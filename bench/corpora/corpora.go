// Package corpora gets the sources that benchmarks measure with: packages of npm and of
// Debian, which package corpus fetches for tests and keeps in the cache of the user.
// Nothing is downloaded until Allow was called.
package corpora

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/corpus"
)

// Allow lets the process download: who runs a benchmark asks for its corpora, and tests
// are content with what needs none.
func Allow() {
	if err := os.Setenv("DOUGU_CORPORA", "1"); err != nil {
		panic(err) // the name and the value are good
	}
}

// Pack is a package of npm, pinned by its digest.
type Pack struct{ Name, Version, Integrity string }

// The packages that several benchmarks use.
var (
	Expo = Pack{"expo-modules-core", "58.0.7", "sha512-Xbpl7tj6amAI6yobCZxIBBaIpt9aUWygTKGjwRmPfp+HlXDlV1SutJL+C6Z+buDRiz3NFJs7h8KElJva7iOWzg=="}
	RxJS = Pack{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA=="}
)

// NPM is a package of npm. What is fetched is told to log; what cannot be had is a
// Missing, here and below.
func NPM(log io.Writer, p Pack) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS { return os.DirFS(corpus.NPM(t, p.Name, p.Version, p.Integrity)) })
}

// Debian is a package of Debian.
func Debian(log io.Writer, name string) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS { return os.DirFS(corpus.Debian(t, name)) })
}

// JDK is the source of Java's own library, as Debian has it.
func JDK(log io.Writer) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS {
		z, err := zip.OpenReader(filepath.Join(corpus.Debian(t, "openjdk-17-source"), "usr/lib/jvm/openjdk-17/lib/src.zip"))
		if err != nil {
			t.Fatal(err)
		}
		return z // open to the end of the run
	})
}

// Missing is what cannot be fetched here.
type Missing struct{ Err error }

// Error implements error.
func (m Missing) Error() string { return m.Err.Error() }

// Unwrap is why.
func (m Missing) Unwrap() error { return m.Err }

// fetch calls what was written for tests.
func fetch(log io.Writer, get func(t testing.TB) fs.FS) (found fs.FS, err error) {
	defer func() {
		if v := recover(); v != nil {
			failed, ok := v.(Missing)
			if !ok {
				panic(v)
			}
			err = failed
		}
	}()
	return get(quest{log: log}), nil
}

// quest stands for a test in the calls of package corpus.
type quest struct {
	testing.TB
	log io.Writer
}

func (quest) Helper()                      {}
func (q quest) Logf(f string, args ...any) { fmt.Fprintf(q.log, f+"\n", args...) }
func (quest) Fatal(args ...any)            { panic(Missing{errors.New(fmt.Sprint(args...))}) }
func (quest) Fatalf(f string, args ...any) { panic(Missing{fmt.Errorf(f, args...)}) }
func (quest) Skip(args ...any)             { panic(Missing{errors.New(fmt.Sprint(args...))}) }
func (quest) Skipf(f string, args ...any)  { panic(Missing{fmt.Errorf(f, args...)}) }
func (quest) TempDir() string              { return os.TempDir() }

// Thin leaves at most so many of the names, evenly; 0 leaves all.
func Thin(names []string, most int) []string {
	if most == 0 || len(names) <= most {
		return names
	}
	kept := make([]string, most)
	for i := range kept {
		kept[i] = names[i*len(names)/most]
	}
	return kept
}
