package jwt_test

import (
	"crypto/rand"
	"testing"

	"github.com/dougu-go/dougu/internal/authtest"
	"github.com/dougu-go/dougu/security/auth/jwt"
)

// BenchmarkVerify measures a cached and a new token.
func BenchmarkVerify(b *testing.B) {
	issuer := authtest.New(b)
	tokens := make([]string, 4096)
	for i := range tokens {
		tokens[i] = issuer.Token(resource, map[string]any{"jti": rand.Text()})
	}
	for name, which := range map[string]int{"the same": 1, "new ones": len(tokens)} {
		b.Run(name, func(b *testing.B) {
			v := &jwt.Verifier{Issuers: []string{issuer.URL}, Audiences: []string{resource}}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if _, err := v.Verify(b.Context(), tokens[i%which]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
