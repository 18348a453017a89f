package oauth_test

import (
	"net/http"
	"testing"

	"github.com/dougu-go/dougu/security/oauth"
)

// BenchmarkRoundTrip measures a request with a valid token.
func BenchmarkRoundTrip(b *testing.B) {
	w, _, _ := standard(b)
	base := &switched{RoundTripper: w}
	client := w.client(func(c *oauth.Client) { c.Log = nil })
	transport := client.Transport(resourceURL, base)
	get(b, transport)
	base.RoundTripper = answering{}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, resourceURL, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if resp, err := transport.RoundTrip(req); err != nil || resp.StatusCode != 200 {
			b.Fatal(err)
		}
	}
}

type switched struct{ http.RoundTripper }

// answering answers at once.
type answering struct{}

func (answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}
