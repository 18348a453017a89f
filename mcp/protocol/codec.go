package protocol

import (
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// mustMarshal appends the JSON of a value of this package, which always encodes.
func mustMarshal(dst []byte, v any) []byte {
	out, err := jsonx.AppendValue(dst, v)
	if err != nil {
		return fmt.Appendf(dst, "%q", err.Error())
	}
	return out
}

// appendOptional appends a member with a string value unless the value is empty.
func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	return jsonx.AppendMember(dst, name, value)
}
