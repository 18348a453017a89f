package jetbrains_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/jetbrains"
)

func TestContract(t *testing.T) {
	exe, _ := launcher(t, "opens")
	open := func(t *testing.T, launcher string) adapter.Adapter {
		j, err := jetbrains.New(jetbrains.Options{Launcher: launcher})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	adaptertest.Run(t, adaptertest.Harness{
		New:        func(t *testing.T, _ string) adapter.Adapter { return open(t, exe) },
		NotRunning: func(t *testing.T, _ string) adapter.Adapter { return open(t, "-") },
	})
}
