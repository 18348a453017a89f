//go:build unix

package neovim_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

func TestContract(t *testing.T) {
	_, err := exec.LookPath("nvim")
	testrequire.Deep(t, err == nil, "Neovim", "install neovim 0.7 or later")
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			w := newWorkbenchIn(t, dir, nil)
			w.run("--listen", w.socket)
			a := neovim.New(neovim.Options{Address: w.socket})
			eventually(t, "the adapter is connected", func() bool { return a.State().Running })
			return a
		},
		NotRunning: func(_ *testing.T, dir string) adapter.Adapter {
			return neovim.New(neovim.Options{Address: filepath.Join(dir, "none")})
		},
	})
}
