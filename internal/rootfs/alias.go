package rootfs

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// checkAlias refuses the short form that Windows may keep beside a long name: a policy that knows .env would not know ENV~1.
// A name that merely looks like one must be in the listing of its directory. Elsewhere an entry has one name.
func checkAlias(dir *os.Root, name string) error {
	if runtime.GOOS != "windows" || !looksShort(name) {
		return nil
	}
	return checkListed(dir, name)
}

// looksShort reports whether a name has the form that Windows gives its short names: a tilde and a digit in at most 8.3.
func looksShort(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	i := strings.LastIndexByte(stem, '~')
	return i >= 0 && i+1 < len(stem) && stem[i+1] >= '0' && stem[i+1] <= '9' && len(stem) <= 8 && len(ext) <= 3
}

// checkListed reports ErrAlias for a name that leads to an entry without being in the directory's listing, in any case.
func checkListed(dir *os.Root, name string) error {
	f, err := dir.Open(".")
	if err != nil {
		return Reason(err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return Reason(err)
	}
	if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return ErrAlias
	}
	return nil
}
