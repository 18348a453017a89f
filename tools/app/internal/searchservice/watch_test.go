package searchservice

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/errorclass"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
)

// An error of high severity keeps its alert active for five minutes; other errors begin none.
func TestWatch_SevereErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &watch{server: &Server{service: &Service{log: slog.New(slog.DiscardHandler)}}}
		rule := w.severeErrors()
		for _, step := range []struct {
			severity errorclass.Severity
			pause    time.Duration
			want     float64
		}{{errorclass.Medium, 0, 0}, {errorclass.High, 0, 1}, {errorclass.Low, 4 * time.Minute, 1}, {errorclass.Low, time.Minute, 0}, {errorclass.Critical, 0, 1}} {
			w.fault(t.Context(), &protocol.Request{Method: "tools/call"}, errorclass.Fault{Severity: step.severity})
			time.Sleep(step.pause)
			if got := rule.Value(alert.Metrics{}); got != step.want {
				t.Errorf("%s: %v, want %v", step.severity, got, step.want)
			}
		}
	})
}
