package textfile_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// A word of a Shift_JIS file with CRLF is replaced. 髙 is kept in the code that it has in the file, and the new line
// ends as the others do.
func Example() {
	file := []byte("// \xEE\xE0\x8B\xB4\r\nx = 1\r\n") // "// 髙橋"

	text, err := textfile.Decode(file, textfile.Auto)
	if err != nil {
		log.Fatal(err)
	}
	start := strings.Index(text.Content, "x = 1")
	end := start + len("x = 1")
	edited, err := text.Replace(start, end, text.Fit(start, end, "x = 2 // 値\ny = 3", textfile.Keep))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text.Encoding, text.EOL)
	fmt.Printf("%q\n", edited)
	// Output:
	// shift-jis crlf
	// "// \xee\xe0\x8b\xb4\r\nx = 2 // \x92l\r\ny = 3\r\n"
}

// Lines can be read and numbered for a model that refers to them.
func ExampleLines() {
	lines := textfile.NewLines("package main\n\nfunc main() {\n}\n")
	last, err := lines.Span(-2, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d lines\n%s", lines.Len(), textfile.Numbering{}.Append(nil, lines, last))
	// Output:
	// 4 lines
	// 3	func main() {
	// 4	}
}

// Large files are read in pieces that never split a character.
func ExampleReadRange() {
	file := strings.NewReader("\x93\xfa\x96\x7b\x8c\xea") // 日本語 in Shift_JIS
	for at := int64(0); at < file.Size(); {
		chunk, err := textfile.ReadRange(file, file.Size(), textfile.ShiftJIS, at, 3)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(chunk.Start, chunk.End, chunk.Content)
		at = chunk.End
	}
	// Output:
	// 0 4 日本
	// 4 6 語
}
