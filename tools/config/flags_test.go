package config_test

import (
	"flag"
	"slices"
	"testing"
)

// A flag says which words it takes, if it takes some words alone.
func TestFlags_Choices(t *testing.T) {
	houses, _ := table()
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	houses.Flags(flags)
	for name, want := range map[string][]string{
		"outside-colour": {"red", "green"}, "inside-pets": {"cat", "dog", "bird"}, "name": nil, "inside-lights-are-on": nil,
	} {
		if got := flags.Lookup(name).Value.(interface{ Choices() []string }).Choices(); !slices.Equal(got, want) {
			t.Errorf("-%s: %q, want %q", name, got, want)
		}
	}
}
