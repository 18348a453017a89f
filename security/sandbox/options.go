package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// Mode says whether commands run in a sandbox.
type Mode string

// The modes.
const (
	// Auto uses the strongest kind that works, or none. It is the default.
	Auto Mode = "auto"
	// On makes New fail if no kind works.
	On Mode = "on"
	// Off uses none.
	Off Mode = "off"
)

// Network is the network that commands reach.
type Network string

// The networks.
const (
	// NetworkOn is the network of the machine. It is the default.
	NetworkOn Network = "on"
	// NetworkLoopback is a loopback interface that the processes of one command share with nothing else.
	NetworkLoopback Network = "loopback"
	// NetworkOff has no Internet sockets at all.
	NetworkOff Network = "off"
)

// Kind is how a sandbox is made.
type Kind string

// The kinds, from the strongest to none.
const (
	Namespaces Kind = "namespaces"
	Bubblewrap Kind = "bubblewrap"
	Landlock   Kind = "landlock"
	None       Kind = "none"
)

// Helper says that a program calls [Main].
type Helper struct{ works bool }

// Options are the files, sockets and networks that commands can use. Dirs is required.
type Options struct {
	// Mode is Auto by default.
	Mode Mode
	// Helper is the result of [Main], which this program calls first in its function main. Without it no kind works.
	Helper Helper
	// Dirs are the absolute paths of the project's directories. Commands can change them.
	Dirs []string
	// ReadOnly keeps commands from changing Dirs.
	ReadOnly bool
	// Protected are the files and directories that commands can read but not change, at any depth below each of Dirs, as patterns of
	// [security.RootOptions].Protected. A name that begins with ! is an exception from a directory at the top. The name .git/config stands
	// for all files by which git runs programs, also those of submodules and work trees. nil is [DefaultProtected].
	Protected []string
	// Hidden are absolute paths of files and directories that do not exist for commands, or are empty, although they lie in a
	// directory that commands can use. A file name may hold wildcards.
	Hidden []string
	// Read are absolute paths of more files and directories that commands can read and execute.
	Read []string
	// Write are absolute paths of more files and directories that commands can change, for example a shared cache.
	Write []string
	// Sockets are absolute paths of Unix sockets that commands can connect to, for example that of an ssh agent.
	Sockets []string
	// Network is NetworkOn by default.
	Network Network
	// StateDir keeps the caches of the private home directory between runs of the program. Commands cannot write in it but in the
	// caches. Empty, or if it cannot be written: the caches are removed by Close, as the rest of the home directory always is.
	StateDir string
	// Home is the user's home directory. Default: that of the environment.
	Home string
	// Kinds are the kinds that are tried, in their order. Default: all.
	Kinds []Kind
}

// Status describes the guarantees of a sandbox.
type Status struct {
	Kind Kind
	// Reason says why Kind is None, or why no stronger kind is used. It may be empty.
	Reason string
	// Holds names, in one phrase each, the things that commands are kept from, and Lacks the things that they are not kept from.
	Holds, Lacks []string
	// Unkept says why Options.StateDir is not used: it cannot be written. It is empty otherwise.
	Unkept string
}

// String is one line for people.
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

// DefaultProtected lists the names that [security.DefaultProtected] protects, in the form of [Options.Protected]. Git's directory
// is writable but for the files by which git runs programs.
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
