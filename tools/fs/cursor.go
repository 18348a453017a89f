package fs

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"
	"strconv"

	"github.com/dougu-go/dougu/mcp"
)

// A cursor is a digest of what is listed and the path of the last entry that was answered. It holds nothing that a caller
// could not say itself, so it is not sealed.

// cursor is where the listing goes on behind an entry.
func (a ListArgs) cursor(dir, last string) string {
	return base64.RawURLEncoding.EncodeToString(append(a.digest(dir), last...))
}

// position is the path of the last entry that earlier answers have, by the cursor; empty without one.
func (a ListArgs) position(dir string) (string, error) {
	if a.Cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(a.Cursor)
	digest := a.digest(dir)
	if err != nil || len(raw) <= len(digest) || string(raw[:len(digest)]) != string(digest) {
		return "", &mcp.ToolError{Code: codeInvalidCursor, Message: "the cursor does not belong to this listing",
			Next: "repeat path, recursive, includeHidden and pattern of the call that the cursor is from, or list without a cursor"}
	}
	return string(raw[len(digest):]), nil
}

// digest tells listings apart.
func (a ListArgs) digest(dir string) []byte {
	h := fnv.New32a()
	h.Write([]byte(strconv.Quote(dir) + strconv.Quote(a.Pattern) + strconv.FormatBool(a.Recursive) + strconv.FormatBool(a.IncludeHidden)))
	return binary.BigEndian.AppendUint32(nil, h.Sum32())
}
