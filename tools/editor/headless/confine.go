package headless

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// openSandbox is the next step where a program lacks something in the sandbox. The names are names of settings of the editor.
const openSandbox = "If it lacks files or programs in the sandbox, have whoever runs this server name them with commands.read, or turn the sandbox off with commands.sandbox off."

// place is the sandbox of a server, in a folder of the project.
func (h *Headless) place(s Server, folder string) *sandbox.Sandbox {
	if !h.o.Sandbox.Active() || h.o.Sandbox.ReadOnly() || slices.Contains(s.Writes, ".") {
		return h.o.Sandbox
	}
	var dirs []string
	for _, name := range s.Writes {
		// A directory that cannot be made stays read-only: the server has to do without it.
		if root, err := os.OpenRoot(folder); err == nil {
			_ = root.MkdirAll(name, 0o755)
			_ = root.Close()
		}
		dirs = append(dirs, filepath.Join(folder, name))
	}
	return h.o.Sandbox.WithReadOnly(dirs...)
}

// confine returns lsp.Config.Wrap for a server in a folder of the project.
func (h *Headless) confine(s Server, folder string) func(*exec.Cmd) (func(), error) {
	return func(cmd *exec.Cmd) (ended func(), err error) {
		place := h.place(s, folder)
		protection := place.Protect()
		ended = func() {
			renamed, err := protection.Refuse()
			if len(renamed) > 0 || err != nil {
				h.o.Log.Warn("protected files were made or changed while a language server ran", "server", s.Name, "renamed", renamed, "error", err)
			}
		}
		return ended, place.Wrap(cmd)
	}
}

// sandboxState describes for people where programs run, if a sandbox was asked for.
func (h *Headless) sandboxState() string {
	switch {
	case h.o.Sandbox == nil:
		return ""
	case h.o.Sandbox.Active():
		return "; in a sandbox made by " + string(h.o.Sandbox.Status().Kind)
	}
	return "; without a sandbox"
}

// startFailure explains why a server has not started. The sandbox may be the cause.
func (h *Headless) startFailure(ctx context.Context, server string, err error) error {
	doing := "starting " + server
	_, failed := errors.AsType[*lsp.Error](err)
	confined := failed && h.o.Sandbox.Active()
	if confined {
		doing += " in the sandbox, which commands.sandbox off turns off"
	}
	err = explain(ctx, doing, err)
	if e, ok := errors.AsType[*mcp.ToolError](err); ok && confined {
		e.Next += " " + openSandbox
	}
	return err
}
