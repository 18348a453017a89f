package unity_test

import (
	"testing"
	"time"

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
			fake := unitytest.Start(t, t.TempDir(), dir)
			fake.Log(unitytest.Entry{Type: "Error", Message: "Assets/A.cs(2,6): error CS0103: The name 'x' does not exist in the current context", File: "Assets/A.cs", Line: 2})
			fake.SetCompiled(time.Now().Add(time.Hour), false)
			u := open(t, fake.StatusDir, dir)
			waittest.Until(t, "Unity is found", func() bool { return u.State().Running })
			return u
		},
		NotRunning: func(t *testing.T, dir string) adapter.Adapter { return open(t, t.TempDir(), dir) },
		Files:      map[string]string{"Assets/A.cs": "class A {\n int a = x;\n}\n"}, Code: "Assets/A.cs", Diagnostic: "The name 'x' does not exist",
	})
}
