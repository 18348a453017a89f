package audit_test

import (
	"context"
	"fmt"

	"github.com/dougu-go/dougu/security/audit"
)

// An operation is recorded before it happens, without its secrets.
func ExampleLog() {
	log, err := audit.Open(audit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer log.Close()
	ctx := audit.WithIdentity(context.Background(), audit.Identity{UserID: "ada"})
	call, err := log.Begin(ctx, audit.Entry{Operation: "login", Params: map[string]string{"user": "ada", "password": "hunter2"}})
	if err != nil {
		fmt.Println("not recorded, so not done:", err)
		return
	}
	call.End(nil)
	for _, record := range log.Recent(2) {
		fmt.Println(record.Operation, record.Result, record.UserID, record.Params)
	}
	// Output:
	// login success ada {"password":"[redacted]","user":"ada"}
	// login started ada {"password":"[redacted]","user":"ada"}
}
