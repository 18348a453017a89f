package origin

import (
	"net/http"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Forbid answers a request that Check has refused: status 403, and a JSON-RPC
// error without an id.
func Forbid(w http.ResponseWriter, err error) {
	body := jsonx.AppendQuoted([]byte(`{"jsonrpc":"2.0","error":{"code":-32600,"message":`), "Forbidden: "+err.Error())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(append(body, `}}`...)) // the refused client may have closed the connection
}
