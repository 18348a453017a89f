package process_test

import (
	"context"
	"os/exec"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/process"
)

// The child is a shell; a grandchild holds the memory.
func TestChild_Memory(t *testing.T) {
	child, err := process.Start(exec.Command("/bin/sh", "-c", `(x=$(head -c 30000000 /dev/zero | tr '\0' x); echo ready; read -r y; : "$x") & wait`), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Stop(context.Background(), time.Millisecond) }()
	if _, err := child.Stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if bytes, ok := child.Memory(); !ok || bytes < 30_000_000 || bytes > 1<<30 {
		t.Errorf("the tree has %d bytes, %v", bytes, ok)
	}
	_ = child.Stop(context.Background(), time.Millisecond)
	if bytes, ok := child.Memory(); ok {
		t.Errorf("after its end the tree has %d bytes", bytes)
	}
}
