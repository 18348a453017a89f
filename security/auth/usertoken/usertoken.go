// Package usertoken keeps the bearer token of a program in a file that only its user can read.
// Clients of the same user on this machine can reach the program; clients of other users cannot.
//
// The file is dougu/tokens/PROGRAM in the user's settings directory. [Load] creates the token on
// first use. If the file cannot be written, the token is valid for one run of the program.
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
	// tokenSize is the length of a token before encoding, in bytes.
	tokenSize = 32
	// maxFile is the maximum size of a token file, in bytes.
	maxFile = 1 << 10
)

// Token is a bearer token (RFC 6750).
type Token struct {
	// Text is the encoded token.
	Text string
	File string // path of the token file; empty without a settings directory
	New  bool   // created by this call
	// Unkept is the error that prevented writing File; the token is then valid for this process
	// only. It is nil if the token is in File.
	Unkept error
}

// RefusedError reports a token file that is not safe or contains no token.
type RefusedError struct {
	// File is the path of the token file.
	File string
	// Why is the reason.
	Why string
}

// Error returns the reason and the next step.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the token in %s is not used: %s; remove it, and the next start makes a new token, which clients need then", e.File, e.Why)
}

// File returns the path of a program's token file. settings is the user's settings directory.
func File(settings, program string) string { return filepath.Join(settings, directory, program) }

var directory = filepath.Join("dougu", "tokens")

// Load returns the token of a program, and creates it if there is none. The only error is a
// *RefusedError. An empty settings means that the user has no settings directory.
func Load(settings, program string) (Token, error) {
	t, err := Find(settings, program)
	if !errors.Is(err, fs.ErrNotExist) {
		return withFallback(t, err)
	}
	t, err = create(settings, program)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		t, err = Find(settings, program)
	}
	return withFallback(t, err)
}

// withFallback returns a temporary token if the token file cannot be read or written.
func withFallback(t Token, err error) (Token, error) {
	if _, refused := errors.AsType[*RefusedError](err); refused || err == nil {
		return t, err
	}
	return temporaryToken(t.File, err)
}

// temporaryToken returns a token for this process.
func temporaryToken(file string, err error) (Token, error) {
	return Token{Text: random(), File: file, New: true, Unkept: err}, nil
}

func random() string {
	secret := make([]byte, tokenSize)
	_, _ = rand.Read(secret) // rand.Read never fails
	return base64.RawURLEncoding.EncodeToString(secret)
}

// Find returns the token of a program without creating it. The error wraps fs.ErrNotExist if there
// is none.
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
	if secret, err := base64.RawURLEncoding.DecodeString(t.Text); err != nil || len(secret) < tokenSize {
		return Token{File: t.File}, &RefusedError{t.File, "the file does not hold a token"}
	}
	return t, nil
}

// check refuses an entry that another user could have created or can read.
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

// create writes a new token file atomically. It returns fs.ErrExist if the file exists.
func create(settings, program string) (Token, error) {
	t := Token{File: File(settings, program)}
	if err := os.MkdirAll(settings, 0o700); err != nil {
		return t, err
	}
	own, err := logfile.OpenBelow(settings, directory) // refuses links and adds a .gitignore
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
