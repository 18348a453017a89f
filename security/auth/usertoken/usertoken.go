// Package usertoken keeps the bearer token of a program in a file of its user, so that
// clients of the same user can reach the program on this machine, and clients of other users cannot.
//
// The file is dougu/tokens/PROGRAM in the directory for the user's settings. The token is
// made once. Without a place for the file it is good for one run of the program.
package usertoken

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/internal/logfile"
	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	// size is the length of a token in bytes, before its encoding.
	size = 32
	// maxFile bounds the size of a file with a token, in bytes.
	maxFile = 1 << 10
)

// Token is a bearer token, RFC 6750.
type Token struct {
	Text string
	File string // where it is kept; empty if the user has no directory for settings
	New  bool   // made by this call
	// Unkept is why the token could not be written to File and is good for this process
	// alone; nil if it is kept.
	Unkept error
}

// RefusedError says that a file exists and is not safe, or holds no token.
type RefusedError struct {
	File string
	Why  string
}

// Error names the next step, too.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the token in %s is not used: %s; remove it, and the next start makes a new token, which clients need then", e.File, e.Why)
}

// File is where the token of a program is kept. settings is the user's directory for
// settings.
func File(settings, program string) string { return filepath.Join(settings, directory, program) }

var directory = filepath.Join("dougu", "tokens")

// Load returns the token of a program, and makes one if there is none. An error is a
// *RefusedError. settings is empty if the user has no directory for settings.
func Load(settings, program string) (Token, error) {
	t, err := Find(settings, program)
	if !errors.Is(err, fs.ErrNotExist) {
		return orUnkept(t, err)
	}
	t, err = create(settings, program)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		t, err = Find(settings, program)
	}
	return orUnkept(t, err)
}

// orUnkept replaces a token that cannot be read or written by one for this process.
func orUnkept(t Token, err error) (Token, error) {
	if _, refused := errors.AsType[*RefusedError](err); refused || err == nil {
		return t, err
	}
	return unkept(t.File, err)
}

func unkept(file string, err error) (Token, error) {
	return Token{Text: random(), File: file, New: true, Unkept: err}, nil
}

func random() string {
	secret := make([]byte, size)
	_, _ = rand.Read(secret) // never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// Find returns the token of a program, without making one: the error is fs.ErrNotExist
// if there is none.
func Find(settings, program string) (Token, error) {
	if settings == "" {
		return Token{}, errors.New("there is no directory for your settings; set HOME or XDG_CONFIG_HOME")
	}
	t := Token{File: File(settings, program)}
	dir, err := rootfs.Open(filepath.Dir(t.File))
	if err != nil {
		return t, err
	}
	defer dir.Close()
	place, err := dir.Place(program, false)
	if err != nil {
		return t, err
	}
	defer place.Close()
	if err := check(t.File, place.Info); err != nil {
		return t, err
	}
	f, info, err := place.Open()
	if err != nil {
		return t, err
	}
	defer f.Close()
	if err := check(t.File, info); err != nil {
		return t, err
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return t, err
	}
	t.Text = strings.TrimSpace(string(raw))
	if secret, err := base64.RawURLEncoding.DecodeString(t.Text); err != nil || len(secret) < size {
		return Token{File: t.File}, &RefusedError{t.File, "the file does not hold a token"}
	}
	return t, nil
}

// check refuses an entry that another user may have made, or can read.
func check(file string, info fs.FileInfo) error {
	switch {
	case info == nil:
		return fs.ErrNotExist
	case info.Mode()&fs.ModeSymlink != 0:
		return &RefusedError{file, "the file is a link"}
	case !info.Mode().IsRegular():
		return &RefusedError{file, "it is not a file"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return &RefusedError{file, fmt.Sprintf("others can read the file, its mode is %04o and not 0600", info.Mode().Perm())}
	}
	return nil
}

// create makes a token and its file, as a whole or not at all.
func create(settings, program string) (Token, error) {
	t := Token{File: File(settings, program)}
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return t, err
	}
	own, err := logfile.Below(settings, directory) // refuses links, and keeps the files out of git
	if err != nil {
		return t, err
	}
	if err := own.Close(); err != nil {
		return t, err
	}
	secret := random()
	if _, err := rootfs.ReplaceFile(t.File, rootfs.Replacement{Perm: 0o600, New: true}, rootfs.Content([]byte(secret+"\n"))); err != nil {
		return t, fmt.Errorf("write %s: %w", t.File, err)
	}
	t.Text, t.New = secret, true
	return t, nil
}
