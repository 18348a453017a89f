package protocol_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// The permissions of a caller come from its token. Without any, the principal alone decides.
func ExampleWithPermissions() {
	ctx := context.Background()
	_, limited := protocol.PermissionsFrom(ctx)
	fmt.Println("limited:", limited)
	permissions, limited := protocol.PermissionsFrom(protocol.WithPermissions(ctx, []string{"read"}))
	fmt.Println("limited:", limited, permissions)
	// Output:
	// limited: false
	// limited: true [read]
}

// A handler finds the user that the transport has authenticated.
func ExamplePrincipalFrom() {
	whoAmI := mcp.NewTool(mcp.Tool{Name: "who_am_i"}, func(ctx context.Context, _ struct{}) (string, error) { return protocol.PrincipalFrom(ctx), nil })
	ctx := protocol.WithPrincipal(context.Background(), "alice") // package security/auth does this
	result, err := whoAmI.Call(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(mcp.TextContent).Text)
	// Output: alice
}
