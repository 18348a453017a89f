package jsonx

import (
	"bytes"
	"encoding/json"
)

// AppendValue appends the JSON of v to dst, without escaping for HTML.
func AppendValue(dst []byte, v any) ([]byte, error) {
	buf := bytes.NewBuffer(dst)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// AppendMember appends a comma and a member with a string value.
func AppendMember(dst []byte, name, value string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return AppendQuoted(dst, value)
}

// AppendOptional is AppendMember unless the value is empty.
func AppendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return AppendMember(dst, name, value)
}

// Member returns the value of a member of a JSON object, or nil.
func Member(object []byte, name string) []byte {
	if len(object) == 0 || object[0] != '{' {
		return nil
	}
	members := Object(object)
	for members.Next() {
		if members.Escaped() && members.Name() == name || string(members.Key()) == name {
			return members.Value()
		}
	}
	return nil
}
