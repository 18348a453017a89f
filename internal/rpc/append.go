package rpc

import (
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// AppendRequest appends a request, or a notification when id is empty. params is
// a raw object or array, nil for none.
func AppendRequest(dst []byte, id ID, method string, params []byte) []byte {
	dst = append(slices.Grow(dst, len(id)+len(method)+len(params)+64), `{"jsonrpc":"2.0",`...)
	if id != "" {
		dst = append(append(append(dst, `"id":`...), id...), ',')
	}
	dst = jsonx.AppendQuoted(append(dst, `"method":`...), method)
	if params != nil {
		dst = append(append(dst, `,"params":`...), params...)
	}
	return append(dst, '}')
}

// AppendError appends an error response. Without an id it has none, or null if
// nullID is set.
func AppendError(dst []byte, id ID, nullID bool, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0",`...)
	switch {
	case id != "":
		dst = append(append(append(dst, `"id":`...), id...), ',')
	case nullID:
		dst = append(dst, `"id":null,`...)
	}
	return append(e.Append(append(dst, `"error":`...)), '}')
}
