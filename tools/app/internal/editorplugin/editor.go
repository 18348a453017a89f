package editorplugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/tools/editor/neovim/plugin"
)

// Editor is an editor of the machine. Its extension is the extension of VS Code, or the plugin of Neovim.
type Editor interface {
	// Name is the name in command lines, for example "vscode".
	Name() string
	// Title is the name of the product.
	Title() string
	// Where is the program or the directory that Install uses.
	Where() string
	// Version returns the installed version of the extension, or "" if it is not installed.
	Version(ctx context.Context) (string, error)
	// Steps describes the effect of Install, as a line for the user.
	Steps(version string) string
	// Install installs the extension, and checks that the editor has it then.
	Install(ctx context.Context, version string) error
	// Uninstall removes the extension, and checks that the editor does not have it then.
	Uninstall(ctx context.Context) error
	// Reload tells the user how a running editor begins to use the extension, as a sentence.
	Reload() string
}

// neovimEditor is Neovim. Its plugin is a package of Neovim, which it loads at the start.
type neovimEditor struct {
	title string
	dir   string // directory of the plugin
}

// neovimDir returns the directory of the plugin: pack/dougu/start/dougu in the directory site of stdpath('data'). It is empty if
// the home directory is unknown.
func (m Machine) neovimDir() string {
	name := m.Getenv("NVIM_APPNAME")
	if name == "" || !filepath.IsLocal(name) {
		name = "nvim"
	}
	data := m.Getenv("XDG_DATA_HOME")
	switch {
	case filepath.IsAbs(data):
	case m.GOOS == "windows":
		if data = m.Getenv("LOCALAPPDATA"); data == "" {
			return ""
		}
	case m.Home == "":
		return ""
	default:
		data = filepath.Join(m.Home, ".local", "share")
	}
	if m.GOOS == "windows" {
		name += "-data"
	}
	return filepath.Join(data, name, "site", "pack", "dougu", "start", "dougu")
}

// Name implements Editor.
func (n *neovimEditor) Name() string { return neovimName }

// Title implements Editor.
func (n *neovimEditor) Title() string { return n.title }

// Where implements Editor.
func (n *neovimEditor) Where() string { return n.dir }

// Steps implements Editor.
func (n *neovimEditor) Steps(string) string { return "copy the plugin to " + n.dir }

// Reload implements Editor.
func (n *neovimEditor) Reload() string {
	return "Restart Neovim. With lazy.nvim, which ignores packages, add { dir = \"" + filepath.ToSlash(n.dir) + "\" } to its plugins."
}

// Version implements Editor.
func (n *neovimEditor) Version(context.Context) (string, error) {
	version, err := plugin.Version(n.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if _, other := os.Lstat(n.dir); other == nil {
			return "", n.explain(plugin.ErrForeign)
		}
		return "", nil
	}
	return version, err
}

// Install implements Editor.
func (n *neovimEditor) Install(_ context.Context, version string) error {
	return n.explain(plugin.Install(n.dir, version))
}

// Uninstall implements Editor.
func (n *neovimEditor) Uninstall(context.Context) error { return n.explain(plugin.Remove(n.dir)) }

// explain adds the next step to an error.
func (n *neovimEditor) explain(err error) error {
	if errors.Is(err, plugin.ErrForeign) {
		return fmt.Errorf("%w; nothing was changed: move %s away, and try again", err, n.dir)
	}
	return err
}
