package textfile_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for want, names := range map[textfile.Encoding][]string{
		textfile.Auto:        {"auto", "AUTO", "", " "},
		textfile.UTF8:        {"utf-8", "UTF8", "utf_8", "Utf 8", "ascii", "US-ASCII"},
		textfile.UTF16:       {"utf-16", "utf16", "UCS-2", "unicode"},
		textfile.UTF16LE:     {"utf-16le", "utf16le", "UTF-16-LE"},
		textfile.UTF16BE:     {"utf-16be", "utf16be"},
		textfile.ShiftJIS:    {"shift-jis", "Shift_JIS", "sjis", "SJIS", "cp932", "Windows-31J", "ms932", "x-sjis", "MS_Kanji"},
		textfile.EUCJP:       {"euc-jp", "eucjp", "EUC_JP", "ujis", "eucJP-ms", "cp51932"},
		textfile.ISO2022JP:   {"iso-2022-jp", "ISO2022JP", "jis", "JIS"},
		textfile.Windows1252: {"windows-1252", "cp1252", "latin1", "ISO-8859-1", "latin-1"},
		textfile.Binary:      {"binary", "Binary"},
	} {
		for _, name := range names {
			got, err := textfile.Parse(name)
			if err != nil || got != want {
				t.Errorf("Parse(%q) = %v, %v; want %v", name, got, err, want)
			}
		}
	}
}

func TestParse_ErrorListsNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"utf-9", "-", "shift", strings.Repeat("x", 10_000), "日本語"} {
		_, err := textfile.Parse(name)
		var unknown *textfile.NameError
		if !errors.As(err, &unknown) {
			t.Fatalf("Parse(%.20q) gave the error %v", name, err)
		}
		if got := err.Error(); !strings.Contains(got, "shift-jis") || !strings.Contains(got, "utf-16le") || len(got) > 300 {
			t.Errorf("Parse(%.20q) says %q", name, got)
		}
		if unknown.ErrorCode() != "UNKNOWN_ENCODING" || !strings.Contains(unknown.NextStep(), "euc-jp") {
			t.Errorf("code %q, next step %q", unknown.ErrorCode(), unknown.NextStep())
		}
	}
}

func TestEncoding_NamesUnique(t *testing.T) {
	t.Parallel()
	names := textfile.Names()
	for _, name := range names {
		e, err := textfile.Parse(name)
		if err != nil || e.String() != name {
			t.Errorf("%q is parsed as %v, %v", name, e, err)
		}
	}
	names[0] = "changed"
	if slices.Contains(textfile.Names(), "changed") {
		t.Error("a caller can change the names")
	}
}

func TestEncoding_JSON(t *testing.T) {
	t.Parallel()
	var got struct {
		Encoding textfile.Encoding
		EOL      textfile.EOL
	}
	if err := json.Unmarshal([]byte(`{"Encoding":"SJIS"}`), &got); err != nil {
		t.Fatal(err)
	}
	got.EOL = textfile.CRLF
	out, err := json.Marshal(got)
	if want := `{"Encoding":"shift-jis","EOL":"crlf"}`; err != nil || string(out) != want {
		t.Errorf("marshalled %s, %v; want %s", out, err, want)
	}
	if err := json.Unmarshal([]byte(`{"Encoding":"klingon"}`), &got); err == nil {
		t.Error("an unknown name was taken")
	}
	if got := textfile.Encoding(200).String() + textfile.EOL(200).String() + textfile.Policy(200).String(); got != "unknownunknownunknown" {
		t.Errorf("values without names are %q", got)
	}
}
