package source_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

func TestStringLines_Languages(t *testing.T) {
	for name, tt := range map[string]struct {
		lang source.Language
		text string
		want string // of each line: x begins in a string
	}{
		"raw string of Go":               {source.Go, "var a = `\nb\n`\nvar c = \"d\"", "-xx-"},
		"template of JavaScript":         {source.JavaScript, "const a = `\n${f({\n})}\n`;\nb()", "-xxx-"},
		"string of Python":               {source.Python, "a = f('''\nb\n''')\nc = 1", "-xx-"},
		"documentation string":           {source.Python, "def f():\n    r\"\"\"Doc.\n\n    More.\n    \"\"\"\n    return \"\"\"\n\"\"\"", "------x"},
		"value of a dictionary":          {source.Python, "a = {1:\n\"\"\"b\nc\"\"\"}", "--x"},
		"text block of Java":             {source.Java, "String a = \"\"\"\n  b\n  \"\"\";\nint c;", "-xx-"},
		"string of Kotlin":               {source.Kotlin, "val a = \"\"\"\n b\n \"\"\".trimIndent()\n", "-xx-"},
		"string of Swift":                {source.Swift, "let a = #\"\"\"\n b\n \"\"\"#\n", "-xx-"},
		"here-document of Ruby":          {source.Ruby, "a = <<~X\n  b\n  X\nc", "-xx-"},
		"here-document of PHP":           {source.PHP, "<?php\n$a = <<<X\n  b\n  X;\nc();", "--xx-"},
		"raw string of Rust":             {source.Rust, "let a = r#\"\nb\n\"#;\nc();", "-xx-"},
		"raw string of C++":              {source.CPP, "auto a = R\"x(\nb\n)x\";\nc();", "-xx-"},
		"verbatim string of C#":          {source.CSharp, "var a = @\"\nb\n\";\nc();", "-xx-"},
		"comment":                        {source.Go, "/* a\nb */\nc", ""},
		"unknown language":               {"x", "`\n`", ""},
		"two here-documents in one line": {source.Ruby, "f(<<A, <<B)\na\nA\nb\nB\nc", "-xxxx-"},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			for _, inside := range (*source.Parsers)(nil).StringLines([]byte(tt.text), tt.lang) {
				got.WriteString(map[bool]string{false: "-", true: "x"}[inside])
			}
			if got.String() != tt.want {
				t.Errorf("got %s, want %s", got.String(), tt.want)
			}
		})
	}
}
