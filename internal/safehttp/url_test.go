package safehttp_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/safehttp"
)

func TestPageURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com/a?b#c": "https://example.com/a?b#c", "http://10.0.0.1:80": "http://10.0.0.1:80",
		"": "", "/a": "", "https://": "", "javascript:alert(1)": "", "ftp://example.com": "", "https://me:pw@example.com": "", "https://example.com/\n": "",
		"https://example.com/" + strings.Repeat("a", 30): "",
	} {
		if got := safehttp.PageURL(text, 40); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
