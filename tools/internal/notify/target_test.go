package notify_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/notify"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]string{
		"desktop": "desktop", " Desktop ": "desktop", "slack=https://hooks.slack.com/services/T/B/x": "slack", "SLACK = https://hooks.slack.com/x ": "slack",
		"discord=https://discord.com/api/webhooks/1/x?thread_id=2": "discord", "webhook=http://127.0.0.1:8080/": "webhook", "webhook=https://a.example/?a=b=c#secret": "webhook",
		"webhook=https://a.example/#whsec_c2VjcmV0": "webhook",
		"": "", "desktop=": "", "desktop=x": "", "slack": "", "slack=": "", "slack=T0KEN": "", "slack=ftp://T0KEN": "", "slack=https:T0KEN": "", "mail=https://T0KEN": "", "https://T0KEN": "",
		"webhook=https://T0KEN:port/": "", "webhook=https://a/%zzT0KEN": "", "webhook=https://a/T0KEN#whsec_": "", "webhook=https://a/T0KEN#whsec_T0KEN": "", "webhook=file:///T0KEN": "", "slack=https://\x00T0KEN": "",
	} {
		got, err := notify.ParseTarget(text)
		if got.String() != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "T0KEN") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, text := range []string{"desktop", "slack=https://hooks.slack.com/services/T/B/x", "webhook=https://a.example/?a=b#whsec_c2VjcmV0", "discord=%", "=", "webhook=http://[::1]:0/#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		to, err := notify.ParseTarget(text)
		kind, address, _ := strings.Cut(text, "=")
		if err == nil && !strings.EqualFold(strings.TrimSpace(kind), to.String()) {
			t.Errorf("%q is %v", text, to)
		}
		if err != nil && len(address) > 20 && strings.Contains(err.Error(), address) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
