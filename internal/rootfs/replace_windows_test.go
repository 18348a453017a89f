package rootfs_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rootfs"
)

func TestReplace_FileThatIsOpenForAMoment(t *testing.T) {
	root, err := rootfs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	path := filepath.Join(root.RealName(), "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path) // shares reading and writing, not deleting
	if err != nil {
		t.Fatal(err)
	}
	var closing group.Group
	closing.Go(func() {
		time.Sleep(30 * time.Millisecond)
		reader.Close()
	})
	defer closing.Wait()
	place, err := root.Place("file", false)
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	if _, err := place.Replace(rootfs.Replacement{Perm: 0o600}, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); string(got) != "new" {
		t.Errorf("the file has %q, %v", got, err)
	}
}
