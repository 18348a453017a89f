// Command outline scans the source files of a directory with the outline scanners, one after the other. The benchmark compares it
// with ctags. -index builds a complete index instead, -languages prints a table of the languages in directories, and -profile
// writes a processor profile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"syscall"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/source/outline"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "outline:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	indexed := flag.Bool("index", false, "make an index")
	profile := flag.String("profile", "", "write a CPU profile to this `file`")
	languages := flag.Bool("languages", false, "print what is found in each language, and how fast")
	rounds := flag.Int("rounds", 5, "with -languages: the best of so many `rounds` counts")
	most := flag.Int("most", 15_000_000, "with -languages: about how many `bytes` of each language are read")
	flag.Parse()
	if flag.NArg() != 1 && !(*languages && flag.NArg() > 1) {
		return errors.New("give one directory")
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if *languages {
		return measureLanguages(ctx, os.Stdout, flag.Args(), *rounds, *most)
	}
	if *indexed {
		return makeIndex(ctx, flag.Arg(0))
	}
	return scan(ctx, flag.Arg(0))
}

// headroom is the size of memory that is never touched and therefore not resident. It reduces garbage collections in a program with
// little live memory. Package index has some, too.
const headroom = 64 << 20

// scan prints the number of files and chunks, and of files for which the scanner is unsure.
func scan(ctx context.Context, dir string) error {
	var files, chunks, unsure int
	var buf []byte
	room := make([]byte, headroom)
	defer runtime.KeepAlive(room)
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		lang, ok := source.LanguageOf(name, nil)
		if !ok {
			return nil
		}
		if buf, err = read(name, buf); err != nil {
			return err
		}
		found, err := outline.Parser{}.Parse(ctx, buf, lang, source.Options{})
		if _, doubt := errors.AsType[*source.UnsureError](err); doubt {
			unsure++
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if found != nil {
			chunks += len(found.Chunks)
		}
		files++
		return nil
	})
	fmt.Printf("%d files: %d chunks, %d unsure\n", files, chunks, unsure)
	return err
}

// read reads a file into buf with system calls, because the overhead of os.File is as large as the reading.
func read(name string, buf []byte) ([]byte, error) {
	file, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return buf, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(file)
	for buf = buf[:0]; ; {
		buf = slices.Grow(buf, 1<<16)
		n, err := syscall.Read(file, buf[len(buf):cap(buf)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return buf, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		if n == 0 {
			return buf, nil
		}
		buf = buf[:len(buf)+n]
	}
}

func makeIndex(ctx context.Context, dir string) (err error) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, Blocked: security.DefaultBlocked()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	parsers := builtin.Parsers(builtin.Options{})
	defer func() { err = errors.Join(err, parsers.Close()) }()
	store, err := index.NewJSONStore(root, index.JSONOptions{})
	if err != nil {
		return err
	}
	x, err := index.Open(ctx, root, index.Options{Parsers: parsers, Store: store})
	if err != nil {
		return err
	}
	r, err := x.Analyze(ctx, ".", index.AnalyzeOptions{Force: true}, nil)
	if err == nil && (r.NotSaved != "" || r.Incomplete) {
		err = fmt.Errorf("the index is not whole: %s", r.NotSaved)
	}
	fmt.Printf("%d files: %d chunks\n", r.Files, r.Chunks)
	return errors.Join(err, x.Close(ctx))
}
