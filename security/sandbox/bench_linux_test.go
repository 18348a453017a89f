package sandbox_test

import (
	"os/exec"
	"testing"

	"github.com/dougu-go/dougu/security/sandbox"
)

// The cost of a command that does nothing, without a sandbox and in one of each kind.
func BenchmarkStart(b *testing.B) {
	dir := realDir(b)
	loop := func(b *testing.B, s *sandbox.Sandbox) {
		for b.Loop() {
			cmd := exec.Command("/bin/true")
			cmd.Dir = dir
			if err := s.Wrap(cmd); err != nil {
				b.Fatal(err)
			}
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("none", func(b *testing.B) { loop(b, nil) })
	for kind := range kinds {
		b.Run(string(kind), func(b *testing.B) { loop(b, open(b, kind, sandbox.Options{Dirs: []string{dir}})) })
	}
}
