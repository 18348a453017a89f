package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// marshal appends the JSON of v to dst, without escaping for HTML.
func marshal(dst []byte, v any) ([]byte, error) { return jsonx.AppendValue(dst, v) }

// unmarshal decodes one JSON value.
func unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// mustMarshal is marshal for values that always encode: values of this package, and values that
// were checked at registration.
func mustMarshal(dst []byte, v any) []byte {
	out, err := marshal(dst, v)
	if err != nil {
		return append(dst, fmt.Sprintf("%q", err.Error())...)
	}
	return out
}

// decodeExact decodes raw into maps, slices and scalars. Numbers keep their digits.
func decodeExact(raw json.RawMessage) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}

// isObject reports whether raw is a valid JSON object.
func isObject(raw json.RawMessage) bool {
	return jsonx.Valid(raw) == nil && raw[jsonx.Space(raw, 0)] == '{'
}

func isNull(value json.RawMessage) bool { return string(value) == "null" }
