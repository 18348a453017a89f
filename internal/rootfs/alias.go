package rootfs

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// checkAlias refuses a name that the file system treats as another name: the 8.3 form of a long name, a name with
// dots or spaces at its end, or a stream of a file. A rule for .env would not match ENV~1, ".env." or ".env::$DATA".
// Windows, and FAT, NTFS and SMB file systems on other systems, have these names. An ordinary name of the same form
// is in the listing of its directory, and is accepted.
func checkAlias(dir *os.Root, name string) error {
	if !looksAliased(name) || !mayAlias(dir) {
		return nil
	}
	return checkListed(dir, name)
}

// pathLooksAliased reports whether checkAlias must check a name of the path.
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

// looksAliased reports whether some file system could treat a name as another name.
func looksAliased(name string) bool {
	if name == "" || name == "." || name == ".." {
		return false
	}
	last := name[len(name)-1]
	return last == '.' || last == ' ' || strings.IndexByte(name, ':') >= 0 || looksShort(name)
}

// looksShort reports whether a name has the form of a Windows short name: 8.3 with a tilde and a digit.
func looksShort(name string) bool {
	stem, ext, _ := strings.Cut(name, ".")
	i := strings.LastIndexByte(stem, '~')
	return i >= 0 && i+1 < len(stem) && stem[i+1] >= '0' && stem[i+1] <= '9' && len(stem) <= 8 && len(ext) <= 3
}

// checkListed returns ErrAlias for a name that opens an entry but is not in the listing of its directory. It ignores
// case and Unicode form.
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
