package rootfs

import (
	"os"
)

// Identity returns an identifier of the directory on this machine, from its volume and file number. It survives a
// rename of the directory, but may change when the disk is mounted again. It is "" if the system provides none.
func (r *Root) Identity() string { return identity(r.self) }

// IdentityOf returns the Identity of the directory with a name. ok is false if there is no directory.
func IdentityOf(dir string) (id string, ok bool) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() { // opening a FIFO would wait for its writer
		return "", false
	}
	f, err := os.Open(dir)
	if err != nil {
		return "", true // it cannot be read
	}
	defer f.Close()
	return identity(f), true
}
