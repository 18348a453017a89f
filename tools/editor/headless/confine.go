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

// openSandbox is the next step of an error that may be caused by the sandbox. It names settings of the editor program.
const openSandbox = "If it lacks files or programs in the sandbox, ask the user to name them with commands.read, or turn the sandbox off with commands.sandbox off."

// sandboxFor returns the sandbox of a server that works on a folder of the project. It creates the directories of Server.Writes.
func (h *Headless) sandboxFor(s Server, folder string) *sandbox.Sandbox {
	if !h.o.Sandbox.Active() || h.o.Sandbox.ReadOnly() || slices.Contains(s.Writes, ".") {
		return h.o.Sandbox
	}
	var dirs []string
	for _, name := range s.Writes {
		// A directory that cannot be created stays read-only. The server works without it.
		if root, err := os.OpenRoot(folder); err == nil {
			_ = root.MkdirAll(name, 0o755)
			_ = root.Close()
		}
		dirs = append(dirs, filepath.Join(folder, name))
	}
	return h.o.Sandbox.WithReadOnly(dirs...)
}

// confine returns lsp.Config.Wrap for a server that works on a folder of the project.
func (h *Headless) confine(s Server, folder string) func(*exec.Cmd) (func(), error) {
	return func(cmd *exec.Cmd) (ended func(), err error) {
		box := h.sandboxFor(s, folder)
		protection := box.Protect()
		ended = func() {
			renamed, err := protection.Refuse()
			if len(renamed) > 0 || err != nil {
				h.o.Log.Warn("protected files were made or changed while a language server ran", "server", s.Name, "renamed", renamed, "error", err)
			}
		}
		return ended, box.Wrap(cmd)
	}
}

// sandboxState describes the sandbox for State. It is empty if Options.Sandbox is nil.
func (h *Headless) sandboxState() string {
	switch {
	case h.o.Sandbox == nil:
		return ""
	case h.o.Sandbox.Active():
		return "; in a sandbox made by " + string(h.o.Sandbox.Status().Kind)
	}
	return "; without a sandbox"
}

// startFailure returns the error for a server that did not start. If a sandbox is active, the error names the sandbox as a possible
// cause.
func (h *Headless) startFailure(ctx context.Context, server string, err error) error {
	doing := "starting " + server
	_, failed := errors.AsType[*lsp.Error](err)
	confined := failed && h.o.Sandbox.Active()
	if confined {
		doing += " in the sandbox, which commands.sandbox off turns off"
	}
	err = h.explain(ctx, doing, err)
	if e, ok := errors.AsType[*mcp.ToolError](err); ok && confined {
		e.Next += " " + openSandbox
	}
	return err
}
