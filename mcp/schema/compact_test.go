package schema_test

import (
	"testing"

	"github.com/dougu-go/dougu/mcp/schema"
)

func TestCompact(t *testing.T) {
	const document = `{"type":"object","properties":{"minimum":{"type":"integer","minimum":1,"default":5},"all":{"type":"boolean","default":false},` +
		`"in":{"type":"object","properties":{"path":{"type":"string","minLength":1},"kind":{"type":"string"}},"additionalProperties":false},` +
		`"list":{"type":"array","items":{"type":"string","maxLength":9},"maxItems":3}},"required":["minimum"],"additionalProperties":false}`
	const want = `{"type":"object","properties":{"minimum":{"type":"integer","default":5},` +
		`"all":{"type":"boolean"},"in":{"type":"object","properties":{"path":{"type":"string"},"kind":{"type":"string"}}},` +
		`"list":{"type":"array","items":{"type":"string"}}},"required":["minimum"]}`
	if got, err := schema.Compact([]byte(document)); err != nil || string(got) != want {
		t.Errorf("becomes %s, %v; want %s", got, err, want)
	}
	if _, err := schema.Compact([]byte(`{"type":`)); err == nil {
		t.Error("a document that is not JSON has no error")
	}
}
