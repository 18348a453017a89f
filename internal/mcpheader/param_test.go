package mcpheader_test

import (
	"net/http"
	"testing"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/internal/mcpheader"
)

func TestCompile(t *testing.T) {
	property := func(schema string) string { return `{"type":"object","properties":{"a":` + schema + `}}` }
	region := func(path ...string) mcpheader.Params {
		return mcpheader.Params{{Header: "Mcp-Param-Region", Path: path}}
	}
	for _, tc := range []struct {
		name, schema string
		want         mcpheader.Params
		err          string
	}{
		{"nothing", property(`{"type":"string"}`), nil, ""},
		{"no object", `true`, nil, ""},
		{"a string", property(`{"type":"string","x-mcp-header":"Region"}`), region("a"), ""},
		{"an integer", property(`{"x-mcp-header":"region","type":"integer"}`), region("a"), ""},
		{"a boolean", property(`{"type":"boolean","x-mcp-header":"REGION"}`), region("a"), ""},
		{"an escaped keyword", property(`{"type":"string","x\u002dmcp-header":"Region"}`), region("a"), ""},
		{"inside an object", property(`{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"Region"}}}`), region("a", "b"), ""},
		{"the name of a standard header", property(`{"type":"string","x-mcp-header":"Method"}`), mcpheader.Params{{Header: "Mcp-Param-Method", Path: []string{"a"}}}, ""},
		{"beside a reference", property(`{"type":"string","$ref":"#/$defs/x","x-mcp-header":"Region"}`), region("a"), ""},
		{"a property of that name", `{"properties":{"x-mcp-header":{"type":"string"}}}`, nil, ""},
		{"inside data", property(`{"type":"object","default":{"x-mcp-header":""},"const":{"x-mcp-header":1},"enum":[{"x-mcp-header":""}],"examples":[{"x-mcp-header":""}],"custom":{"x-mcp-header":""}}`), nil, ""},

		{"a number", property(`{"type":"number","x-mcp-header":"Region"}`), nil, "type"},
		{"an object", property(`{"type":"object","x-mcp-header":"Region"}`), nil, "type"},
		{"an array", property(`{"type":"array","items":{"type":"string"},"x-mcp-header":"Region"}`), nil, "type"},
		{"null", property(`{"type":"null","x-mcp-header":"Region"}`), nil, "type"},
		{"several types", property(`{"type":["string","null"],"x-mcp-header":"Region"}`), nil, "type"},
		{"no type", property(`{"x-mcp-header":"Region"}`), nil, "type"},
		{"empty", property(`{"type":"string","x-mcp-header":""}`), nil, "name"},
		{"not a string", property(`{"type":"string","x-mcp-header":7}`), nil, "not a string"},
		{"a blank", property(`{"type":"string","x-mcp-header":"My Region"}`), nil, "name"},
		{"a colon", property(`{"type":"string","x-mcp-header":"Region:Primary"}`), nil, "name"},
		{"not ASCII", property(`{"type":"string","x-mcp-header":"Région"}`), nil, "name"},
		{"a control character", property(`{"type":"string","x-mcp-header":"Region\t1"}`), nil, "name"},
		{"a line end", property(`{"type":"string","x-mcp-header":"Region\r\nX"}`), nil, "name"},
		{"twice", `{"properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"Region"}}}`, nil, "two properties"},
		{"twice but for case", `{"properties":{"a":{"type":"string","x-mcp-header":"MyField"},"b":{"type":"string","x-mcp-header":"myfield"}}}`, nil, "two properties"},
		{"at the root", `{"type":"string","x-mcp-header":"Region"}`, nil, "reached"},
		{"in items", property(`{"type":"array","items":{"type":"string","x-mcp-header":"Region"}}`), nil, "reached"},
		{"in a list of items", property(`{"items":[{"type":"string","x-mcp-header":"Region"}]}`), nil, "reached"},
		{"in allOf", property(`{"allOf":[{"properties":{"b":{"type":"string","x-mcp-header":"Region"}}}]}`), nil, "reached"},
		{"in if", `{"if":{"properties":{"b":{"type":"string","x-mcp-header":"Region"}}}}`, nil, "reached"},
		{"in $defs", `{"$defs":{"b":{"type":"string","x-mcp-header":"Region"}}}`, nil, "reached"},
		{"in patternProperties", `{"patternProperties":{"b":{"type":"string","x-mcp-header":"Region"}}}`, nil, "reached"},
		{"in additionalProperties", `{"additionalProperties":{"type":"string","x-mcp-header":"Region"}}`, nil, "reached"},
		{"no JSON", `{"properties":{"a":{"x-mcp-header"`, nil, "expected"},
		{"no JSON in a list", `{"x-mcp-header":"a","allOf":[{]}`, nil, "expected"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := mcpheader.Compile([]byte(tc.schema))
			check(t, err, tc.err)
			if diff := testdiff.Diff(tc.want, got); diff != "" && tc.err == "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

const schema = `{"properties":{
	"s":{"type":"string","x-mcp-header":"S"},
	"i":{"type":"integer","x-mcp-header":"I"},
	"b":{"type":"boolean","x-mcp-header":"B"},
	"o":{"type":"object","properties":{"p":{"type":"string","x-mcp-header":"P"}}}}}`

func compiled(t testing.TB) mcpheader.Params {
	params, err := mcpheader.Compile([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return params
}

func TestCheck(t *testing.T) {
	params := compiled(t)
	for _, tc := range []struct {
		name, arguments string
		header          http.Header
		want            string
	}{
		{"nothing", `{}`, nil, ""},
		{"no arguments", ``, nil, ""},
		{"null", `{"s":null,"o":null}`, nil, ""},
		{"all", `{"s":"x","i":42,"b":true,"o":{"p":"y"}}`, http.Header{"Mcp-Param-S": {"x"}, "Mcp-Param-I": {"42"}, "Mcp-Param-B": {"true"}, "Mcp-Param-P": {"y"}}, ""},
		{"an unknown header", `{}`, http.Header{"Mcp-Param-Z": {"z"}}, ""},
		{"missing", `{"s":"x"}`, nil, "Mcp-Param-S is missing"},
		{"missing for an empty string", `{"s":""}`, nil, "Mcp-Param-S is missing"},
		{"an empty string", `{"s":""}`, http.Header{"Mcp-Param-S": {""}}, ""},
		{"nothing to repeat", `{}`, http.Header{"Mcp-Param-S": {"x"}}, "do not have this value"},
		{"null to repeat", `{"s":null}`, http.Header{"Mcp-Param-S": {"null"}}, "do not have this value"},
		{"different", `{"s":"x"}`, http.Header{"Mcp-Param-S": {"y"}}, `is "y" and the argument is "x"`},
		{"twice", `{"s":"x"}`, http.Header{"Mcp-Param-S": {"x", "x"}}, "more than once"},
		{"encoded", `{"s":"Hello"}`, http.Header{"Mcp-Param-S": {"=?base64?SGVsbG8=?="}}, ""},
		{"bad padding", `{"s":"Hello"}`, http.Header{"Mcp-Param-S": {"=?base64?SGVsbG8?="}}, "cannot be read"},
		{"a bad alphabet", `{"s":"Hello"}`, http.Header{"Mcp-Param-S": {"=?base64?SGVs!!!bG8=?="}}, "cannot be read"},
		{"without the prefix", `{"s":"SGVsbG8="}`, http.Header{"Mcp-Param-S": {"SGVsbG8="}}, ""},
		{"without the suffix", `{"s":"=?base64?SGVsbG8="}`, http.Header{"Mcp-Param-S": {"=?base64?SGVsbG8="}}, ""},
		{"a number in another notation", `{"i":42}`, http.Header{"Mcp-Param-I": {"42.0"}}, ""},
		{"an argument in another notation", `{"i":4.20e1}`, http.Header{"Mcp-Param-I": {"42"}}, ""},
		{"zero", `{"i":-0}`, http.Header{"Mcp-Param-I": {"0"}}, ""},
		{"a negative number", `{"i":-7}`, http.Header{"Mcp-Param-I": {"-7"}}, ""},
		{"the largest safe integer", `{"i":9007199254740991}`, http.Header{"Mcp-Param-I": {"9007199254740991"}}, ""},
		{"one more", `{"i":9007199254740992}`, http.Header{"Mcp-Param-I": {"9007199254740992"}}, "2^53"},
		{"far more", `{"i":1e400}`, http.Header{"Mcp-Param-I": {"1e400"}}, "2^53"},
		{"absurdly more", `{"i":1e99999999999999999999}`, http.Header{"Mcp-Param-I": {"1"}}, "too large"},
		{"numbers that a float64 confuses", `{"i":9007199254740990.5}`, http.Header{"Mcp-Param-I": {"9007199254740990.6"}}, "is"},
		{"no number", `{"i":42}`, http.Header{"Mcp-Param-I": {"forty-two"}}, "is"},
		{"a boolean in capitals", `{"b":true}`, http.Header{"Mcp-Param-B": {"TRUE"}}, "is"},
		{"an object where a string belongs", `{"s":{}}`, nil, ""},
		{"not an object on the way", `{"o":7}`, nil, ""},
		{"an escaped name", `{"\u0073":"x"}`, nil, "Mcp-Param-S is missing"},
	} {
		t.Run(tc.name, func(t *testing.T) { check(t, params.Check(tc.header, []byte(tc.arguments)), tc.want) })
	}
}

func TestSet(t *testing.T) {
	params := compiled(t)
	for _, tc := range []struct {
		arguments string
		want      http.Header
	}{
		{`{}`, http.Header{}},
		{`{"s":"\u4e16","i":4.2e1,"b":false,"o":{"p":" "},"z":1}`, http.Header{"Mcp-Param-S": {"=?base64?5LiW?="}, "Mcp-Param-I": {"42"}, "Mcp-Param-B": {"false"}, "Mcp-Param-P": {"=?base64?IA==?="}}},
		{`{"s":"","i":-100,"b":null}`, http.Header{"Mcp-Param-S": {""}, "Mcp-Param-I": {"-100"}}},
		{`{"i":0.0}`, http.Header{"Mcp-Param-I": {"0"}}},
		{`{"i":1.5}`, http.Header{"Mcp-Param-I": {"1.5"}}},
	} {
		h := http.Header{"Mcp-Param-B": {"left over"}}
		if err := params.Set(h, []byte(tc.arguments)); err != nil {
			t.Errorf("%s: %v", tc.arguments, err)
		}
		if diff := testdiff.Diff(tc.want, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.arguments, diff)
		}
	}
	check(t, params.Set(make(http.Header), []byte(`{"i":-9007199254740992}`)), "2^53")
}

// FuzzParams checks that a server accepts the headers that a client sets for any arguments.
func FuzzParams(f *testing.F) {
	f.Add([]byte(`{"s":"x","i":42,"b":true,"o":{"p":"y"}}`))
	f.Add([]byte(`{"s":"\ud800","i":1e-3,"o":{"p":"\r\n"}}`))
	f.Fuzz(func(t *testing.T, arguments []byte) {
		params := compiled(t)
		h := make(http.Header)
		if params.Set(h, arguments) != nil {
			return
		}
		if err := params.Check(h, arguments); err != nil {
			t.Errorf("%s with %v: %v", arguments, h, err)
		}
	})
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte(schema))
	f.Fuzz(func(t *testing.T, schema []byte) {
		params, err := mcpheader.Compile(schema)
		if err != nil {
			return
		}
		for _, p := range params {
			if len(p.Path) == 0 || http.CanonicalHeaderKey(p.Header) != p.Header {
				t.Errorf("%q: %+v", schema, p)
			}
		}
	})
}
