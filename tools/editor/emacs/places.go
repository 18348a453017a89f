package emacs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	maxPlaces   = 32   // servers that are looked at
	maxAuthFile = 4096 // bytes
)

// place is where the server of an Emacs listens.
type place struct {
	file    string // the socket, or the file that says where it listens
	network string // "unix" or "tcp"
	address string
	key     string    // for TCP
	given   bool      // it was named
	since   time.Time // when it began to listen, as far as that is known
}

// given is the server that somebody has named, or "".
func given(name string) string {
	for _, known := range []string{name, os.Getenv("EMACS_SOCKET_NAME"), os.Getenv("EMACS_SERVER_FILE")} {
		if known != "" {
			return known
		}
	}
	return ""
}

// places are where Emacs may listen.
func (e *Emacs) places() []place {
	var all []place
	seen := map[string]bool{}
	add := func(path string, given bool) {
		p, err := placeAt(path)
		if err != nil || seen[p.file] || len(all) == maxPlaces {
			return
		}
		seen[p.file], p.given = true, given
		all = append(all, p)
	}
	if filepath.IsAbs(e.server) {
		add(e.server, true)
		return all
	}
	for _, dir := range directories() {
		entries, err := readSome(dir)
		if err != nil {
			continue
		}
		for _, name := range entries {
			if e.server == "" || e.server == name {
				add(filepath.Join(dir, name), e.server != "")
			}
		}
	}
	return all
}

// readSome are the names in a directory that nobody else can put anything into.
func readSome(dir string) ([]string, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() || !local.IsPrivate(info) {
		return nil, errNotPrivate
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(4 * maxPlaces)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

var (
	errNotPrivate = errors.New("others may write there")
	errNoServer   = errors.New("it is neither the socket of an Emacs nor a file that says where one listens")
	errNotLocal   = errors.New("it is not an address of this machine")
)

// placeAt finds out what a file is: a socket, or a file that says where a server listens, and the key to it.
func placeAt(path string) (place, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return place{}, err
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return place{}, err
	}
	switch {
	case info.Mode().Type() == fs.ModeSocket:
		if !local.IsPrivate(info) && !local.IsPrivate(dir) {
			return place{}, errNotPrivate
		}
		return place{file: path, network: "unix", address: path, since: info.ModTime()}, nil
	case !info.Mode().IsRegular() || info.Size() > maxAuthFile:
		return place{}, errNoServer
	case !local.IsPrivate(info) && !local.IsPrivate(dir):
		return place{}, errNotPrivate
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return place{}, err
	}
	return authFile(path, string(raw), info.ModTime())
}

var keys = regexp.MustCompile(`^[!-~]{16,256}$`)

// authFile reads what server-start has written: an address and the number of a process, and in the next line the key.
func authFile(path, text string, since time.Time) (place, error) {
	first, key, _ := strings.Cut(text, "\n")
	fields := strings.Fields(first)
	key = strings.TrimSpace(key)
	if len(fields) == 0 || !keys.MatchString(key) {
		return place{}, errNoServer
	}
	address, err := netip.ParseAddrPort(fields[0])
	switch {
	case err != nil:
		return place{}, errNoServer
	case !address.Addr().IsLoopback():
		return place{}, fmt.Errorf("%s: %w", address, errNotLocal)
	}
	return place{file: path, network: "tcp", address: address.String(), key: key, since: since}, nil
}

func (p place) dial(ctx context.Context) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, p.network, p.address)
}

// configured are the directories of files that say where a server listens.
func configured() []string {
	var all []string
	if dir, err := os.UserHomeDir(); err == nil {
		all = append(all, filepath.Join(dir, ".emacs.d", "server"), filepath.Join(dir, ".config", "emacs", "server"))
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "APPDATA"} {
		if dir := os.Getenv(name); filepath.IsAbs(dir) {
			all = append(all, filepath.Join(dir, "emacs", "server"), filepath.Join(dir, ".emacs.d", "server"))
		}
	}
	return all
}
