package searchservice

import (
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/internal/notify"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
)

// roundTripper is an http.RoundTripper without a network.
type roundTripper func(*http.Request)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	f(r)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
}

func TestSendAlerts_Levels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []notify.Payload
		target, err := notify.ParseTarget("webhook=https://hooks.invalid/x")
		if err != nil {
			t.Fatal(err)
		}
		n := notify.New(notify.Options{Targets: []notify.Target{target}, Transport: roundTripper(func(r *http.Request) {
			var p notify.Payload
			if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
				t.Error(err)
			}
			got = append(got, p)
		})})
		a := alert.Alert{ID: "alert-1", Rule: alert.HighErrorRate, Severity: alert.High, Message: "Error rate exceeded 10%", Value: "20.0 %", Above: "10.0 %", Since: time.Now(), At: time.Now()}
		over, small := a, a
		over.Resolved, small.Severity = true, alert.Medium
		for _, one := range []alert.Alert{a, over, small} {
			sendAlerts(n)(one)
		}
		if err := n.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(got) != 3 || got[0].Level != notify.Failure || got[0].Title != "High Error Rate" || got[1].Level != notify.Success || got[2].Level != notify.Warning || got[0].Text != "Error rate exceeded 10%" {
			t.Errorf("sent were %+v", got)
		}
	})
}
