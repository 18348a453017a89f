package agents

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// plain is the ID of a role as it can be part of the names of files and branches.
func plain(roleID string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_') {
			return r
		}
		return '-'
	}, roleID)
}

// triesForID is how often another identifier is tried if one is taken.
const triesForID = 50

// newID is {prefix}-{unixTimestamp}-{random8hex}.
func newID(prefix string) string {
	var random [4]byte
	_, _ = rand.Read(random[:])
	return prefix + "-" + strconv.FormatInt(time.Now().Unix(), 10) + "-" + hex.EncodeToString(random[:])
}
