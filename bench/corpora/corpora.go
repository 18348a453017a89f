// Package corpora provides source text for benchmarks: packages of npm and Debian. Package corpus downloads them and stores them in
// the user's cache. Nothing is downloaded before Allow was called.
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

// Allow enables downloads in this process. Benchmarks call it; tests use only available corpora.
func Allow() {
	if err := os.Setenv("DOUGU_CORPORA", "1"); err != nil {
		panic(err) // name and value are valid
	}
}

// Pack is an npm package with its integrity digest.
type Pack struct{ Name, Version, Integrity string }

// Packages that several benchmarks use.
var (
	Expo = Pack{"expo-modules-core", "58.0.7", "sha512-Xbpl7tj6amAI6yobCZxIBBaIpt9aUWygTKGjwRmPfp+HlXDlV1SutJL+C6Z+buDRiz3NFJs7h8KElJva7iOWzg=="}
	RxJS = Pack{"rxjs", "7.8.2", "sha512-dhKf903U/PQZY6boNNtAGdWbG85WAbjT/1xYoZIC7FAY0yWapOBQVsVrDl58W86//e1VpMNBtRV4MaXfdMySFA=="}
)

// NPM returns the files of an npm package. Downloads are logged to log. If the package is not available, the error is a Missing.
func NPM(log io.Writer, p Pack) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS { return os.DirFS(corpus.NPM(t, p.Name, p.Version, p.Integrity)) })
}

// Debian returns the files of a Debian package. If it is not available, the error is a Missing.
func Debian(log io.Writer, name string) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS { return os.DirFS(corpus.Debian(t, name)) })
}

// DebianSource returns the source of a Debian package. If it is not available, the error is a Missing.
func DebianSource(log io.Writer, name string) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS { return os.DirFS(corpus.DebianSource(t, name)) })
}

// JDK returns the source of the Java class library, from Debian. If it is not available, the error is a Missing.
func JDK(log io.Writer) (fs.FS, error) {
	return fetch(log, func(t testing.TB) fs.FS {
		z, err := zip.OpenReader(filepath.Join(corpus.Debian(t, "openjdk-17-source"), "usr/lib/jvm/openjdk-17/lib/src.zip"))
		if err != nil {
			t.Fatal(err)
		}
		return z // stays open until the process ends
	})
}

// Missing is the error of a package that is not available.
type Missing struct{ Err error }

// Error implements error.
func (m Missing) Error() string { return m.Err.Error() }

// Unwrap returns the cause.
func (m Missing) Unwrap() error { return m.Err }

// fetch calls a function that was written for tests.
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

// quest implements testing.TB for the calls of package corpus.
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

// Thin returns at most most names, at equal intervals; 0 returns all.
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
