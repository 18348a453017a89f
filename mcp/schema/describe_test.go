package schema_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/schema"
)

func TestEditDescriptions(t *testing.T) {
	edit := func(text string) string {
		if text == "gone" {
			return ""
		}
		return strings.ToUpper(text)
	}
	for document, want := range map[string]string{
		`{"description":"a","type":"object"}`:                                                     `{"description":"A","type":"object"}`,
		`{"description":"gone","type":"object"}`:                                                  `{"type":"object"}`,
		`{"properties":{"description":{"type":"string","description":"b"}}}`:                      `{"properties":{"description":{"type":"string","description":"B"}}}`,
		`{"items":{"description":"c"},"anyOf":[{"description":"d"},true]}`:                        `{"items":{"description":"C"},"anyOf":[{"description":"D"},true]}`,
		`{"$defs":{"default":{"description":"e"}},"default":{"description":"f"}}`:                 `{"$defs":{"default":{"description":"E"}},"default":{"description":"f"}}`,
		`{"const":{"description":"g"},"enum":[{"description":"h"}],"examples":["i"]}`:             `{"const":{"description":"g"},"enum":[{"description":"h"}],"examples":["i"]}`,
		`{"properties":{"a":{"default":1.50,"description":"gone"}},"additionalProperties":false}`: `{"properties":{"a":{"default":1.50}},"additionalProperties":false}`,
	} {
		if got, err := schema.EditDescriptions([]byte(document), edit); err != nil || string(got) != want {
			t.Errorf("%s becomes %s, %v; want %s", document, got, err, want)
		}
	}
	if _, err := schema.EditDescriptions([]byte(`{"description":`), edit); err == nil {
		t.Error("a document that is not JSON has no error")
	}
}
