// Command trees measures the speed of the grammars as WebAssembly, in megabytes per second of processor time, compared with the
// same grammars in C (github.com/smacker/go-tree-sitter with cgo). Both parse the same files and find their functions.
//
//	go run ./trees -corpora DIR [-least 0.25] [-median 0.333] [language…]
//
// All files in the directory with an extension of a language are read, up to -size bytes for each language. The fastest of -rounds
// rounds counts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "trees:", err)
		os.Exit(1)
	}
}

func run() error {
	dirs := flag.String("corpora", "", "directories with source files, separated as in PATH")
	size := flag.Int("size", 2<<20, "bytes to read of each language, at most")
	rounds := flag.Int("rounds", 3, "rounds, of which the fastest counts")
	least := flag.Float64("least", 0.25, "the ratio that every language must reach")
	median := flag.Float64("median", 1.0/3, "the ratio that the languages must reach in the median")
	flag.Parse()
	if *dirs == "" {
		return errors.New("-corpora must name a directory with source files")
	}
	files, err := corpora(*dirs, *size)
	if err != nil {
		return err
	}
	ours := treesitter.New(treesitter.Options{})
	defer ours.Close()
	var ratios []float64
	fmt.Println("language     files     MB   cgo MB/s  wasm MB/s  ratio")
	for _, p := range peers() {
		texts := files[p.language]
		if len(texts) == 0 || flag.NArg() > 0 && !slices.Contains(flag.Args(), string(p.language)) {
			continue
		}
		ratio, err := compare(ours, p, texts, *rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", p.language, err)
		}
		ratios = append(ratios, ratio)
	}
	if len(ratios) == 0 {
		return errors.New("no source files were found")
	}
	slices.Sort(ratios)
	middle := ratios[len(ratios)/2]
	fmt.Printf("least %.2f, median %.2f of %d languages\n", ratios[0], middle, len(ratios))
	if ratios[0] < *least || middle < *median {
		return fmt.Errorf("too slow: %.2f and %.2f are asked for", *least, *median)
	}
	return nil
}

// compare measures both parsers with the texts of one language.
func compare(ours *treesitter.Parser, p peer, texts [][]byte, rounds int) (float64, error) {
	ctx := context.Background()
	wasm, err := fastest(rounds, texts, func(src []byte) error {
		_, err := ours.Parse(ctx, src, p.language, source.Options{})
		return err
	})
	if err != nil {
		return 0, err
	}
	read, end, err := p.reader(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	native, err := fastest(rounds, texts, read)
	if err != nil {
		return 0, err
	}
	bytes := 0
	for _, text := range texts {
		bytes += len(text)
	}
	mb := float64(bytes) / 1e6
	fmt.Printf("%-12s %5d %6.1f %10.1f %10.1f %6.2f\n", p.language, len(texts), mb, mb/native.Seconds(), mb/wasm.Seconds(), native.Seconds()/wasm.Seconds())
	return native.Seconds() / wasm.Seconds(), nil
}
