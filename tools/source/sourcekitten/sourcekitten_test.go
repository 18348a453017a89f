package sourcekitten_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/sourcekitten"
)

// The test binary is SourceKitten when it is told to be.
const (
	roleVariable = "DOUGU_TEST_SOURCEKITTEN"
	fileVariable = "DOUGU_TEST_SOURCEKITTEN_FILE"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); role {
	case "":
		goleak.VerifyTestMain(m)
	default:
		os.Exit(pretend(role))
	}
}

func pretend(role string) int {
	switch role {
	case "recorded":
		if len(os.Args) != 4 || os.Args[1] != "structure" || os.Args[2] != "--file" || filepath.Ext(os.Args[3]) != ".swift" {
			fmt.Fprintln(os.Stderr, "Error: Unknown arguments", os.Args[1:])
			return 64
		}
		text, err := os.ReadFile(os.Args[3])
		want, err2 := os.ReadFile("testdata/stack.swift")
		if err != nil || err2 != nil || !bytes.Equal(text, want) {
			fmt.Fprintln(os.Stderr, "Error: Failed to read file")
			return 1
		}
		if err := os.WriteFile(os.Getenv(fileVariable), []byte(os.Args[3]), 0o600); err != nil {
			return 2
		}
		answer, _ := os.ReadFile("testdata/stack.json")
		os.Stdout.Write(answer)
	case "hang":
		child := exec.Command(os.Args[0]) // it keeps the pipes open
		child.Env = append(os.Environ(), roleVariable+"=sleep")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		_ = child.Start()
		fmt.Print("{")
		time.Sleep(time.Hour)
	case "sleep":
		time.Sleep(time.Hour)
	case "garbage":
		fmt.Print("Segmentation fault: 11")
	case "other":
		fmt.Print(`{"key.length":1}`)
	case "exit":
		fmt.Print("{}")
		fmt.Fprintln(os.Stderr, "Fatal error: Loading sourcekitdInProc failed")
		return 132
	case "loud":
		for {
			if _, err := io.WriteString(os.Stdout, strings.Repeat("[", 1<<20)); err != nil {
				return 0
			}
		}
	}
	return 0
}

// as is a parser whose program plays a role.
func as(t *testing.T, role string, timeout time.Duration) *sourcekitten.Parser {
	t.Helper()
	t.Setenv(roleVariable, role)
	t.Setenv(fileVariable, filepath.Join(t.TempDir(), "path"))
	return sourcekitten.New(sourcekitten.Options{Program: os.Args[0], Timeout: timeout})
}

func stack(t testing.TB) (src, answer []byte) {
	t.Helper()
	src, err := os.ReadFile("testdata/stack.swift")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = os.ReadFile("testdata/stack.json"); err != nil {
		t.Fatal(err)
	}
	return src, answer
}

func TestRecordedStructure(t *testing.T) {
	src, _ := stack(t)
	p := as(t, "recorded", time.Minute)
	f, err := p.Parse(t.Context(), src, source.Swift, source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants(src, f); err != nil {
		t.Error(err)
	}
	var got []string
	for _, c := range f.Chunks {
		got = append(got, fmt.Sprintf("%d:%d-%d %s %s | %s", c.StartLine, c.Line, c.EndLine, c.Kind, c.Path(), c.Signature))
	}
	want := []string{
		"4:5-38 class Stack | public final class Stack<Element>: Base",
		"7:7-10 enum Stack.Kind | enum Kind: Int",
		"7:7-7 enumCase Stack.Kind.small | case small = 1",
		"7:7-7 enumCase Stack.Kind.big | big",
		"8:9-9 enumCase Stack.Kind.growing | indirect case growing(by: Int)",
		"12:12-12 property Stack.items | private(set) var items: [Element] = []",
		"13:13-13 property Stack.count | var count: Int",
		"14:14-17 lambda Stack.onPush | lazy var onPush: (Element) -> Void",
		"15:15-15 function Stack.onPush.log() | func log()",
		"19:20-22 initializer Stack.init(capacity:) | public required init?(capacity: Int)",
		"24:24-24 deinitializer Stack.deinit | deinit",
		"26:26-29 subscript Stack.subscript(_:) | subscript(index: Int) -> Element",
		"31:31-35 method Stack.push(_:to:) | static func push(_ x: Element, to stack: Stack) -> Bool",
		"37:37-37 operator Stack.==(_:_:) | static func == (lhs: Stack, rhs: Stack) -> Bool",
		"40:40-40 interface Sized | protocol Sized",
		"40:40-40 property Sized.size | var size: Int { get }",
		"40:40-40 typeAlias Sized.Unit | associatedtype Unit",
		"41:41-41 extension Stack.Kind | extension Stack.Kind: Sized",
		"41:41-41 method Stack.Kind.default() | func `default`()",
		`42:42-42 constant café | let café = "é"`,
		"42:42-42 variable empty | empty = Stack<Int>()",
		"43:43-43 function free() | func free()",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := fmt.Sprint(f.Imports); got != "[{Foundation 1} {Stacks.Base 2}]" {
		t.Errorf("imports %s", got)
	}
	var calls []string
	for _, c := range f.Calls {
		in := "-"
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Path()
		}
		calls = append(calls, fmt.Sprintf("%s:%d:%s", c.Name, c.Line, in))
	}
	const wantCalls = "print:15:Stack.onPush.log() log:16:Stack.onPush reserveCapacity:21:Stack.init(capacity:) " +
		"removeAll:24:Stack.deinit append:33:Stack.push(_:to:) Stack:42:-"
	if got := strings.Join(calls, " "); got != wantCalls {
		t.Errorf("calls\n%s\nwant\n%s", got, wantCalls)
	}
	if f.Parser != "sourcekitten" {
		t.Errorf("the parser is %q", f.Parser)
	}
	path, err := os.ReadFile(os.Getenv(fileVariable))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary file %s is left: %v", path, err)
	}
}

func TestFailures(t *testing.T) {
	for role, want := range map[string][]string{
		"garbage": {"did not print the structure", "Segmentation fault"},
		"other":   {"another text"},
		"nothing": {"printed nothing"},
		"exit":    {"exit status 132", "Loading sourcekitdInProc failed"},
		"loud":    {"more than 128 MiB"},
	} {
		t.Run(role, func(t *testing.T) {
			f, err := as(t, role, time.Minute).Parse(t.Context(), []byte("let a = 1"), source.Swift, source.Options{})
			if err == nil || f != nil {
				t.Fatalf("got %v, %v", f, err)
			}
			for _, text := range want {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error is %v, want %q in it", err, text)
				}
			}
		})
	}
}

func TestParser_Parse_HangingProgram(t *testing.T) {
	p := as(t, "hang", 300*time.Millisecond)
	start := time.Now()
	if _, err := p.Parse(t.Context(), []byte("let a = 1"), source.Swift, source.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestCancelling(t *testing.T) {
	p := as(t, "hang", time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Parse(ctx, []byte("let a = 1"), source.Swift, source.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestParser_Parse_NotInstalled(t *testing.T) {
	p := sourcekitten.New(sourcekitten.Options{Program: "/none/such/sourcekitten"})
	if err := p.Available(); !errors.Is(err, sourcekitten.ErrNotInstalled) {
		t.Errorf("got %v", err)
	}
	_, err := p.Parse(t.Context(), []byte("let a = 1"), source.Swift, source.Options{})
	if !errors.Is(err, sourcekitten.ErrNotInstalled) || !strings.Contains(err.Error(), "brew install sourcekitten") || !strings.Contains(err.Error(), "/none/such") {
		t.Errorf("got %v", err)
	}
	if err := as(t, "nothing", 0).Available(); err != nil {
		t.Errorf("a program that is there: %v", err)
	}
}

func TestParser_Parse_Errors(t *testing.T) {
	var p sourcekitten.Parser
	if _, err := p.Parse(t.Context(), nil, source.Kotlin, source.Options{}); !errors.Is(err, source.ErrLanguage) {
		t.Errorf("Kotlin: %v", err)
	}
	if _, err := p.Parse(t.Context(), []byte("let a = \"\xff\""), source.Swift, source.Options{}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("Latin-1: %v", err)
	}
	if p.Name() != "sourcekitten" || !slices.Equal(p.Languages(), []source.Language{source.Swift}) {
		t.Errorf("it is %q for %q", p.Name(), p.Languages())
	}
}

func TestParser_Parse_Diagnostics(t *testing.T) {
	src := []byte("let a = 1\nlet = 2\n")
	answer := `{"key.length":18,"key.offset":0,"key.diagnostics":[
		{"key.severity":"source.diagnostic.severity.error","key.description":"expected pattern","key.offset":14,"key.line":2},
		{"key.severity":"source.diagnostic.severity.warning","key.description":"unused","key.offset":4},
		{"key.severity":"source.diagnostic.severity.error","key.description":"far","key.offset":99}]}`
	f, err := sourcekitten.Structure([]byte(answer), src, source.Options{})
	if err != nil || fmt.Sprint(f.Problems) != "[{2 expected pattern}]" {
		t.Errorf("got %+v, %v", f, err)
	}
}

// FuzzStructure checks the invariants of a File for arbitrary output of the program.
func FuzzStructure(f *testing.F) {
	src, answer := stack(f)
	f.Add(answer)
	f.Add([]byte(fmt.Sprintf(`{"key.length":%d,"key.substructure":[{"key.kind":"source.lang.swift.decl.class","key.name":"a(","key.offset":1,"key.length":9223372036854775807,"key.bodyoffset":-1}]}`, len(src))))
	f.Fuzz(func(t *testing.T, answer []byte) {
		file, err := sourcekitten.Structure(answer, src, source.Options{Calls: true})
		if err != nil {
			return
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Fatal(err)
		}
	})
}
