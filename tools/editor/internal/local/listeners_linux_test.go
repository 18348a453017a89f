package local_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// program is the name of this process.
func program(t *testing.T) string {
	t.Helper()
	name, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(string(name), "\n")
}

func listen(t *testing.T, path string) net.Listener {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestListeners_Paths(t *testing.T) {
	dir := t.TempDir()
	in := func(l *local.Listeners) []string {
		own := slices.DeleteFunc(l.Paths(), func(path string) bool { return filepath.Dir(path) != dir })
		slices.Sort(own)
		return own
	}
	mine, others := &local.Listeners{Program: program(t)}, &local.Listeners{Program: "another"}
	if got := in(mine); len(got) != 0 {
		t.Errorf("before: %q", got)
	}
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "with blanks")
	l := listen(t, first)
	client, err := net.Dial("unix", first)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	listen(t, second)
	packets, err := net.ListenPacket("unixgram", filepath.Join(dir, "packets"))
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	for range 2 { // the second time, no process is examined
		if got := in(mine); !slices.Equal(got, []string{first, second}) {
			t.Errorf("got %q", got)
		}
	}
	if got := in(others); len(got) != 0 {
		t.Errorf("of another program: %q", got)
	}
	l.Close()
	if got := in(mine); !slices.Equal(got, []string{second}) {
		t.Errorf("after one has ended: %q", got)
	}
}
