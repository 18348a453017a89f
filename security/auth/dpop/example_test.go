package dpop_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// A client proves with each request that it holds a key, and a server sees it.
func Example() {
	const target = "https://mcp.example.com/mcp"
	key, err := dpop.NewKey()
	if err != nil {
		fmt.Println(err)
		return
	}
	proof, err := key.Proof(http.MethodPost, target, "the-access-token", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := httptest.NewRequest(http.MethodPost, target, nil)
	r.Header.Set("Authorization", "DPoP the-access-token")
	r.Header.Set("DPoP", proof)

	var checker dpop.Checker
	thumbprint, err := checker.Check(r, target, "the-access-token")
	fmt.Println(thumbprint == key.Thumbprint(), err)
	_, err = checker.Check(r, target, "the-access-token")
	fmt.Println(err)
	// Output:
	// true <nil>
	// invalid_dpop_proof: the proof was used before; every request needs its own
}
