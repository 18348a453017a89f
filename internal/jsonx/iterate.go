package jsonx

// Members iterates over the members of one object without allocating. Each
// value is scanned once, when Next reaches it.
type Members struct {
	data       []byte
	at         int    // index after the current member
	key, value []byte // of the current member
	keyFlags   Flags  // of the current key
	flags      Flags  // of all strings so far
	err        error
	started    bool // the opening bracket has been read
	done       bool // the end was reached, or an error
}

// itemDepth is the nesting depth of a value in the object or array that is iterated over. The
// limit MaxDepth counts from there.
const itemDepth = 1

// Object returns the members of the object that data begins with.
func Object(data []byte) Members { return Members{data: data} }

// Next advances to the next member and reports whether there is one; false
// means the end of the object or an error.
func (m *Members) Next() bool {
	if m.done || !m.advance('{', '}') {
		return false
	}
	start := Space(m.data, m.at)
	end, f, err := String(m.data, start)
	if err != nil {
		return m.fail(err)
	}
	m.key, m.keyFlags = m.data[start+1:end-1], f
	if end = Space(m.data, end); end >= len(m.data) || m.data[end] != ':' {
		return m.fail(syntaxError(end, "expected ':' after a member name"))
	}
	start = Space(m.data, end+1)
	end, vf, err := skip(m.data, start, itemDepth)
	if err != nil {
		return m.fail(err)
	}
	m.value, m.at = m.data[start:end], end
	m.flags |= f | vf
	return true
}

// advance steps over the opening bracket or the comma before the next item.
func (m *Members) advance(open, end byte) bool {
	i := Space(m.data, m.at)
	if !m.started {
		m.started = true
		if i >= len(m.data) || m.data[i] != open {
			return m.fail(syntaxError(i, "expected '"+string(open)+"'"))
		}
		if i = Space(m.data, i+1); i < len(m.data) && m.data[i] == end {
			m.at, m.done = i+1, true
			return false
		}
		m.at = i
		return true
	}
	switch {
	case i < len(m.data) && m.data[i] == ',':
		m.at = i + 1
		return true
	case i < len(m.data) && m.data[i] == end:
		m.at, m.done = i+1, true
		return false
	}
	return m.fail(syntaxError(i, "expected ',' or '"+string(end)+"'"))
}

func (m *Members) fail(err error) bool {
	m.err, m.done = err, true
	return false
}

// Key is the current member's name as it stands between the quotes; see Escaped.
func (m *Members) Key() []byte { return m.key }

// Escaped reports whether Key holds escapes and must be unquoted before it is
// compared.
func (m *Members) Escaped() bool { return m.keyFlags&Escaped != 0 }

// Name is the current member's name, unescaped. It allocates.
func (m *Members) Name() string {
	if !m.Escaped() {
		return string(m.key)
	}
	return unescape(m.key)
}

// Value is the current member's value without surrounding white space.
func (m *Members) Value() []byte { return m.value }

// Flags is the union of the flags of all strings met so far.
func (m *Members) Flags() Flags { return m.flags }

// End is the index after the object, once Next has returned false without an
// error.
func (m *Members) End() int { return m.at }

// Err is the syntax error that ended the iteration, or nil.
func (m *Members) Err() error { return m.err }

// Elements iterates over the elements of one array without allocating. It uses a Members, of which
// the keys stay empty.
type Elements struct{ m Members }

// Array returns the elements of the array that data begins with.
func Array(data []byte) Elements { return Elements{Members{data: data}} }

// Next advances to the next element and reports whether there is one; false
// means the end of the array or an error.
func (e *Elements) Next() bool {
	m := &e.m
	if m.done || !m.advance('[', ']') {
		return false
	}
	start := Space(m.data, m.at)
	end, f, err := skip(m.data, start, itemDepth)
	if err != nil {
		return m.fail(err)
	}
	m.value, m.at = m.data[start:end], end
	m.flags |= f
	return true
}

// Value is the current element without surrounding white space.
func (e *Elements) Value() []byte { return e.m.value }

// End is the index after the array, once Next has returned false without an
// error.
func (e *Elements) End() int { return e.m.at }

// Flags is the union of the flags of all strings met so far.
func (e *Elements) Flags() Flags { return e.m.flags }

// Err is the syntax error that ended the iteration, or nil.
func (e *Elements) Err() error { return e.m.err }
