package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// Mode determines whether commands run in a sandbox.
type Mode string

// Modes of a sandbox.
const (
	// Auto uses the strongest working kind, or no sandbox. It is the default.
	Auto Mode = "auto"
	// On requires a sandbox: New fails with ErrUnavailable if no kind works.
	On Mode = "on"
	// Off uses no sandbox.
	Off Mode = "off"
)

// Network is the network that commands reach.
type Network string

// Networks of a sandbox.
const (
	// NetworkOn is the network of the machine. It is the default.
	NetworkOn Network = "on"
	// NetworkLoopback is a loopback interface that only the processes of one command share.
	NetworkLoopback Network = "loopback"
	// NetworkOff allows no Internet sockets.
	NetworkOff Network = "off"
)

// Kind is the mechanism of a sandbox.
type Kind string

// Kinds of sandboxes, from the strongest to none.
const (
	// Namespaces uses Linux namespaces and a system call filter.
	Namespaces Kind = "namespaces"
	// Bubblewrap uses the program bwrap.
	Bubblewrap Kind = "bubblewrap"
	// Landlock uses the Linux security module Landlock on the real file system.
	Landlock Kind = "landlock"
	// None is no sandbox.
	None Kind = "none"
)

// Helper is the result of [Main]. The zero value means that the program does not call Main.
//
// A Helper remembers the kinds of sandboxes that have worked in this process, so that programs that call New more than once pass the
// same Helper.
type Helper struct{ working *workingKinds }

// newHelper returns the Helper of a program that calls Main.
func newHelper() Helper { return Helper{new(workingKinds)} }

// workingKinds are the kinds, by network, that have worked on this machine.
type workingKinds struct {
	mu    sync.Mutex
	kinds map[Kind][]Network
}

// has reports whether a kind has worked with a network.
func (w *workingKinds) has(kind Kind, network Network) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Contains(w.kinds[kind], network)
}

// add notes that a kind works with a network.
func (w *workingKinds) add(kind Kind, network Network) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kinds == nil {
		w.kinds = make(map[Kind][]Network)
	}
	w.kinds[kind] = append(w.kinds[kind], network)
}

// Options are the files, sockets and networks that commands can use. Only Dirs is required.
type Options struct {
	// Mode determines whether a sandbox is used. Default Auto.
	Mode Mode
	// Helper is the result of [Main], which this program calls first in its function main. Without
	// it no kind works.
	Helper Helper
	// Dirs are the absolute paths of the project's directories. Commands can change them unless
	// ReadOnly is set.
	Dirs []string
	// ReadOnly prevents commands from changing Dirs.
	ReadOnly bool
	// Protected lists files and directories that commands can read but not change, at any depth
	// below each of Dirs. The patterns are those of [security.RootOptions].Protected. A name with
	// the prefix ! is an exception from a directory at the top. The name .git/config stands for all
	// files by which git runs programs, including submodules and work trees. Default:
	// [DefaultProtected].
	Protected []string
	// Hidden lists absolute paths of files and directories that commands see as missing or empty,
	// inside directories that commands can use. A file name may contain wildcards.
	Hidden []string
	// Read lists absolute paths of additional files and directories that commands can read and
	// execute.
	Read []string
	// Write lists absolute paths of additional files and directories that commands can change, for
	// example a shared cache.
	Write []string
	// Sockets lists absolute paths of Unix sockets that commands can connect to, for example the
	// socket of an ssh agent.
	Sockets []string
	// Network is the network that commands can reach. Default NetworkOn.
	Network Network
	// StateDir keeps the caches of the private home directory between runs of the program. Commands
	// can write only to the caches in it. If it is empty or not writable, Close removes the caches
	// with the rest of the private home.
	StateDir string
	// Home is the user's home directory. Default: the home directory of the environment.
	Home string
	// Kinds are the kinds to try, in order. Default: all kinds, the strongest first.
	Kinds []Kind
}

// Status describes the guarantees of a sandbox.
type Status struct {
	// Kind is the mechanism in use.
	Kind Kind
	// Reason is the reason for Kind None, or for not using a stronger kind. It may be empty.
	Reason string
	// Holds lists the things that the sandbox prevents, and Lacks the things that it does not
	// prevent, one phrase each.
	Holds, Lacks []string
	// Unkept is the error that prevents the use of Options.StateDir; empty if there is none.
	Unkept string
}

// String returns a description on one line, for display.
func (s Status) String() string {
	line := "commands run in a sandbox made by " + string(s.Kind)
	if s.Kind == None {
		line = "commands run with all rights of this program"
	}
	if s.Reason != "" {
		line += " (" + s.Reason + ")"
	}
	if len(s.Lacks) > 0 && s.Kind != None {
		line += "; it does not keep them from: " + strings.Join(s.Lacks, ", ")
	}
	if s.Unkept != "" {
		line += "; their caches are not kept: " + s.Unkept
	}
	return line
}

// ErrUnavailable is the error of New if the mode is On and no kind works.
var ErrUnavailable = errors.New("no sandbox works on this machine")

func (o Options) withDefaults() Options {
	if o.Mode == "" {
		o.Mode = Auto
	}
	if o.Network == "" {
		o.Network = NetworkOn
	}
	if o.Protected == nil {
		o.Protected = DefaultProtected()
	}
	if len(o.Kinds) == 0 {
		o.Kinds = []Kind{Namespaces, Bubblewrap, Landlock}
	}
	return o
}

func (o Options) check() error {
	if !slices.Contains([]Mode{Auto, On, Off}, o.Mode) {
		return fmt.Errorf("unknown mode %q", o.Mode)
	}
	if !slices.Contains([]Network{NetworkOn, NetworkLoopback, NetworkOff}, o.Network) {
		return fmt.Errorf("unknown network %q", o.Network)
	}
	if len(o.Dirs) == 0 {
		return errors.New("no directory of the project is named")
	}
	for _, path := range slices.Concat(o.Dirs, o.Read, o.Write, o.Sockets, o.Hidden) {
		if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
			return fmt.Errorf("the path %q is not absolute", path)
		}
	}
	if _, err := security.NewMatcher(o.Protected); err != nil {
		return fmt.Errorf("the protected names: %w", err)
	}
	return nil
}

// DefaultProtected returns the names that [security.DefaultProtected] protects, in the form of
// [Options.Protected]. Git's directory is writable except for the files by which git runs programs.
func DefaultProtected() []string {
	names := []string{
		".git/config", ".git/config.worktree", ".git/hooks", ".git/commondir", ".git/gitdir", ".git/modules/*/config", ".git/modules/*/hooks",
		".git/worktrees/*/config.worktree", ".git/worktrees/*/commondir", ".git/worktrees/*/gitdir",
	}
	for _, pattern := range security.DefaultProtected() {
		switch pattern {
		case ".git", ".gitconfig": // the first is above, the second is a file of the home directory
			continue
		}
		names = append(names, strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/*"))
	}
	return append(names, security.BackupDir, security.TrashDir)
}
