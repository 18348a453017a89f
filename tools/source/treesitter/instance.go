package treesitter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"
)

// instance is a running module of a grammar. It parses one text at a time.
type instance struct {
	module api.Module
	memory api.Memory
	code   *code

	buffer, compileQuery, failed, kept, parse, run, exceeded, exhausted, problems, results, walk, kind api.Function

	stack [2]uint64
}

// found is the result for one text: the matches as the module writes them.
type found struct {
	code     *code
	matches  [queries][]uint32
	exceeded bool // the limit on matches in progress was exceeded
	wrong    bool // the text has syntax errors, even if problems is empty
	problems []problem
}

// problem is a part of a text that the grammar does not allow.
type problem struct {
	start, end uint32
	missing    string // the missing token, or ""
}

// size returns the size of the instance's memory in bytes.
func (in *instance) size() int { return int(in.memory.Size()) }

func (in *instance) close() {
	_ = in.module.Close(context.Background()) // the error is only an exit code
}

// queryError says that a query does not fit the grammar.
type queryError struct {
	kind uint32
	near string
}

func (e *queryError) Error() string {
	kinds := []string{"", "syntax", "node type", "field", "capture", "structure", "language"}
	return fmt.Sprintf("the query has a wrong %s at %q", kinds[min(int(e.kind), len(kinds)-1)], e.near)
}

// compile compiles a query.
func (in *instance) compile(ctx context.Context, which int, text string) error {
	if err := in.text(ctx, []byte(text)); err != nil {
		return err
	}
	code, err := in.call(ctx, in.compileQuery, uint64(which))
	if err != nil || code == 0 {
		return err
	}
	at, err := in.call(ctx, in.failed)
	if err != nil {
		return err
	}
	offset, _ := in.memory.ReadUint32Le(at)
	kind, _ := in.memory.ReadUint32Le(at + 4)
	near := text[min(int(offset), len(text)):]
	return &queryError{kind, near[:min(len(near), 40)]}
}

// read parses a text and runs the queries. After an error the instance must be
// closed.
func (in *instance) read(ctx context.Context, src []byte, withCalls bool) (*found, error) {
	f, err := in.find(ctx, src, withCalls)
	return f, in.explain(ctx, err)
}

// explain returns ErrMemory instead of the error of a text for which the memory was not enough.
func (in *instance) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if out, failed := in.call(context.Background(), in.exhausted); failed == nil && out != 0 {
		return ErrMemory
	}
	return err
}

func (in *instance) find(ctx context.Context, src []byte, withCalls bool) (*found, error) {
	if err := in.text(ctx, src); err != nil {
		return nil, err
	}
	outcome, err := in.call(ctx, in.parse)
	if err != nil {
		return nil, err
	}
	if outcome == 2 {
		return nil, errors.Join(ctx.Err(), errTrap)
	}
	f := &found{code: in.code, wrong: outcome == 1}
	if err := in.matches(ctx, f, declarations); err != nil {
		return nil, err
	}
	if withCalls {
		if err := in.matches(ctx, f, calls); err != nil {
			return nil, err
		}
	}
	if outcome == 1 {
		f.problems, err = in.findProblems(ctx)
	}
	return f, err
}

// text copies a text into the buffer. Bytes that are not valid UTF-8 become letters, so that
// letters of another encoding form words.
func (in *instance) text(ctx context.Context, src []byte) error {
	at, err := in.call(ctx, in.buffer, uint64(len(src)))
	if err != nil {
		return err
	}
	view, ok := in.memory.Read(at, uint32(len(src)))
	if !ok {
		return ErrMemory
	}
	copy(view, src)
	if utf8.Valid(src) {
		return nil
	}
	for i := 0; i < len(view); {
		r, n := utf8.DecodeRune(view[i:])
		if r == utf8.RuneError && n == 1 {
			view[i] = 'x'
		}
		i += n
	}
	return nil
}

// matches runs a query.
func (in *instance) matches(ctx context.Context, f *found, which int) error {
	if len(in.code.queries[which].roles) == 0 {
		return nil
	}
	n, err := in.call(ctx, in.run, uint64(which))
	if err != nil {
		return err
	}
	if f.matches[which], err = in.integers(ctx, int(n)); err != nil {
		return err
	}
	exceeded, err := in.call(ctx, in.exceeded)
	if err != nil {
		return err
	}
	f.exceeded = f.exceeded || exceeded != 0
	return ctx.Err()
}

func (in *instance) findProblems(ctx context.Context) ([]problem, error) {
	n, err := in.call(ctx, in.problems)
	if err != nil {
		return nil, err
	}
	flat, err := in.integers(ctx, int(n))
	if err != nil {
		return nil, err
	}
	var problems []problem
	for ; len(flat) >= 3; flat = flat[3:] {
		problems = append(problems, problem{flat[0], flat[1], in.word(flat[2])})
	}
	return problems, nil
}

// integers copies the result of the last call.
func (in *instance) integers(ctx context.Context, n int) ([]uint32, error) {
	view, err := in.result(ctx, n)
	if err != nil {
		return nil, err
	}
	flat := make([]uint32, n)
	for i := range flat {
		flat[i] = binary.LittleEndian.Uint32(view[4*i:])
	}
	return flat, nil
}

// result returns the n integers of the last call in the memory of the module, until the next call.
func (in *instance) result(ctx context.Context, n int) ([]byte, error) {
	at, err := in.call(ctx, in.results)
	if err != nil {
		return nil, err
	}
	if n < 0 || n > in.size()/4 {
		return nil, errTrap
	}
	view, ok := in.memory.Read(at, uint32(4*n))
	if !ok {
		return nil, errTrap
	}
	return view, nil
}

// word is the text at a position of the memory, up to its NUL.
func (in *instance) word(at uint32) string {
	if at == 0 {
		return ""
	}
	view, _ := in.memory.Read(at, min(64, in.memory.Size()-at))
	word, _, _ := strings.Cut(string(view), "\x00")
	return word
}

// call calls a function of the module with at most one argument. A function without a result
// returns 0.
func (in *instance) call(ctx context.Context, f api.Function, arguments ...uint64) (uint32, error) {
	copy(in.stack[:], arguments)
	if err := f.CallWithStack(ctx, in.stack[:]); err != nil {
		return 0, &trapError{err}
	}
	return uint32(in.stack[0]), nil
}
