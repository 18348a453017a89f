// Command dougu serves the catalog over standard input and output with this
// library. Arguments are validated.
package main

import (
	"context"
	"errors"
	"flag"
	"log"

	"github.com/dougu-go/dougu/bench/catalog"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

func main() {
	total := flag.Int("tools", 50, "how many tools to serve")
	flag.Parse()

	s := mcp.NewServer(mcp.Implementation{Name: "dougu", Version: "1.0.0"}, nil)
	if err := register(s, *total); err != nil {
		log.Fatal(err)
	}
	if err := transport.ServeStdio(context.Background(), s, nil); err != nil {
		log.Fatal(err)
	}
}

func register(s *mcp.Server, total int) error {
	noops, err := catalog.Noops(total)
	if err != nil {
		return err
	}
	errs := []error{
		add(s, catalog.SmallName, catalog.SmallDescription, catalog.Greet),
		add(s, catalog.SearchName, catalog.SearchDescription, catalog.Search),
		add(s, catalog.SizeName, catalog.SizeDescription, catalog.Size),
	}
	for _, n := range noops {
		switch n.Shape {
		case catalog.Read:
			err = add(s, n.Name, n.Description, nothing[catalog.ReadArgs])
		case catalog.Find:
			err = add(s, n.Name, n.Description, nothing[catalog.FindArgs])
		case catalog.Run:
			err = add(s, n.Name, n.Description, nothing[catalog.RunArgs])
		case catalog.Edit:
			err = add(s, n.Name, n.Description, nothing[catalog.EditArgs])
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func add[In, Out any](s *mcp.Server, name, description string, compute func(In) Out) error {
	return mcp.AddTool(s, mcp.Tool{Name: name, Description: description},
		func(_ context.Context, in In) (Out, error) { return compute(in), nil })
}

func nothing[In any](In) catalog.NoopResult { return catalog.NoopResult{OK: true} }
