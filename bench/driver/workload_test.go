package driver

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/bench/catalog"
)

func TestCheckCall_Results(t *testing.T) {
	t.Parallel()
	want, err := plainJSON(catalog.SizeResult{Bytes: 3})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, result, complaint string
	}{
		{"right", `{"content":[{"type":"text","text":"{\"bytes\": 3}"}],"structuredContent":{"bytes":3}}`, ""},
		{"right, with more", `{"_meta":{},"isError":false,"content":[{"type":"text","text":"{\"bytes\":3}"}],"structuredContent":{"bytes":3}}`, ""},
		{"a failure", `{"isError":true,"content":[{"type":"text","text":"no"}]}`, "failed"},
		{"another number", `{"content":[{"type":"text","text":"{\"bytes\":3}"}],"structuredContent":{"bytes":4}}`, "structured content should be"},
		{"no structure", `{"content":[{"type":"text","text":"{\"bytes\":3}"}]}`, "structured content should be"},
		{"no text", `{"content":[],"structuredContent":{"bytes":3}}`, "one text"},
		{"text that says less", `{"content":[{"type":"text","text":"{}"}],"structuredContent":{"bytes":3}}`, "does not say"},
		{"text in prose", `{"content":[{"type":"text","text":"three"}],"structuredContent":{"bytes":3}}`, "not JSON"},
		{"no object", `[]`, "cannot unmarshal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			complains(t, checkCall(json.RawMessage(test.result), want), test.complaint)
		})
	}
}

func TestCheckList_Results(t *testing.T) {
	t.Parallel()
	want, err := expectedTools(3)
	if err != nil {
		t.Fatal(err)
	}
	small := `{"name":"small","description":"Greets a person and counts what was asked for.","inputSchema":{"type":"object","properties":{` +
		`"name":{"description":"Who to greet"},"count":{"description":"How many greetings are wanted"},` +
		`"tags":{"description":"Labels that the answer repeats"},"opt":{"description":"Finer settings"}}},` +
		`"outputSchema":{"type":"object","properties":{"greeting":{"description":"The words of the greeting"},` +
		`"total":{"description":"The count, with the tags when they were counted too"},"tags":{"description":"The labels of the call"}}}}`
	search := `{"name":"search","description":"Finds the lines of a project that match a query, best first.",` +
		`"inputSchema":{"type":"object","properties":{"query":{"description":"What to look for"},"limit":{"description":"How many hits are wanted, at most 20"}}},` +
		`"outputSchema":{"type":"object","properties":{"hits":{"description":"The matching lines, best first"}}}}`
	size := `{"name":"size","description":"Measures a text.","inputSchema":{"type":"object","properties":{"text":{"description":"The text to measure"}}},` +
		`"outputSchema":{"type":"object","properties":{"bytes":{"description":"The length of the text in bytes of UTF-8"}}}}`
	list := func(tools ...string) string { return `{"tools":[` + strings.Join(tools, ",") + `]}` }
	tests := []struct {
		name, result, complaint string
	}{
		{"right", list(size, small, search), ""},
		{"a tool is missing", list(small, search), "3 tools"},
		{"there are more pages", strings.Replace(list(small, search, size), "{", `{"nextCursor":"2",`, 1), "one page"},
		{"an unknown tool", list(small, search, strings.Replace(size, "size", "length", 1)), `"length"`},
		{"another description", list(small, search, strings.Replace(size, "Measures", "Counts", 1)), "describes"},
		{"a parameter undescribed", list(small, search, strings.Replace(size, "The text to measure", "", 1)), "describes"},
		{"no output schema", list(small, search, strings.Replace(size, "outputSchema", "title", 1)), "objects"},
		{"no object", `3`, "cannot unmarshal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			complains(t, checkList(json.RawMessage(test.result), want), test.complaint)
		})
	}
}

func complains(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("a right answer was refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want an error that says %q", err, want)
	}
}

func TestSourceText_Size(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 1000, 64 << 10, 1 << 20} {
		text := sourceText(size)
		if len(text) != size || !utf8.ValidString(text) {
			t.Errorf("a text of %d bytes has %d, valid %t", size, len(text), utf8.ValidString(text))
		}
	}
}

func TestWorkloads_InvalidTools(t *testing.T) {
	t.Parallel()
	for _, tools := range []int{2, 103} {
		if _, err := Workloads(tools); err == nil {
			t.Errorf("workloads for %d tools were made", tools)
		}
	}
}
