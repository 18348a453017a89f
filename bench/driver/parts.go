package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Part is one thing that a benchmark B can measure.
type Part[B any] struct {
	Name string
	Run  func(bench B, ctx context.Context) error
}

// Parts are what a benchmark can measure, in order.
type Parts[B any] []Part[B]

// String returns the names of the parts with commas between them, as Choose takes them.
func (p Parts[B]) String() string { return strings.Join(p.names(), ",") }

func (p Parts[B]) names() []string {
	names := make([]string, len(p))
	for i, part := range p {
		names[i] = part.Name
	}
	return names
}

// Choose returns the parts that are named, with commas between the names. They keep
// the order of p. It is an error to name one that there is not.
func (p Parts[B]) Choose(names string) (Parts[B], error) {
	only := strings.Split(names, ",")
	for _, name := range only {
		if !slices.Contains(p.names(), name) {
			return nil, fmt.Errorf("there is no part %q; there are %s", name, strings.Join(p.names(), ", "))
		}
	}
	var chosen Parts[B]
	for _, part := range p {
		if slices.Contains(only, part.Name) {
			chosen = append(chosen, part)
		}
	}
	return chosen, nil
}

// Run measures one part after another, until one fails.
func (p Parts[B]) Run(ctx context.Context, bench B) error {
	for _, part := range p {
		if err := part.Run(bench, ctx); err != nil {
			return fmt.Errorf("measuring %s: %w", part.Name, err)
		}
	}
	return nil
}
