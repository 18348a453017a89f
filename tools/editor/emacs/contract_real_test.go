//go:build unix

package emacs_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/emacs"
)

func TestContract(t *testing.T) {
	_, err := exec.LookPath("emacs")
	testrequire.Deep(t, err == nil, "Emacs", "install emacs-nox 27 or later")
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			w := newWorkbenchIn(t, dir, nil)
			w.run()
			a := emacs.New(emacs.Options{Server: w.socket})
			eventually(t, "the adapter is connected", func() bool { return a.State().Running })
			return a
		},
		NotRunning: func(_ *testing.T, dir string) adapter.Adapter {
			return emacs.New(emacs.Options{Server: filepath.Join(dir, "none")})
		},
	})
}
