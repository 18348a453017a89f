package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Encoder encodes values of one type as JSON that conforms to their [Output] schema. It differs
// from encoding/json: nil slices are [], nil byte slices are "", nil maps are {}, and HTML is not
// escaped. Types with JSON or text methods use them; unlike in encoding/json, methods on a pointer
// also apply to values.
//
// An Encoder is safe for concurrent use.
type Encoder struct {
	typ     reflect.Type
	plan    *nullPlan
	pointer bool      // a method needs a pointer
	pool    sync.Pool // of *stream
}

// NewEncoder returns an Encoder for values of type t. A type without a JSON form, for example with
// a channel, is an error.
func NewEncoder(t reflect.Type) (*Encoder, error) {
	if t == nil {
		return nil, errors.New("encoder: no type is given")
	}
	b := planner{plans: map[typePlace]*nullPlan{}}
	p, err := b.plan(typePlace{t, true})
	if err != nil {
		return nil, fmt.Errorf("encoder of %v: %w", t, err)
	}
	return &Encoder{typ: t, plan: p, pointer: b.pointer}, nil
}

// Append appends the JSON of v to dst. v must have the Encoder's type and is not modified. After an
// error it returns dst unchanged.
func (e *Encoder) Append(dst []byte, v any) ([]byte, error) {
	if t := reflect.TypeOf(v); t != e.typ && !(v == nil && e.typ.Kind() == reflect.Interface) && !(e.typ.Kind() == reflect.Interface && t.Implements(e.typ)) {
		return dst, fmt.Errorf("encoder of %v: got a value of type %v", e.typ, t)
	}
	if e.pointer && e.typ.Kind() != reflect.Pointer && v != nil {
		boxed := reflect.New(e.typ)
		boxed.Elem().Set(reflect.ValueOf(v))
		v = boxed.Interface()
	}
	s, _ := e.pool.Get().(*stream)
	if s == nil {
		s = &stream{}
		s.encoder = json.NewEncoder(s)
		s.encoder.SetEscapeHTML(false)
	}
	s.out = dst
	err := s.encoder.Encode(v)
	out := s.out
	s.out = nil
	e.pool.Put(s)
	if err != nil {
		return dst, fmt.Errorf("encoder of %v: %w", e.typ, err)
	}
	out = bytes.TrimSuffix(out, []byte{'\n'})
	if !bytes.Contains(out[len(dst):], []byte("null")) {
		return out, nil
	}
	f := filler{data: out[len(dst):]}
	if _, err := f.value(e.plan, 0, 0); err != nil {
		return dst, fmt.Errorf("encoder of %v: %w", e.typ, err)
	}
	return out[:len(dst)+f.flush(len(f.data))], nil
}

// stream is a json.Encoder that appends to a slice.
type stream struct {
	out     []byte
	encoder *json.Encoder
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	s.out = append(s.out, p...)
	return len(p), nil
}

// filler replaces null in place as a nullPlan requires. The replacement is always shorter.
type filler struct {
	data    []byte
	written int // end of the finished output
	read    int // start of the input that is not copied yet
}

// flush copies the input up to end to the output, and returns the size of the output.
func (f *filler) flush(end int) int {
	f.written += copy(f.data[f.written:], f.data[f.read:end])
	f.read = end
	return f.written
}

// value processes the value at data[i] and returns the offset after it. The data comes from
// encoding/json and has no white space.
func (f *filler) value(p *nullPlan, i, depth int) (int, error) {
	switch c := f.data[i]; {
	case p == nil || p.opaque() && p.replacement == "":
		end, _, err := jsonx.Skip(f.data, i)
		return end, err
	case c == 'n':
		end := i + len("null")
		if p.replacement != "" {
			f.flush(i)
			f.written += copy(f.data[f.written:], p.replacement)
			f.read = end
		}
		return end, nil
	case p.opaque() || c != '{' && c != '[':
		end, _, err := jsonx.Skip(f.data, i)
		return end, err
	case depth == jsonx.MaxDepth:
		return i, fmt.Errorf("the value is nested deeper than %d levels", jsonx.MaxDepth)
	case c == '[':
		return f.array(p, i, depth+1)
	}
	return f.object(p, i, depth+1)
}

// opaque reports whether nothing inside the value needs a replacement.
func (p *nullPlan) opaque() bool { return p.item == nil && p.value == nil && p.fields == nil }

// array processes the elements of an array.
func (f *filler) array(p *nullPlan, i, depth int) (_ int, err error) {
	for i++; f.data[i] != ']'; {
		if i, err = f.value(p.item, i, depth); err != nil {
			return i, err
		}
		if f.data[i] == ',' {
			i++
		}
	}
	return i + 1, nil
}

// object processes the members of an object.
func (f *filler) object(p *nullPlan, i, depth int) (int, error) {
	for i++; f.data[i] != '}'; {
		end, flags, err := jsonx.String(f.data, i)
		if err != nil {
			return i, err
		}
		inner := p.value
		if p.fields != nil {
			if flags&jsonx.Escaped != 0 {
				inner = p.fields[unquoted(f.data[i:end])]
			} else {
				inner = p.fields[string(f.data[i+1:end-1])]
			}
		}
		if i, err = f.value(inner, end+1, depth); err != nil {
			return i, err
		}
		if f.data[i] == ',' {
			i++
		}
	}
	return i + 1, nil
}
