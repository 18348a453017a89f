package rootfs

import (
	"os"
)

// Identity tells the directory from all others of this machine, by volume and file number: it stays when the directory is renamed,
// and may change when the disk is mounted anew. It is empty where the system has none.
func (r *Root) Identity() string { return identity(r.self) }

// IdentityOf is the Identity of the directory with a name. ok is false if there is no directory.
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
