package pdftext_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document/internal/pdftext"
)

// small is a file of one page.
var small = file(page("BT /F 10 Tf 72 700 Td (Hello) Tj 30 0 Td (world) Tj 0 -12 Td [(T)80(able)-400(tops)] TJ ET"), latin)

const latin = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/Widths[" +
	"500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500 500]>>"

// file is a file with objects from number 4 on: the content, the font, and others.
func file(objects ...string) string {
	b := "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Kids[3 0 R]/Count 1>>\nendobj\n" +
		"3 0 obj\n<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>\nendobj\n"
	for i, o := range objects {
		b += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", 4+i, o)
	}
	return b + "trailer\n<</Root 1 0 R/Info<</Title(Small \\(file\\))>>>>\n%%EOF"
}

func page(content string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
}

// packed is a stream as most are: compressed, and in ASCII on top.
func packed(content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return fmt.Sprintf("<</Length 99999/Filter[/ASCIIHexDecode/FlateDecode]>>\nstream\n%x>\nendstream", b.Bytes())
}

const cmap = `begincodespacerange <0000> <FFFF> endcodespacerange
2 beginbfchar <0001> <691C> <0002> <7D22> endbfchar
2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<00660066> <D842DFB7>] endbfrange`

func TestRead(t *testing.T) {
	composite := "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[<</DW 1000>>]>>"
	named := func(encoding string) string {
		return "<</Type/Font/Subtype/Type0/Encoding/" + encoding + "/DescendantFonts[<</DW 1000>>]>>"
	}
	for about, tc := range map[string]struct{ data, want string }{
		"words by distance":     {small, "Hello world\nTable tops"},
		"compressed":            {file(packed("BT /F 10 Tf (packed) Tj ET"), latin), "packed"},
		"glyphs by name":        {file(page(`BT /F 10 Tf (\001\002\003) Tj ET`), "<</Subtype/Type1/Encoding<</Differences[1/eacute/fi/uni3042]>>>>"), "éfiあ"},
		"ToUnicode":             {file(page("BT /F 10 Tf <00010002001000120020> Tj ET"), composite, page(""), page(cmap)), "検索acff"},
		"outside of the plane":  {file(page("BT /F 10 Tf <0021> Tj ET"), composite, page(""), page(cmap)), "𠮷"},
		"UTF-16":                {file(page("BT /F 10 Tf <691C7D2200410042> Tj ET"), named("UniJIS-UTF16-H")), "検索AB"},
		"Shift-JIS":             {file(page("BT /F 10 Tf <8c9f8df54142> Tj ET"), named("90ms-RKSJ-H")), "検索AB"},
		"EUC":                   {file(page("BT /F 10 Tf <b8a1baf7> Tj ET"), named("EUC-H")), "検索"},
		"JIS":                   {file(page("BT /F 10 Tf <38213a77> Tj ET"), named("H")), "検索"},
		"Japanese lines join":   {file(page("BT /F 10 Tf 12 TL 72 700 Td <691C> Tj T* <7D22> Tj ET"), named("UniJIS-UTF16-H")), "検索"},
		"hyphens":               {file(page("BT /F 10 Tf 12 TL 72 700 Td (exam-) Tj T* (ple -) Tj T* (one) Tj ET"), latin), "example -\none"},
		"forms":                 {file(page("q 1 0 0 1 50 50 cm /X Do Q"), latin, "<</Type/XObject/Subtype/Form/Length 60>>stream\nBT /F 10 Tf (in a form) Tj ET\nendstream"), "in a form"},
		"a form in itself":      {file(page("/X Do"), latin, "<</Subtype/Form/Length 60>>stream\n/X Do BT /F 10 Tf (x) Tj ET\nendstream"), "xxxxxxxx"},
		"images in the content": {file(page("BI /W 1 ID (BT) EI BT /F 10 Tf (seen) Tj ET"), latin), "seen"},
		"no end":                {small[:strings.Index(small, "trailer")], "Hello world\nTable tops"},
	} {
		doc, err := pdftext.Read(context.Background(), []byte(tc.data), 1<<20)
		if err != nil || strings.Join(doc.Pages, "\f") != tc.want {
			t.Errorf("%s: %q, %v, want %q", about, doc.Pages, err, tc.want)
		}
	}
}

func TestTitle(t *testing.T) {
	doc, err := pdftext.Read(context.Background(), []byte(small), 1<<20)
	if err != nil || doc.Title != "Small (file)" {
		t.Errorf("%q, %v", doc.Title, err)
	}
}

// Little that says much is read in bounded time and space: ranges of codes for all
// characters in many fonts, and a page that is a thousand times in the tree by a
// thousand names.
func TestMuchInLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString("1 0 obj<</Kids[")
	for i := range 2000 {
		fmt.Fprintf(&b, "%d 0 R ", 10+i)
	}
	content := strings.Repeat("/F 1 Tf <0041> Tj ", 1000)
	b.WriteString("]>>endobj 2 0 obj" + page("1 begincodespacerange <0000><FFFF> endcodespacerange "+strings.Repeat("1 beginbfrange <0000><FFFF><0020> endbfrange ", 100)) +
		"endobj 3 0 obj" + page(content) + "endobj 4 0 obj<</F<</Subtype/Type0/Encoding/Identity-H/ToUnicode 2 0 R/DescendantFonts[<</W[0 65535 500]>>]>>>>endobj\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "%d 0 obj<</Type/Page/Contents 3 0 R/Resources<</Font 4 0 R>>>>endobj\n", 10+i)
	}
	doc, err := pdftext.Read(context.Background(), []byte(b.String()+"trailer<</Root<</Pages 1 0 R>>>>"), 1<<17)
	if err != nil || len(doc.Pages) < 100 || !strings.HasPrefix(doc.Pages[0], "aaaa") {
		t.Errorf("%d pages, %v", len(doc.Pages), err)
	}
}

// What cannot be read says why, and hostile files end soon.
func TestRefused(t *testing.T) {
	bomb := packed(strings.Repeat("BT (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ", 100_000))
	for about, tc := range map[string]struct {
		data string
		want error
	}{
		"nothing":            {"", pdftext.ErrFormat},
		"another format":     {"<html>", pdftext.ErrFormat},
		"encrypted":          {strings.Replace(small, "/Root", "/Encrypt 9 0 R/Root", 1), pdftext.ErrEncrypted},
		"no pages":           {"1 0 obj<</Type/Catalog>>endobj", pdftext.ErrFormat},
		"a tree in itself":   {"1 0 obj<</Kids[1 0 R]>>endobj trailer<</Root<</Pages 1 0 R>>>>", pdftext.ErrFormat},
		"arrays in arrays":   {"1 0 obj" + strings.Repeat("[", 1<<20), pdftext.ErrFormat},
		"dictionaries":       {"1 0 obj" + strings.Repeat("<</A", 1<<20), pdftext.ErrFormat},
		"a reference to it":  {"1 0 obj 1 0 R endobj trailer<</Root 1 0 R>>", pdftext.ErrFormat},
		"a length in itself": {"5 0 obj<</Type/ObjStm/N 1/First 4/Length 6 0 R>>stream\n6 0 5 endstream trailer<</Root 6 0 R>>", pdftext.ErrFormat},
		"much in little":     {file(bomb, latin), nil},
	} {
		doc, err := pdftext.Read(context.Background(), []byte(tc.data), 1<<10)
		if !errors.Is(err, tc.want) || len(strings.Join(doc.Pages, "")) > 2<<10 {
			t.Errorf("%s: %v, want %v", about, err, tc.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pdftext.Read(ctx, []byte(small), 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
