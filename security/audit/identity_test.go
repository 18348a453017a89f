package audit_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/security/audit"
)

func TestIdentity_Unknown(t *testing.T) {
	if id := audit.IdentityFrom(context.Background()); id.UserID != "unknown" || id.SessionID != "unknown" {
		t.Errorf("nobody is %+v", id)
	}
	ctx := audit.WithIdentity(t.Context(), audit.Identity{UserID: "ada"})
	if id := audit.IdentityFrom(ctx); id.UserID != "ada" || id.SessionID != "unknown" {
		t.Errorf("ada is %+v", id)
	}
}
