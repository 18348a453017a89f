package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Part is a measurement of the benchmark B.
type Part[B any] struct {
	Name string
	Run  func(bench B, ctx context.Context) error
}

// Parts are the measurements of a benchmark, in order.
type Parts[B any] []Part[B]

// String returns the names of the parts, separated by commas, as Choose accepts them.
func (p Parts[B]) String() string { return strings.Join(p.names(), ",") }

func (p Parts[B]) names() []string {
	names := make([]string, len(p))
	for i, part := range p {
		names[i] = part.Name
	}
	return names
}

// Choose returns the parts with the given names, separated by commas, in the order of p. An unknown name is an error.
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

// Run runs the parts in order, until one fails.
func (p Parts[B]) Run(ctx context.Context, bench B) error {
	for _, part := range p {
		if err := part.Run(bench, ctx); err != nil {
			return fmt.Errorf("measuring %s: %w", part.Name, err)
		}
	}
	return nil
}
