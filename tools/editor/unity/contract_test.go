package unity_test

import (
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/unity"
	"github.com/dougu-go/dougu/tools/internal/unitytest"
)

func TestContract(t *testing.T) {
	open := func(t *testing.T, status, dir string) *unity.Unity {
		u, err := unity.New(unity.Options{StatusDir: status, Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			u := open(t, unitytest.Start(t, t.TempDir(), dir).StatusDir, dir)
			waittest.Until(t, "Unity is found", func() bool { return u.State().Running })
			return u
		},
		NotRunning: func(t *testing.T, dir string) adapter.Adapter { return open(t, t.TempDir(), dir) },
	})
}
