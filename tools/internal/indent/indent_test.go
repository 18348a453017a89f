package indent_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestAt_Blocks(t *testing.T) {
	lines := textfile.NewLines("func f() {\n    a()\n}\n\nclass A:\n    x = 1\n\nfoo(\n")
	for line, want := range map[int]string{1: "", 2: "    ", 3: "    ", 4: "", 7: "    ", 9: "    "} {
		if got := indent.At(lines, line); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	if got := indent.At(textfile.NewLines("if x {\n\n}\n"), 2); got != "\t" {
		t.Errorf("without an indented line: %q", got)
	}
}

func TestReindent_Forms(t *testing.T) {
	for name, tt := range map[string]struct{ code, want string }{
		"no indentation":      {"a {\n  b\n}", "    a {\n      b\n    }"},
		"other indentation":   {"\ta {\n\t\tb\n\t}", "    a {\n    \tb\n    }"},
		"indented already":    {"    a\n    b", "    a\n    b"},
		"but the first line":  {"a {\n      b\n    }", "    a {\n      b\n    }"},
		"blank lines stay":    {"a\n\nb", "    a\n\n    b"},
		"nothing but a blank": {"\n", "\n"},
	} {
		if got := indent.Reindent(tt.code, "    ", nil); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestReindent_FixedLines(t *testing.T) {
	code := "a = `\n  b\n c`\nd = 1"
	if got := indent.Reindent(code, "    ", []bool{false, true, true, false}); got != "    a = `\n  b\n c`\n    d = 1" {
		t.Errorf("got %q", got)
	}
}
