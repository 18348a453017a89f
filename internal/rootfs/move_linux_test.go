package rootfs_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/testrequire"
)

// TestMoveTo_OtherDevice leaves everything where it is.
func TestMoveTo_OtherDevice(t *testing.T) {
	far := testrequire.OtherDevice(t)
	for how, move := range movers() {
		dir := tree(t, map[string]string{"file": "x", "dir/a": "a", "link": "-> file"})
		r, other := open(t, dir), open(t, far)
		before := listing(t, dir)
		for _, name := range []string{"file", "dir", "link"} {
			if err := move(spot(t, r, name), spot(t, other, name)); !errors.Is(err, rootfs.ErrCrossDevice) {
				t.Errorf("%s: %s: %v", how, name, err)
			}
		}
		if after := listing(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: %v became %v", how, before, after)
		}
		if left := listing(t, far); len(left) > 0 {
			t.Errorf("%s: %v is on the other file system", how, left)
		}
	}
}
