package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// SupportsExtension reports whether both the server and the client of the call of ctx declare the
// protocol extension id. It returns the client's settings for the extension (2026-07-28,
// basic/versioning, "Extension Negotiation"). The settings come from the client; do not trust them.
// Without the extension, a handler must work in another way.
func SupportsExtension(ctx context.Context, id string) (settings json.RawMessage, ok bool) {
	call := CallFrom(ctx)
	if call == nil {
		return nil, false
	}
	if _, ok := call.server.opts.Extensions[id]; !ok {
		return nil, false
	}
	settings, ok = call.Request.Meta.Capabilities().Extensions[id]
	return settings, ok
}

// checkExtensions returns an error if an id or its settings are invalid.
func checkExtensions(extensions map[string]json.RawMessage) error {
	for _, id := range sortedKeys(extensions) {
		prefix, name, ok := strings.Cut(id, "/")
		if !ok || !isMetaPrefix(prefix) || !isMetaName(name) {
			return fmt.Errorf("the extension id %q is not like \"com.example/feature\"", id)
		}
		var settings map[string]json.RawMessage
		if err := unmarshal(extensions[id], &settings); err != nil || settings == nil {
			return fmt.Errorf("the settings of the extension %q must be a JSON object, {} for none", id)
		}
	}
	return nil
}

// isMetaPrefix reports whether s consists of labels that are separated by dots (2026-07-28, basic,
// "_meta"). A label begins with a letter, ends with a letter or digit, and may contain hyphens.
func isMetaPrefix(s string) bool {
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || !isLetter(label[0]) || !isLetterOrDigit(label[len(label)-1]) {
			return false
		}
		for i := range len(label) {
			if !isLetterOrDigit(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return true
}

// isMetaName reports whether s begins and ends with a letter or digit, and otherwise has only
// letters, digits, hyphens, underscores and dots.
func isMetaName(s string) bool {
	if s == "" || !isLetterOrDigit(s[0]) || !isLetterOrDigit(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isLetterOrDigit(s[i]) && !strings.ContainsRune("-_.", rune(s[i])) {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isLetterOrDigit(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
