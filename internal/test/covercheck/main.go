// Command covercheck prints the coverage of every package in a profile and
// fails when one is below a minimum. A statement counts as covered when the test
// of any package has run it.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "covercheck:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("covercheck", flag.ContinueOnError)
	least := flags.Float64("min", 80, "least coverage of a package, in `percent`")
	skip := flags.String("skip", "", "leave out `packages` and files whose paths end so, separated by commas, such as code that tests run as processes of their own")
	only := flags.String("only", "", "check only `packages` whose paths end so, separated by commas")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("give one profile, not %d", flags.NArg())
	}
	profile, err := os.Open(flags.Arg(0))
	if err != nil {
		return err
	}
	defer profile.Close()
	return check(profile, out, *least, func(file string) bool {
		name := path.Dir(file)
		return (*only == "" || endsInOneOf(name, *only)) && !endsInOneOf(name, *skip) && !endsInOneOf(file, *skip)
	})
}

// endsInOneOf reports whether a package path ends in one of the comma-separated paths.
func endsInOneOf(name, ends string) bool {
	return slices.ContainsFunc(strings.Split(ends, ","), func(end string) bool { return end != "" && strings.HasSuffix(name, "/"+end) })
}

// block is a stretch of statements, as a profile names it.
type block struct {
	position   string
	statements int
}

// check prints the coverage of the packages that the included files make up, and returns an error that names the ones below the minimum.
func check(profile io.Reader, out io.Writer, least float64, included func(file string) bool) error {
	covered, err := read(profile)
	if err != nil {
		return err
	}
	type count struct{ all, run int }
	packages := make(map[string]*count)
	for b, run := range covered {
		file, _, _ := strings.Cut(b.position, ":")
		if !included(file) {
			continue
		}
		c := packages[path.Dir(file)]
		if c == nil {
			c = new(count)
			packages[path.Dir(file)] = c
		}
		c.all += b.statements
		if run {
			c.run += b.statements
		}
	}
	checked := 0
	var low []string
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		checked++
		percent := 100 * float64(packages[name].run) / float64(max(packages[name].all, 1))
		fmt.Fprintf(out, "%6.1f%%  %s\n", percent, name)
		if percent < least {
			low = append(low, name)
		}
	}
	switch {
	case checked == 0:
		return errors.New("the profile has none of the packages to check")
	case len(low) > 0:
		return fmt.Errorf("coverage below %.0f %%: %s", least, strings.Join(low, ", "))
	}
	return nil
}

// read joins the blocks of a profile, which names a block once for every test
// binary.
func read(profile io.Reader) (map[block]bool, error) {
	covered := make(map[block]bool)
	lines := bufio.NewScanner(profile)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // the mode line
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", lines.Text(), err)
		}
		b := block{fields[0], statements}
		covered[b] = covered[b] || fields[2] != "0"
	}
	return covered, lines.Err()
}
