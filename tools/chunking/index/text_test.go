package index_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ about, content, text string }{
		{"empty", "", ""},
		{"UTF-8", "func é\n", "func é\n"},
		{"UTF-8 with a mark", "\uFEFFfunc a\n", "\uFEFFfunc a\n"},
		{"UTF-8 with a wrong byte", "// ééééééé ééééé ééé ééééé\xff\n", "// ééééééé ééééé ééé ééééé\xff\n"},
		{"UTF-16LE", "f\x00 \x00\xe9\x00\n\x00", "f é\n"},
		{"UTF-16BE with a mark", "\xfe\xff\x00f\x00 \x00\xe9\x00\n", "f é\n"},
		{"UTF-16LE, cut", "f\x00 \x00\xe9\x00\n\x00a", "f\x00 \x00\xe9\x00\n\x00a"},
		{"Shift-JIS", "// \x95\x5c\x8e\xa6\x82\xb7\x82\xe9\n", "// 表示する\n"},
		{"ISO-2022-JP", "// \x1b$BI=<(\x1b(B\n", "// 表示\n"},
		{"Latin-1", "caf\xe9 au lait\n", "café au lait\n"},
		{"zero bytes", "a\x00b\x00c", "a\x00b\x00c"},
		{"zero bytes without a line", "a\x00b\x00", "a\x00b\x00"},
		{"terminal colours", "\x1b[31mred\x1b[0m\n", "\x1b[31mred\x1b[0m\n"},
	} {
		if got := string(index.Text([]byte(tc.content))); got != tc.text {
			t.Errorf("%s: %q, want %q", tc.about, got, tc.text)
		}
	}
}
