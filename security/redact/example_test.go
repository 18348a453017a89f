package redact_test

import (
	"log/slog"
	"os"

	"github.com/dougu-go/dougu/security/redact"
)

// Secrets do not reach the log.
func ExampleNewHandler() {
	plain := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})
	log := slog.New(redact.NewHandler(plain, nil))
	log.Info("connecting to postgres://app:s3cret@db/x", "token", "abc")
	// Output:
	// level=INFO msg="connecting to postgres://app:[redacted]@db/x" token=[redacted]
}
