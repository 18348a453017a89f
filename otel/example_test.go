package otel_test

import (
	"context"
	"fmt"
	"log"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/transport"
)

type greetArgs struct {
	Name string `json:"name"`
}

// The request of a client and the work of the server belong to one trace.
func Example() {
	spans := tracetest.NewInMemoryExporter() // package export has one that sends
	instruments, err := otel.New(otel.Options{Tracers: sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))})
	if err != nil {
		log.Fatal(err)
	}
	srv := mcp.NewServer(mcp.Implementation{Name: "hello", Version: "1.0.0"}, nil)
	err = mcp.AddTool(srv, mcp.Tool{Name: "greet", Description: "Greets a person."},
		func(_ context.Context, in greetArgs) (string, error) { return "Hello, " + in.Name, nil })
	if err != nil {
		log.Fatal(err)
	}
	srv.Use(instruments.Server)

	ctx := context.Background()
	client, err := mcp.Connect(ctx, instruments.Client(transport.InMemory{Server: srv}), mcp.Implementation{Name: "example", Version: "1.0.0"}, instruments.Answers(nil))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	spans.Reset()
	said, err := mcp.Call[string](ctx, client, "greet", greetArgs{"Ada"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(said)
	served, sent := spans.GetSpans()[0], spans.GetSpans()[1]
	fmt.Println(sent.SpanKind, sent.Name)
	fmt.Println(served.SpanKind, served.Name, "within it:", served.Parent.SpanID() == sent.SpanContext.SpanID())
	// Output:
	// Hello, Ada
	// client tools/call greet
	// server tools/call greet within it: true
}
