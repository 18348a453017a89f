package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Lost reports whether an error is about the connection and not about the query: the
// connection cannot be made or has broken, or the server shuts down or starts.
func Lost(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch said.Code {
		case "57P01", "57P02", "57P03", "53300": // it ends, has crashed, starts, has too many
			return true
		}
		return strings.HasPrefix(said.Code, "08")
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || pgconn.SafeToRetry(err) {
		return true
	}
	_, ok := errors.AsType[net.Error](err)
	return ok || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || strings.Contains(err.Error(), "conn closed")
}
