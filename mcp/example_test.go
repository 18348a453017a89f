package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

type DivideArgs struct {
	A float64 `json:"a" jsonschema:"The dividend"`
	B float64 `json:"b" jsonschema:"The divisor"`
}

type DivideResult struct {
	Quotient float64 `json:"quotient"`
}

func divide(_ context.Context, in DivideArgs) (DivideResult, error) {
	if in.B == 0 {
		return DivideResult{}, &mcp.ToolError{Code: "DIVISION_BY_ZERO", Message: "b is zero", Next: "choose another divisor"}
	}
	return DivideResult{Quotient: in.A / in.B}, nil
}

// A tool is a typed function. The model reads the errors that it returns.
func Example() {
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "calculator", Version: "1.0.0"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "divide", Description: "Divides a by b."}, divide); err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	out, err := mcp.Call[DivideResult](ctx, client, "divide", DivideArgs{A: 1, B: 4})
	fmt.Println(out.Quotient, err)
	_, err = mcp.Call[DivideResult](ctx, client, "divide", DivideArgs{A: 1})
	var failure *mcp.ToolFailure
	fmt.Println(errors.As(err, &failure), failure.ErrorCode())
	_, err = mcp.Call[DivideResult](ctx, client, "divide", map[string]any{"a": 1, "divisor": 2})
	fmt.Println(err)
	// Output:
	// 0.25 <nil>
	// true DIVISION_BY_ZERO
	// divide: INVALID_PARAMS: unknown argument "divisor" (known: a, b)
	// b: required
	// Next step: correct the arguments and call again
}

// A handler may ask the user. It is written once and works with clients of every
// revision that can be asked.
func ExampleElicit() {
	type Choice struct {
		Colour string `json:"colour" jsonschema:"enum=red,enum=blue"`
	}
	ctx := context.Background()
	srv := mcp.NewServer(mcp.Implementation{Name: "painter", Version: "1.0.0"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "paint", Description: "Paints the wall."},
		func(ctx context.Context, _ struct{}) (string, error) {
			answer, err := mcp.Elicit[Choice](ctx, "colour", "Which colour?")
			if err != nil {
				return "", err
			}
			if answer.Action != mcp.Accept {
				return "Left as it was.", nil
			}
			return "Painted " + answer.Value.Colour + ".", nil
		})
	if err != nil {
		log.Fatal(err)
	}
	client, err := mcp.Connect(ctx, transport.InMemory{Server: srv}, mcp.Implementation{Name: "example", Version: "1.0.0"}, &mcp.ClientOptions{
		Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			fmt.Println(form.Message)
			return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"colour":"blue"}`)}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	text, err := mcp.Call[string](ctx, client, "paint", nil)
	fmt.Println(text, err)
	// Output:
	// Which colour?
	// Painted blue. <nil>
}
