package image

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Certificates returns the root certificates that Mozilla trusts without constraints, from golang.org/x/crypto/x509roots/fallback.
// The set depends on the version in go.mod and not on the machine. A certificate file cannot express constraints, so constrained
// roots are omitted.
func Certificates() ([]byte, error) {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint != nil {
			continue
		}
		certificate, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			return nil, fmt.Errorf("a certificate of an authority: %w", err)
		}
		fmt.Fprintf(&all, "# %s\n", certificate.Subject)
		if err := pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}
