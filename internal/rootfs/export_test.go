package rootfs

import "io/fs"

// Stepwise makes a root follow every path step by step, as it does where the kernel cannot.
func Stepwise(r *Root) { r.conn = noDescriptor{} }

type noDescriptor struct{}

func (noDescriptor) Control(func(uintptr)) error    { return errNoDescriptor }
func (noDescriptor) Read(func(uintptr) bool) error  { return errNoDescriptor }
func (noDescriptor) Write(func(uintptr) bool) error { return errNoDescriptor }

const errNoDescriptor = testError("no descriptor")

type testError string

func (e testError) Error() string { return string(e) }

// LooksAliased reports which names are looked up in the listing.
func LooksAliased(path string) bool { return pathLooksAliased(path) }

// LooksShort and CheckListed are the two halves of the rule about short names.
func LooksShort(name string) bool { return looksShort(name) }

func CheckListed(r *Root, name string) error { return checkListed(r.top, name) }

// CreateTemp makes a temporary file as a writer does, and leaves it as a writer that was killed when abandon is called.
func CreateTemp(r *Root) (name string, abandon func(), err error) {
	t, err := createTemp(r.top, 0o600)
	if err != nil {
		return "", nil, err
	}
	return t.name, func() { t.File.Close() }, nil
}

// OpenChild opens an entry as the directory that was seen there before.
func OpenChild(r *Root, name string, seen fs.FileInfo) error {
	child, err := openChild(r.top, name, seen)
	if err == nil {
		child.Close()
	}
	return err
}
