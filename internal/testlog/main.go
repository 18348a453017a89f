// Command testlog reads what "go test -json" writes. Without arguments it prints
// the output of what failed. With -skipped and several logs it fails when a test
// was skipped in every log that has it.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "testlog:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("testlog", flag.ContinueOnError)
	skipped := flags.Bool("skipped", false, "fail when a test of the `logs` never ran")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !*skipped {
		return printFailures(in, out)
	}
	var ran, left []string
	for _, name := range flags.Args() {
		log, err := os.Open(name)
		if err != nil {
			return err
		}
		r, l, err := outcomes(log)
		if err = errors.Join(err, log.Close()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ran, left = append(ran, r...), append(left, l...)
	}
	left = slices.DeleteFunc(left, func(test string) bool { return slices.Contains(ran, test) })
	slices.Sort(left)
	if left = slices.Compact(left); len(left) > 0 {
		return fmt.Errorf("these tests were skipped:\n%s", strings.Join(left, "\n"))
	}
	fmt.Fprintf(out, "%d tests, none skipped\n", len(ran))
	return nil
}

// event is one line of a log.
type event struct{ Action, Package, Test, Output string }

func events(in io.Reader, yield func(event)) error {
	dec := json.NewDecoder(in)
	for {
		var e event
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the log: %w", err)
		}
		yield(e)
	}
}

// outcomes sorts the tests of a log into those that ran and those that did not.
func outcomes(in io.Reader) (ran, skipped []string, err error) {
	err = events(in, func(e event) {
		switch {
		case e.Test == "":
		case e.Action == "pass", e.Action == "fail":
			ran = append(ran, e.Package+" "+e.Test)
		case e.Action == "skip":
			skipped = append(skipped, e.Package+" "+e.Test)
		}
	})
	return ran, skipped, err
}

// printFailures writes the output of every test and package that failed.
func printFailures(in io.Reader, out io.Writer) error {
	outputs := make(map[string]*strings.Builder)
	var failed []string
	err := events(in, func(e event) {
		key := e.Package + " " + e.Test
		if outputs[key] == nil {
			outputs[key] = new(strings.Builder)
		}
		outputs[key].WriteString(e.Output)
		if e.Action == "fail" || strings.HasPrefix(e.Action, "build-") {
			failed = append(failed, key)
		}
	})
	slices.Sort(failed)
	for _, key := range slices.Compact(failed) {
		fmt.Fprintf(out, "--- %s\n%s", key, outputs[key])
	}
	fmt.Fprintf(out, "%d of %d tests and packages failed\n", len(slices.Compact(failed)), len(slices.Collect(maps.Keys(outputs))))
	return err
}
