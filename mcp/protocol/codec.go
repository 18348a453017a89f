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
