package mcpheader_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/mcpheader"
)

// TestEncode checks the examples of 2026-07-28, basic/transports/streamable-http, "Value Encoding", and similar
// values.
func TestEncode(t *testing.T) {
	for text, want := range map[string]string{
		"us-west1":            "us-west1",
		"Hello, 世界":           "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":            "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":        "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":  "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"":                    "",
		"us west 1":           "us west 1",
		" us-west1":           "=?base64?IHVzLXdlc3Qx?=",
		"us-west1 ":           "=?base64?dXMtd2VzdDEg?=",
		"\tindented":          "=?base64?CWluZGVudGVk?=",
		"a\tb":                "=?base64?YQli?=",
		"line1\r\nline2":      "=?base64?bGluZTENCmxpbmUy?=",
		"\x7f":                "=?base64?fw==?=",
		"=?base64?SGVsbG8=":   "=?base64?SGVsbG8=",
		"SGVsbG8=":            "SGVsbG8=",
		"=?BASE64?SGVsbG8=?=": "=?BASE64?SGVsbG8=?=",
		"=?base64?=":          "=?base64?PT9iYXNlNjQ/PQ==?=",
		"file:///a%20b.txt":   "file:///a%20b.txt",
	} {
		got := mcpheader.Encode(text)
		if got != want {
			t.Errorf("Encode(%q) = %q, want %q", text, got, want)
		}
		if back, err := mcpheader.Decode(got); back != text || err != nil {
			t.Errorf("Decode(%q) = %q, %v; want %q", got, back, err, text)
		}
	}
}

func TestDecode(t *testing.T) {
	for value, want := range map[string]string{
		"a\tb":                   "a\tb", // a header may contain it, though no client has to send it
		"=?base64??=":            "",
		"=?base64?=":             "=?base64?=", // too short for both marks
		"=?base64?SGVsbG8=":      "=?base64?SGVsbG8=",
		"SGVsbG8=?=":             "SGVsbG8=?=",
		"=?base64?SGVsbG8?=":     "error",
		"=?base64?SGVs!!!bG8=?=": "error",
		"=?base64?/w==?=":        "error", // not UTF-8
		"caf\u00e9":              "error",
		"a\x00b":                 "error",
		"a\x7fb":                 "error",
	} {
		got, err := mcpheader.Decode(value)
		if want == "error" && err == nil || want != "error" && (got != want || err != nil) {
			t.Errorf("Decode(%q) = %q, %v; want %q", value, got, err, want)
		}
	}
}

// Whatever a message can hold survives, and is fit for a header.
func FuzzValue(f *testing.F) {
	f.Add("a\nb")
	f.Add("=?base64?eA==?=")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = mcpheader.Decode(text) // must not fail in an unexpected way
		if !utf8.ValidString(text) {
			return
		}
		value := mcpheader.Encode(text)
		if strings.Trim(value, " \t") != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("Encode(%q) = %q is no header value", text, value)
		}
		if got, err := mcpheader.Decode(value); got != text || err != nil {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
	})
}
