package image

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Certificates are the authorities that Mozilla trusts without conditions, as the
// module golang.org/x/crypto/x509roots/fallback has them: which they are depends on
// its version in go.mod, and not on the machine. A client cannot be told of
// conditions by a file of certificates, so authorities that have some are left out.
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
