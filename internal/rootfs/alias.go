package rootfs

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// checkAlias refuses a name that the file system takes for another one: the short 8.3 form of a long name, a name with dots or
// spaces at its end, or the stream of a file. A policy that knows .env would not know ENV~1, ".env." or ".env::$DATA". Windows has
// such names, and so have FAT, NTFS and SMB shares that other systems mount. A name that merely looks like one is in the listing of
// its directory, and passes.
func checkAlias(dir *os.Root, name string) error {
	if !looksAliased(name) || !mayAlias(dir) {
		return nil
	}
	return checkListed(dir, name)
}

// pathLooksAliased reports whether a name of the path is one that checkAlias must decide about.
func pathLooksAliased(path string) bool {
	if !strings.ContainsAny(path, ":~. ") {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if looksAliased(name) {
			return true
		}
	}
	return false
}

// looksAliased reports whether some file system could take a name for another one.
func looksAliased(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	last := name[len(name)-1]
	return last == '.' || last == ' ' || strings.IndexByte(name, ':') >= 0 || looksShort(name)
}

// looksShort reports whether a name has the form that Windows gives its short names: a tilde and a digit in at most 8.3.
func looksShort(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	i := strings.LastIndexByte(stem, '~')
	return i >= 0 && i+1 < len(stem) && stem[i+1] >= '0' && stem[i+1] <= '9' && len(stem) <= 8 && len(ext) <= 3
}

// checkListed reports ErrAlias for a name that leads to an entry without being in the directory's listing, in any case and in any
// form of Unicode.
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
	composed := norm.NFC.String(name)
	if !slices.ContainsFunc(names, func(n string) bool {
		return strings.EqualFold(n, name) || strings.EqualFold(norm.NFC.String(n), composed)
	}) {
		return ErrAlias
	}
	return nil
}
