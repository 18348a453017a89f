package pattern

import "strings"

// PlainSpelling returns the folded path that Windows, and file systems of Windows on other systems (FAT, NTFS, SMB), may open for a
// folded path: each name without its stream and without the dots and spaces at its end. ".env::$data" and ".env. " are ".env". Rules
// that know the plain spelling hold for all of them, on every file system. The result is the path itself, at no cost, for other paths.
func PlainSpelling(folded string) string {
	if !hasOtherSpelling(folded) {
		return folded
	}
	names := strings.Split(folded, "/")
	for i, name := range names {
		names[i] = plainName(name)
	}
	return strings.Join(names, "/")
}

// plainName is PlainSpelling for one name. A name of which nothing would remain is left as it is.
func plainName(name string) string {
	plain := name
	if colon := strings.IndexByte(name, ':'); colon > 0 {
		plain = name[:colon]
	}
	if plain = strings.TrimRight(plain, ". "); plain == "" {
		return name
	}
	return plain
}

// hasOtherSpelling reports whether a path holds a colon, or a name that ends in a dot or a space.
func hasOtherSpelling(path string) bool {
	for i := range len(path) {
		switch path[i] {
		case ':':
			return true
		case '.', ' ':
			if i+1 == len(path) || path[i+1] == '/' {
				return true
			}
		}
	}
	return false
}
