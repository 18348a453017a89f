package pdftext_test

import (
	"context"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/document/internal/pdftext"
)

// Whatever claims to be a PDF file, reading it ends, in the space that was given.
func FuzzRead(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("1 0 obj<</Type/Page/Contents 2 0 R>>endobj 2 0 obj<</Length 9 0 R>>stream\nBT (a) Tj\nendstream"))
	f.Add([]byte("1 0 obj<</Kids[1 0 R 1 0 R]>> trailer<</Root<</Pages 1 0 R>>>>"))
	f.Add([]byte("5 0 obj<</Type/ObjStm/N 1/First 4/Length 6 0 R>>stream\n6 0 5 endstream"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const most = 1 << 16
		doc, err := pdftext.Read(context.Background(), data, most)
		size := 0
		for _, page := range doc.Pages {
			if size += len(page); !utf8.ValidString(page) {
				t.Fatalf("%q", page)
			}
		}
		if size > most+1024 || err == nil && len(doc.Pages) == 0 {
			t.Fatalf("%d bytes, %v", size, err)
		}
	})
}
