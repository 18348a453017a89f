package external

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxID is the maximum length of Document.ID, in bytes.
const maxID = 512

// validName matches the names of sources. Names of one letter could be drives of Windows.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]{1,31}$`)

var errInvalidID = errors.New("an ID has 1 to 512 bytes of UTF-8 without control characters")

// checkID checks the ID of a document.
func checkID(id string) error {
	if id == "" || len(id) > maxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return errInvalidID
	}
	return nil
}

// Path returns the path of a document in the index and in results.
func (d *Documents) Path(id string) string {
	parts := strings.Split(id, "/")
	for i, part := range parts {
		parts[i] = escapePart(part)
	}
	return d.prefix + strings.Join(parts, "/")
}

// emptyPart stands for an empty part of an ID. IDs contain no NUL.
const emptyPart = "%00"

// escapePart escapes a part of an ID between slashes: a part that paths would drop, and characters of patterns.
func escapePart(part string) string {
	switch part {
	case "":
		return emptyPart
	case ".", "..":
		return strings.ReplaceAll(part, ".", "%2E")
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(part) {
		if c := part[i]; strings.IndexByte(`%\*?[]{}`, c) >= 0 {
			b.WriteString("%" + hex[c>>4:c>>4+1] + hex[c&15:c&15+1])
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// id returns the ID of a path; ok is false if no document can have it.
func (d *Documents) id(path string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(path, d.prefix)
	if !ok {
		return "", false
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		if part == emptyPart {
			parts[i] = ""
			continue
		}
		plain, err := url.PathUnescape(part)
		if err != nil {
			return "", false
		}
		parts[i] = plain
	}
	id = strings.Join(parts, "/")
	return id, checkID(id) == nil && d.Path(id) == path
}
