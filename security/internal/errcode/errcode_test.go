package errcode_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/security/internal/errcode"
)

type coded struct{ error }

func (coded) ErrorCode() string { return "FULL" }

func TestOf_Errors(t *testing.T) {
	for want, err := range map[string]error{
		"": nil, "FULL": fmt.Errorf("write: %w", coded{context.Canceled}), "TIMEOUT": fmt.Errorf("wait: %w", context.DeadlineExceeded),
		"CANCELLED": context.Canceled, "INTERNAL_ERROR": errors.New("other"),
	} {
		if got := errcode.Of(err); got != want {
			t.Errorf("code of %v is %q, want %q", err, got, want)
		}
	}
}
