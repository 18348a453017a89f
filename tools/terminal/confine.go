package terminal

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/confine"
	"github.com/dougu-go/dougu/security"
)

// Confinement restricts what commands can do to files and the network, by
// Landlock: on Linux alone. They can read and run what is installed, and read and
// change the project (only read it, if the Root is read-only) and a directory for
// temporary files of their own. Rules of the Root about single files do not hold
// in it.
type Confinement struct {
	// Read are absolute paths of more files and directories that can be read and
	// executed, such as the home of a tool chain.
	Read []string
	// Write are more that can be changed as well, such as the cache of a compiler.
	Write []string
	// Network allows TCP.
	Network bool
}

// ConfinementSupported reports whether the system can confine commands.
func ConfinementSupported() bool {
	_, ok := confine.Supported()
	return ok
}

func newConfinement(c *Confinement, root *security.Root) (*confine.Place, error) {
	if c == nil {
		return nil, nil
	}
	place, err := confine.Project{Dirs: root.Dirs(), ReadOnly: root.ReadOnly(), Read: c.Read, Write: c.Write, Network: c.Network}.Open()
	if err != nil {
		return nil, fmt.Errorf("confining commands: %w", err)
	}
	return place, nil
}

// outputDir is where large outputs go.
func outputDir(root *security.Root) string {
	dir, _ := root.CacheDir("terminal")
	return dir // or that for temporary files
}
