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
	"syscall"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	maxEndpoints = 32   // servers that are examined
	maxAuthFile  = 4096 // bytes
)

// endpoint is the address of an Emacs server.
type endpoint struct {
	file    string // socket, or file in server-auth-dir
	network string // "unix" or "tcp"
	address string
	key     string    // authentication key, for TCP only
	given   bool      // configured by the user
	since   time.Time // start of listening, zero if unknown
}

// configuredServer returns the configured server: the argument, $EMACS_SOCKET_NAME or $EMACS_SERVER_FILE.
func configuredServer(name string) string {
	for _, known := range []string{name, os.Getenv("EMACS_SOCKET_NAME"), os.Getenv("EMACS_SERVER_FILE")} {
		if known != "" {
			return known
		}
	}
	return ""
}

// endpoints returns the addresses at which Emacs may listen.
func (e *Emacs) endpoints() []endpoint {
	var all []endpoint
	seen := map[string]bool{}
	add := func(path string, given bool) {
		p, err := readEndpoint(path)
		if err != nil || seen[p.file] || len(all) == maxEndpoints {
			return
		}
		seen[p.file], p.given = true, given
		all = append(all, p)
	}
	if filepath.IsAbs(e.server) {
		add(e.server, true)
		return all
	}
	for _, dir := range endpointDirs() {
		entries, err := readPrivateDir(dir)
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

// readPrivateDir returns names in a directory, at most 4*maxEndpoints. It is an error if another user can write the directory.
func readPrivateDir(dir string) ([]string, error) {
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
	names, err := f.Readdirnames(4 * maxEndpoints)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return names, err
}

var (
	errNotPrivate = errors.New("other users can write the directory")
	errNoServer   = errors.New("neither a socket of Emacs nor a server file")
	errNotLocal   = errors.New("not an address of this machine")
)

// readEndpoint returns the server of a socket, or of a file with the address and key of a server.
func readEndpoint(path string) (endpoint, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return endpoint{}, err
	}
	dir, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return endpoint{}, err
	}
	switch {
	case info.Mode().Type() == fs.ModeSocket:
		if !local.IsPrivate(info) && !local.IsPrivate(dir) {
			return endpoint{}, errNotPrivate
		}
		return endpoint{file: path, network: "unix", address: path, since: info.ModTime()}, nil
	case !info.Mode().IsRegular() || info.Size() > maxAuthFile:
		return endpoint{}, errNoServer
	case !local.IsPrivate(info) && !local.IsPrivate(dir):
		return endpoint{}, errNotPrivate
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return endpoint{}, err
	}
	return authFile(path, string(raw), info.ModTime())
}

// keys matches the authentication key of a server.
var keys = regexp.MustCompile(`^[!-~]{16,256}$`)

// authFile parses a server file: address and process number in the first line, the key in the second.
func authFile(path, text string, since time.Time) (endpoint, error) {
	first, key, _ := strings.Cut(text, "\n")
	fields := strings.Fields(first)
	key = strings.TrimSpace(key)
	if len(fields) == 0 || !keys.MatchString(key) {
		return endpoint{}, errNoServer
	}
	address, err := netip.ParseAddrPort(fields[0])
	switch {
	case err != nil:
		return endpoint{}, errNoServer
	case !address.Addr().IsLoopback():
		return endpoint{}, fmt.Errorf("%s: %w", address, errNotLocal)
	}
	return endpoint{file: path, network: "tcp", address: address.String(), key: key, since: since}, nil
}

// dialDelay is the delay between attempts to connect to a busy Emacs.
const dialDelay = 20 * time.Millisecond

// dial opens a connection to the server. While the queue of the socket is full, it tries again: Emacs accepts few connections at
// once, and Linux then returns EAGAIN instead of waiting.
func (p endpoint) dial(ctx context.Context) (net.Conn, error) {
	for {
		conn, err := new(net.Dialer).DialContext(ctx, p.network, p.address)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		if wait.Sleep(ctx, dialDelay) != nil {
			return nil, fmt.Errorf("%w in time: %w", errBusy, context.Cause(ctx))
		}
	}
}

// serverFileDirs returns the directories in which Emacs stores server files.
func serverFileDirs() []string {
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
