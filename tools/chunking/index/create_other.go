//go:build !linux

package index

// create is worth having where it is cheaper than os.Root.
func (*JSONStore) create(string, []byte) error { return errNoCreate }
