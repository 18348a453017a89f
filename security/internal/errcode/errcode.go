// Package errcode finds the stable codes of errors.
package errcode

import (
	"context"
	"errors"
)

// Of returns the code of an error: its own ErrorCode, TIMEOUT or CANCELLED for an ended context,
// otherwise INTERNAL_ERROR. It returns "" for nil.
func Of(err error) string {
	var coded interface{ ErrorCode() string }
	switch {
	case err == nil:
		return ""
	case errors.As(err, &coded):
		return coded.ErrorCode()
	case errors.Is(err, context.DeadlineExceeded):
		return "TIMEOUT"
	case errors.Is(err, context.Canceled):
		return "CANCELLED"
	}
	return "INTERNAL_ERROR"
}
